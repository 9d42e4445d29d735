//! Shared inputs: each is fetched once, decoded once, and used by all trials of its generation.

use std::sync::Arc;

use hatchery_core::erased::Bench;
use hatchery_core::{Catalog, Digest, Malformed};
use hatchery_proto::MAX_BLOB_BYTES;
use hatchery_proto::v1::GetBlobRequest;
use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use tonic::transport::Channel;

/// How many benches are kept: a worker serves a few runs at a time, each with one current
/// generation.
const KEPT: usize = 8;

/// The benches used last, the latest first.
#[derive(Default)]
pub struct Benches(Vec<(&'static str, Digest, Arc<dyn Bench>)>);

/// Why a bench is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum SharedError {
    /// The worker does not know the experiment, or knows another version.
    #[error("this worker does not know {experiment} version {version}")]
    Unknown {
        /// The experiment's name.
        experiment: String,
        /// The version asked for.
        version: u32,
    },
    /// The hash in the job is no hash.
    #[error("the job's shared input has a hash of {n_bytes} bytes instead of 32")]
    Hash {
        /// Its length.
        n_bytes: usize,
    },
    /// The coordinator did not send the blob.
    #[error("shared input {hash} was not sent")]
    Fetch {
        /// Its hash.
        hash: Digest,
        /// What the coordinator says.
        source: Box<tonic::Status>,
    },
    /// The coordinator sent something else, or too much.
    #[error("shared input {hash} came with other bytes")]
    Wrong {
        /// The hash asked for.
        hash: Digest,
    },
    /// The blob is not the experiment's shared input.
    #[error("shared input {hash} is malformed")]
    Malformed {
        /// Its hash.
        hash: Digest,
        /// What is wrong.
        source: Malformed,
    },
}

impl Benches {
    /// The bench of `experiment` with the shared input `hash`, fetched if it is not here.
    ///
    /// # Errors
    /// If it can't be fetched or decoded.
    pub async fn get(
        &mut self,
        client: &mut WorkerPlaneClient<Channel>,
        catalog: Catalog,
        (experiment, version): (&str, u32),
        hash: &[u8],
    ) -> Result<Arc<dyn Bench>, SharedError> {
        let hash = Digest::from_bytes(hash).ok_or(SharedError::Hash { n_bytes: hash.len() })?;
        let kept = self.0.iter().position(|(name, kept, _)| *name == experiment && *kept == hash);
        if let Some(idx) = kept {
            self.0[..=idx].rotate_right(1);
            return Ok(Arc::clone(&self.0[0].2));
        }
        let known = catalog
            .find(experiment)
            .filter(|known| known.version() == version)
            .ok_or_else(|| SharedError::Unknown { experiment: experiment.to_owned(), version })?;
        let blob = fetch(client, hash).await?;
        let malformed = |source| SharedError::Malformed { hash, source };
        let bench: Arc<dyn Bench> = Arc::from(known.bench(&blob).map_err(malformed)?);
        self.0.insert(0, (known.name(), hash, Arc::clone(&bench)));
        self.0.truncate(KEPT);
        Ok(bench)
    }
}

impl std::fmt::Debug for Benches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, hash, _)| (name, hash))).finish()
    }
}

async fn fetch(
    client: &mut WorkerPlaneClient<Channel>,
    hash: Digest,
) -> Result<Vec<u8>, SharedError> {
    let failed = |status: tonic::Status| SharedError::Fetch { hash, source: Box::new(status) };
    let request = GetBlobRequest { hash: hash.as_bytes().to_vec() };
    let mut chunks = client.get_blob(request).await.map_err(failed)?.into_inner();
    let mut blob = Vec::new();
    while let Some(chunk) = chunks.message().await.map_err(failed)? {
        blob.extend_from_slice(&chunk.data);
        if MAX_BLOB_BYTES < blob.len() {
            return Err(SharedError::Wrong { hash });
        }
    }
    if Digest::of(&blob) == hash { Ok(blob) } else { Err(SharedError::Wrong { hash }) }
}
