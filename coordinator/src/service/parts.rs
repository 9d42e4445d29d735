//! The calls of workers that carry parts, and results that are too large for a session.

use hatchery_core::Part;
use hatchery_proto::v1::{
    ByteChunk, PartRef, PartsOfJob, PutPartsRequest, PutResultRequest, Results, put_parts_request,
    put_result_request,
};
use hatchery_proto::{MAX_JOB_PART_BYTES, MAX_JOB_PARTS, MAX_RESULT_BYTES, PART_CHUNK_BYTES, v1};
use hatchery_store::operation::DispatchView;
use hatchery_store::{RunId, SessionId, StoreView};
use prost::Message;
use prost::bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio::time::timeout;
use tonic::{Status, Streaming};

use crate::dispatch::{DispatchMessage, PartAdmission, WorkerMessage};
use crate::job_ref;
use crate::part_upload::{CHUNK_DEADLINE, IncomingPart, next};

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
    part: Option<IncomingPart<'a, DispatchView>>,
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
        self.part = Some(IncomingPart::begin(self.store, self.run, part).await?);
        Ok(())
    }

    /// Writes the next chunk of the part.
    async fn write(&mut self, chunk: &Bytes) -> Result<(), Status> {
        let Some(part) = &mut self.part else {
            return Err(Status::invalid_argument("a chunk of no part"));
        };
        part.write(chunk).await?;
        if part.is_whole() {
            self.part = None;
        }
        Ok(())
    }

    /// Checks that no part is unfinished.
    fn end(&self) -> Result<(), Status> {
        self.part.as_ref().map_or(Ok(()), |part| Ok(part.end()?))
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
