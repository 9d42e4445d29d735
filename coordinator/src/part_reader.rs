//! Parts for workers: read from the store once, and kept for the next worker that asks.

use std::sync::{Mutex, PoisonError};

use hatchery_core::{ByteCache, Digest};
use hatchery_proto::v1::GetPartRequest;
use hatchery_store::parts::read_whole;
use hatchery_store::{RunId, StoreError};
use prost::bytes::Bytes;
use tonic::Status;

use crate::base::context::StoreViews;

/// The most bytes of parts that a coordinator keeps.
const CACHE_BYTES: usize = 256 << 20;

/// Reads parts. Of all who ask for one at the same time, one reads it.
#[derive(Debug)]
pub(crate) struct PartReader {
    store: StoreViews,
    cache: Mutex<ByteCache<(RunId, Digest)>>,
    /// Held while a part is read: one at a time, so that the store serves others in between.
    reading: tokio::sync::Mutex<()>,
}

impl PartReader {
    /// Creates a reader without parts.
    pub(crate) fn new(store: StoreViews) -> Self {
        let cache = Mutex::new(ByteCache::new(CACHE_BYTES));
        Self { store, cache, reading: tokio::sync::Mutex::default() }
    }

    /// Returns the run's part with this hash.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn read(&self, run: RunId, hash: Digest) -> Result<Option<Bytes>, StoreError> {
        if let Some(bytes) = self.cached(run, hash) {
            return Ok(Some(bytes));
        }
        let _reading = self.reading.lock().await;
        // Another caller may have read it meanwhile.
        if let Some(bytes) = self.cached(run, hash) {
            return Ok(Some(bytes));
        }
        let bytes = read_whole(self.store.dispatch(), run, hash).await?;
        if let Some(bytes) = &bytes {
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            cache.insert((run, hash), bytes.clone());
        }
        Ok(bytes)
    }

    fn cached(&self, run: RunId, hash: Digest) -> Option<Bytes> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(&(run, hash))
    }
}

/// Returns the run and the hash of a requested part.
///
/// # Errors
/// If one of them is malformed.
pub(crate) fn requested(request: &GetPartRequest) -> Result<(RunId, Digest), Status> {
    let GetPartRequest { hash, run, .. } = request;
    let hash = Digest::from_bytes(hash)
        .ok_or_else(|| Status::invalid_argument("a part's hash has 32 bytes"))?;
    let run = RunId::from_bytes(run)
        .ok_or_else(|| Status::invalid_argument("a run's id has 16 bytes"))?;
    Ok((run, hash))
}
