//! Shared inputs: each is fetched once, decoded once, and used by all trials of its generation.

use std::sync::Arc;
use std::time::Duration;

use hatchery_core::erased::{AnyExperiment, Bench};
use hatchery_core::{Catalog, Digest, Malformed};
use hatchery_proto::MAX_BLOB_BYTES;
use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use hatchery_proto::v1::{GetBlobRequest, Job};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Status};

use crate::dial::Line;

/// How many benches are kept: a worker serves a few runs at a time, each with one current
/// generation.
pub(crate) const KEPT: usize = 8;

/// How long the next piece of a blob may take: a piece is small, even for a slow line.
const CHUNK_DEADLINE: Duration = Duration::from_secs(20);

/// How long a blob is asked for again and again while the coordinator can't read it; then its jobs
/// are better off with another worker.
const FETCH_PATIENCE: Duration = Duration::from_secs(60);

/// The waits between two attempts: the first, and the longest.
const FIRST_RETRY: Duration = Duration::from_millis(200);
const LONGEST_RETRY: Duration = Duration::from_secs(5);

/// What a bench is made of: the experiment, and the hash of the shared input.
#[derive(Clone, Copy)]
pub(crate) struct BenchId {
    pub(crate) experiment: &'static dyn AnyExperiment,
    pub(crate) hash: Digest,
}

impl BenchId {
    /// The bench that `job` needs.
    pub(crate) fn of(job: &Job, catalog: Catalog) -> Result<Self, SharedError> {
        let n_bytes = job.shared.len();
        let hash = Digest::from_bytes(&job.shared).ok_or(SharedError::Hash { n_bytes })?;
        let known = catalog.find(&job.experiment).filter(|known| known.version() == job.version);
        let experiment = known.ok_or_else(|| SharedError::Unknown {
            experiment: job.experiment.clone(),
            version: job.version,
        })?;
        Ok(Self { experiment, hash })
    }

    /// The bench with `blob` as its shared input.
    pub(crate) fn make(self, blob: &[u8]) -> Result<Arc<dyn Bench>, SharedError> {
        let Self { experiment, hash } = self;
        if Digest::of(blob) != hash {
            return Err(SharedError::Wrong { hash });
        }
        let bench = experiment.bench(blob);
        bench.map(Arc::from).map_err(|source| SharedError::Malformed { hash, source })
    }
}

impl PartialEq for BenchId {
    fn eq(&self, other: &Self) -> bool {
        self.experiment.name() == other.experiment.name() && self.hash == other.hash
    }
}

impl std::fmt::Debug for BenchId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.experiment.name(), self.hash)
    }
}

/// The benches used last, the latest first.
#[derive(Default)]
pub(crate) struct Benches(Vec<(BenchId, Arc<dyn Bench>)>);

impl Benches {
    /// The bench, if it is here.
    pub(crate) fn get(&mut self, id: BenchId) -> Option<Arc<dyn Bench>> {
        let idx = self.0.iter().position(|(kept, _)| *kept == id)?;
        self.0[..=idx].rotate_right(1);
        Some(Arc::clone(&self.0[0].1))
    }

    /// Keeps a bench, and forgets the one that was not used for longest.
    pub(crate) fn keep(&mut self, id: BenchId, bench: Arc<dyn Bench>) {
        self.0.insert(0, (id, bench));
        self.0.truncate(KEPT);
    }
}

impl std::fmt::Debug for Benches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(id, _)| id)).finish()
    }
}

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
        source: Box<Status>,
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

impl SharedError {
    /// Whether it can be another thing with another coordinator, or later.
    pub(crate) fn is_passing(&self) -> bool {
        let Self::Fetch { source, .. } = self else { return false };
        !matches!(
            source.code(),
            Code::NotFound
                | Code::InvalidArgument
                | Code::FailedPrecondition
                | Code::OutOfRange
                | Code::Unimplemented
        )
    }
}

/// The bench `id` of `run`, its shared input fetched from the coordinator.
///
/// # Errors
/// If it can't be fetched or decoded; what may pass was tried for [`FETCH_PATIENCE`].
pub(crate) async fn fetch(
    mut client: WorkerPlaneClient<Line>,
    run: [u8; 16],
    id: BenchId,
) -> Result<Arc<dyn Bench>, SharedError> {
    let give_up = Instant::now() + FETCH_PATIENCE;
    let mut wait = FIRST_RETRY;
    loop {
        let error = match fetch_once(&mut client, run, id.hash).await {
            // It may take long, and the session goes on meanwhile.
            Ok(blob) => match spawn_blocking(move || id.make(&blob)).await {
                Ok(made) => return made,
                // It is cancelled only when this task is too.
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
            Err(error) => error,
        };
        if !error.is_passing() || give_up < Instant::now() + wait {
            return Err(error);
        }
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_RETRY);
    }
}

async fn fetch_once(
    client: &mut WorkerPlaneClient<Line>,
    run: [u8; 16],
    hash: Digest,
) -> Result<Vec<u8>, SharedError> {
    let failed = |status: Status| SharedError::Fetch { hash, source: Box::new(status) };
    let late = |_| failed(Status::deadline_exceeded("it takes too long"));
    let request = GetBlobRequest { hash: hash.as_bytes().to_vec(), run: run.to_vec() };
    let answer = timeout(CHUNK_DEADLINE, client.get_blob(request)).await.map_err(late)?;
    let mut chunks = answer.map_err(failed)?.into_inner();
    let mut blob = Vec::new();
    loop {
        let chunk = timeout(CHUNK_DEADLINE, chunks.message()).await.map_err(late)?;
        let Some(chunk) = chunk.map_err(failed)? else { return Ok(blob) };
        blob.extend_from_slice(&chunk.data);
        if MAX_BLOB_BYTES < blob.len() {
            return Err(SharedError::Wrong { hash });
        }
    }
}
