//! Parts of runs: the parts that workers ask for, and the parts that come in.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hatchery_core::{ByteCache, Digest, Part, error_chain};
use hatchery_proto::PART_CHUNK_BYTES;
use hatchery_proto::v1::GetPartRequest;
use hatchery_store::operation::{AllowedIn, FindParts, FinishPart, ReadPart, WritePart};
use hatchery_store::parts::read_whole;
use hatchery_store::{RunId, StoreError, StoreView};
use prost::bytes::Bytes;
use tokio::time::timeout;
use tokio_stream::{Stream, StreamExt};
use tonic::Status;

use crate::base::context::StoreViews;

/// The most bytes of parts that a coordinator keeps in memory.
const CACHE_BYTES: usize = 256 << 20;

/// The time within which a peer must take or send a chunk. Workers wait longer for a chunk, because
/// other lines have their turns before it.
pub(crate) const CHUNK_DEADLINE: Duration = Duration::from_secs(15);

/// Reads parts from the store and keeps them for the next worker that asks. If several workers ask
/// for a part at the same time, the part is read once.
#[derive(Debug)]
pub(crate) struct PartReader {
    store: StoreViews,
    cache: Mutex<ByteCache<(RunId, Digest)>>,
    /// Held while a part is read: one part at a time, so that the store serves other calls in
    /// between.
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

    /// Returns a chunk of the run's part: of the part that is kept, or else from the store.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn chunk(
        &self,
        run: RunId,
        hash: Digest,
        index: u32,
    ) -> Result<Option<Bytes>, StoreError> {
        let Some(part) = self.cached(run, hash) else {
            let chunk = self.store.dispatch().execute(ReadPart { run, hash, index }).await?;
            return Ok(chunk.map(Bytes::from));
        };
        // A copy: a slice would keep the whole part in memory.
        let chunk = part.chunks(PART_CHUNK_BYTES).nth(index as usize);
        Ok(chunk.map(Bytes::copy_from_slice))
    }

    fn cached(&self, run: RunId, hash: Digest) -> Option<Bytes> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).get(&(run, hash))
    }
}

/// Returns the run and the hash of a requested part.
///
/// # Errors
/// If the id of the run or the hash is malformed.
pub(crate) fn requested(request: &GetPartRequest) -> Result<(RunId, Digest), Status> {
    let GetPartRequest { hash, run, .. } = request;
    let hash = Digest::from_bytes(hash)
        .ok_or_else(|| Status::invalid_argument("a part's hash has 32 bytes"))?;
    let run = RunId::from_bytes(run)
        .ok_or_else(|| Status::invalid_argument("a run's id has 16 bytes"))?;
    Ok((run, hash))
}

/// A part of a run while it comes in chunk by chunk: checked, hashed and written to the store.
pub(crate) struct IncomingPart<'a, View> {
    store: StoreView<'a, View>,
    run: RunId,
    part: Part,
    hasher: Box<blake3::Hasher>,
    next_chunk: u32,
    /// Whether the store has the part already; then the bytes are dropped.
    is_there: bool,
}

/// A part that could not be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IncomingPartError {
    #[error("chunk {index} of part {part} has {n_bytes} bytes")]
    WrongChunk { part: Part, index: u32, n_bytes: usize },
    #[error("the bytes sent for part {part} have another hash")]
    OtherBytes { part: Part },
    #[error("part {part} is incomplete")]
    Unfinished { part: Part },
    #[error("the store has lost chunks of part {part}")]
    LostChunks { part: Part },
    #[error("the part cannot be stored")]
    Store(#[from] StoreError),
}

impl<'a, View> IncomingPart<'a, View>
where
    FindParts: AllowedIn<View>,
    WritePart: AllowedIn<View>,
    FinishPart: AllowedIn<View>,
{
    /// Begins a part of `run`, which need not be created yet.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) async fn begin(
        store: StoreView<'a, View>,
        run: RunId,
        part: Part,
    ) -> Result<Self, IncomingPartError> {
        let found = store.execute(FindParts { run, parts: vec![part.hash()] }).await?;
        let is_there = found.first().is_some_and(|found| *found == Some(part));
        let hasher = Box::new(blake3::Hasher::new());
        Ok(Self { store, run, part, hasher, next_chunk: 0, is_there })
    }

    /// Writes the next chunk of the part, and the end of the part with its last one.
    ///
    /// # Errors
    /// If the chunk has the wrong length, the part has another hash, or the store refuses the
    /// chunk.
    pub(crate) async fn write(&mut self, chunk: &Bytes) -> Result<(), IncomingPartError> {
        let Self { store, run, part, ref mut hasher, next_chunk: index, is_there } = *self;
        if part.chunk_bytes(index) != Some(chunk.len()) {
            return Err(IncomingPartError::WrongChunk { part, index, n_bytes: chunk.len() });
        }
        hasher.update(chunk);
        let is_last = index + 1 == part.n_chunks();
        let found = is_last.then(|| hasher.finalize());
        if found.is_some_and(|found| Digest::from_bytes(found.as_bytes()) != Some(part.hash())) {
            return Err(IncomingPartError::OtherBytes { part });
        }
        if !is_there {
            store.execute(WritePart { run, part, index, chunk: chunk.to_vec() }).await?;
            if is_last && !store.execute(FinishPart { run, part }).await? {
                return Err(IncomingPartError::LostChunks { part });
            }
        }
        self.next_chunk += 1;
        Ok(())
    }

    /// Returns true if the last chunk was written.
    pub(crate) fn is_whole(&self) -> bool {
        self.next_chunk == self.part.n_chunks()
    }

    /// Ends the part.
    ///
    /// # Errors
    /// If a chunk is missing.
    pub(crate) fn end(&self) -> Result<(), IncomingPartError> {
        match self.is_whole() {
            true => Ok(()),
            false => Err(IncomingPartError::Unfinished { part: self.part }),
        }
    }
}

impl From<IncomingPartError> for Status {
    fn from(error: IncomingPartError) -> Self {
        match error {
            IncomingPartError::WrongChunk { .. }
            | IncomingPartError::OtherBytes { .. }
            | IncomingPartError::Unfinished { .. } => Self::invalid_argument(error.to_string()),
            IncomingPartError::LostChunks { .. } => Self::unavailable(error.to_string()),
            IncomingPartError::Store(StoreError::NoRun { .. } | StoreError::OutOfStep { .. }) => {
                Self::failed_precondition("the run takes no parts any more")
            }
            IncomingPartError::Store(error) => {
                tracing::warn!(error = error_chain(&error), "part not written");
                Self::unavailable("the store cannot be written now")
            }
        }
    }
}

/// Returns the next message of a peer, which must come in time.
pub(crate) async fn next_message<T>(
    messages: &mut (impl Stream<Item = Result<T, Status>> + Unpin),
) -> Result<Option<T>, Status> {
    let message = timeout(CHUNK_DEADLINE, messages.next()).await;
    message.map_err(|_| Status::deadline_exceeded("the next chunk did not come"))?.transpose()
}
