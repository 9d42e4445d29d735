//! The calls of workers that carry parts, and results that are too large for a session.

use std::time::Duration;

use hatchery_core::{Digest, Part};
use hatchery_proto::v1::{
    ByteChunk, PartRef, PartsOfJob, PutPartsRequest, PutResultRequest, Results, put_parts_request,
    put_result_request,
};
use hatchery_proto::{MAX_JOB_PART_BYTES, MAX_JOB_PARTS, MAX_RESULT_BYTES, PART_CHUNK_BYTES, v1};
use hatchery_store::operation::{DispatchView, FindParts, FinishPart, WritePart};
use hatchery_store::{RunId, SessionId, StoreError, StoreView};
use prost::Message;
use prost::bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio::time::timeout;
use tokio_stream::{Stream, StreamExt};
use tonic::{Status, Streaming};

use crate::dispatch::{DispatchMessage, PartAdmission, WorkerMessage};
use crate::job_ref;

/// The time in which a worker must take or send a chunk: less than others want to wait for its
/// permit.
const CHUNK_DEADLINE: Duration = Duration::from_secs(30);

/// Sends a part in chunks, from number `first_chunk` on, and releases its permit.
pub(super) async fn send_part(
    bytes: Bytes,
    first_chunk: u32,
    send: mpsc::Sender<Result<ByteChunk, Status>>,
    _place: OwnedSemaphorePermit,
) {
    let Ok(last_word) = send.clone().reserve_owned().await else { return };
    let mut start = (first_chunk as usize).saturating_mul(PART_CHUNK_BYTES);
    while start < bytes.len() {
        let end = bytes.len().min(start + PART_CHUNK_BYTES);
        let sending = send.send(Ok(ByteChunk { data: bytes.slice(start..end) }));
        match timeout(CHUNK_DEADLINE, sending).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return,
            Err(_) => {
                last_word.send(Err(Status::deadline_exceeded("the part was read too slowly")));
                return;
            }
        }
        start = end;
    }
}

/// Takes the parts of a job from its worker.
///
/// # Errors
/// If the worker may not send them, they are not what was announced, or the store does not take
/// them.
pub(super) async fn take_parts(
    store: StoreView<'_, DispatchView>,
    dispatch: &mpsc::Sender<DispatchMessage>,
    mut messages: Streaming<PutPartsRequest>,
) -> Result<(), Status> {
    use put_parts_request::Message;
    let Some(Message::Job(PartsOfJob { session, r#ref, ticket, n_bytes })) =
        next(&mut messages).await?.and_then(|request| request.message)
    else {
        return Err(Status::invalid_argument("a job must come first"));
    };
    let key = job_ref::from_wire(r#ref.as_ref());
    let key = key.map_err(|error| Status::invalid_argument(error.to_string()))?;
    if MAX_JOB_PART_BYTES as u64 <= n_bytes {
        return Err(Status::invalid_argument(format!(
            "{n_bytes} bytes of parts of a job, but at most {MAX_JOB_PART_BYTES} are allowed"
        )));
    }
    let (answer, admitted) = oneshot::channel();
    let session = session_id(&session)?;
    let admission = PartAdmission { session, key, ticket, n_bytes, answer };
    let gone = |_| Status::unavailable("the coordinator is shutting down");
    dispatch.send(DispatchMessage::AdmitParts(admission)).await.map_err(gone)?;
    admitted.await.map_err(|_| Status::unavailable("the coordinator is shutting down"))??;
    let mut upload = PartUpload { store, run: key.run, n_left: n_bytes, n_parts: 0, part: None };
    while let Some(request) = next(&mut messages).await? {
        match request.message {
            Some(Message::Part(part)) => upload.begin(&part).await?,
            Some(Message::Chunk(ByteChunk { data })) => upload.write(&data).await?,
            Some(Message::Job(_)) | None => {
                return Err(Status::invalid_argument("a part or a chunk must come"));
            }
        }
    }
    upload.end()
}

/// The parts of a job while they come in.
struct PartUpload<'a> {
    store: StoreView<'a, DispatchView>,
    run: RunId,
    /// The bytes that were announced and have not come.
    n_left: u64,
    n_parts: usize,
    /// The part that comes in; `None` between two.
    part: Option<IncomingPart>,
}

/// A part while it comes in.
struct IncomingPart {
    part: Part,
    hasher: Box<blake3::Hasher>,
    next_chunk: u32,
    /// Whether the store has it already: its bytes are dropped.
    is_there: bool,
}

impl PartUpload<'_> {
    /// Begins the next part.
    async fn begin(&mut self, PartRef { hash, n_bytes }: &PartRef) -> Result<(), Status> {
        self.end()?;
        let part = Part::from_wire(hash, *n_bytes);
        let part = part.map_err(|error| Status::invalid_argument(error.to_string()))?;
        self.n_parts += 1;
        if MAX_JOB_PARTS < self.n_parts {
            return Err(Status::invalid_argument(format!(
                "more than {MAX_JOB_PARTS} parts of a job, which are the most allowed"
            )));
        }
        let left = self.n_left.checked_sub(part.n_bytes());
        self.n_left = left.ok_or_else(|| {
            Status::invalid_argument(format!("part {part} is more than was announced"))
        })?;
        let find = FindParts { run: self.run, parts: vec![part.hash()] };
        let found = self.store.execute(find).await.map_err(|error| refused(&error))?;
        let is_there = found.first().is_some_and(|found| *found == Some(part));
        let hasher = Box::new(blake3::Hasher::new());
        self.part = Some(IncomingPart { part, hasher, next_chunk: 0, is_there });
        Ok(())
    }

    /// Writes the next chunk of the part, and the end of the part with its last one.
    async fn write(&mut self, chunk: &Bytes) -> Result<(), Status> {
        let (store, run) = (self.store, self.run);
        let Some(IncomingPart { part, hasher, next_chunk, is_there }) = &mut self.part else {
            return Err(Status::invalid_argument("a chunk of no part"));
        };
        let (part, index) = (*part, *next_chunk);
        if part.chunk_bytes(index) != Some(chunk.len()) {
            let n_bytes = chunk.len();
            let message = format!("chunk {index} of part {part} has {n_bytes} bytes");
            return Err(Status::invalid_argument(message));
        }
        hasher.update(chunk);
        *next_chunk += 1;
        let is_last = *next_chunk == part.n_chunks();
        let found = Digest::from_bytes(hasher.finalize().as_bytes());
        if is_last && found != Some(part.hash()) {
            return Err(Status::invalid_argument(format!("other bytes came as part {part}")));
        }
        if !*is_there {
            let write = WritePart { run, part, index, chunk: chunk.to_vec() };
            store.execute(write).await.map_err(|error| refused(&error))?;
            if is_last {
                let finish = FinishPart { run, part };
                let is_whole = store.execute(finish).await.map_err(|error| refused(&error))?;
                if !is_whole {
                    return Err(Status::unavailable("the store has lost chunks of the part"));
                }
            }
        }
        if is_last {
            self.part = None;
        }
        Ok(())
    }

    /// Checks that no part is unfinished.
    fn end(&self) -> Result<(), Status> {
        match &self.part {
            None => Ok(()),
            Some(IncomingPart { part, .. }) => {
                Err(Status::invalid_argument(format!("part {part} came in part only")))
            }
        }
    }
}

/// Takes a large result from its worker and passes it to dispatch, as if it had come in the
/// session.
///
/// # Errors
/// If the result is malformed or too large.
pub(super) async fn take_result(
    dispatch: &mpsc::Sender<DispatchMessage>,
    mut messages: Streaming<PutResultRequest>,
) -> Result<(), Status> {
    use put_result_request::Message as Content;
    let Some(Content::Session(session)) =
        next(&mut messages).await?.and_then(|request| request.message)
    else {
        return Err(Status::invalid_argument("a session must come first"));
    };
    let session = session_id(&session)?;
    let mut bytes = Vec::new();
    while let Some(request) = next(&mut messages).await? {
        let Some(Content::Chunk(ByteChunk { data })) = request.message else {
            return Err(Status::invalid_argument("a chunk must come"));
        };
        if MAX_RESULT_BYTES < bytes.len() + data.len() {
            return Err(Status::invalid_argument(format!(
                "more than {MAX_RESULT_BYTES} bytes of a result, which are the most allowed"
            )));
        }
        bytes.extend_from_slice(&data);
    }
    let result = v1::Result::decode(bytes.as_slice());
    let result = result.map_err(|error| Status::invalid_argument(error.to_string()))?;
    let message = WorkerMessage::Results(Results { results: vec![result] });
    let gone = |_| Status::unavailable("the coordinator is shutting down");
    dispatch.send(DispatchMessage::FromWorker(session, message)).await.map_err(gone)
}

fn session_id(bytes: &[u8]) -> Result<SessionId, Status> {
    let session = SessionId::from_bytes(bytes);
    session.ok_or_else(|| Status::invalid_argument("a session's id has 16 bytes"))
}

/// Returns the next message of a worker.
async fn next<T>(
    messages: &mut (impl Stream<Item = Result<T, Status>> + Unpin),
) -> Result<Option<T>, Status> {
    let message = timeout(CHUNK_DEADLINE, messages.next()).await;
    message.map_err(|_| Status::deadline_exceeded("the next chunk did not come"))?.transpose()
}

/// Returns the refusal of parts that the store did not take.
fn refused(error: &StoreError) -> Status {
    match error {
        StoreError::NoRun { .. } | StoreError::OutOfStep { .. } => {
            Status::failed_precondition("the run takes no parts any more")
        }
        error => {
            tracing::warn!(%error, "part not written");
            Status::unavailable("the store cannot be written now")
        }
    }
}
