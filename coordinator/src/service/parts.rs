//! The calls of workers that carry parts, and results that are too large for a session.

use std::sync::Arc;
use std::time::Duration;

use hatchery_core::{Digest, Part};
use hatchery_proto::v1::{
    ByteChunk, PartRef, PartsOfJob, PutPartsRequest, PutResultRequest, Results, put_parts_request,
    put_result_request,
};
use hatchery_proto::{MAX_JOB_PART_BYTES, MAX_JOB_PARTS, MAX_RESULT_BYTES, PART_CHUNK_BYTES, v1};
use hatchery_store::operation::DispatchView;
use hatchery_store::{JobKey, RunId, SessionId, StoreView};
use prost::Message;
use prost::bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tonic::{Status, Streaming};

use crate::base::job_ref;
use crate::dispatch::{DispatchMessage, PartAdmission, WorkerMessage};
use crate::parts::{CHUNK_DEADLINE, IncomingPart, PartReader, next_message};

use super::result_memory::ResultSpace;
use super::turns::TransferTurn;

/// The longest time that the coordinator waits for the line that brings the parts of a job: enough
/// for the most bytes at 1 MB/s. The time in which other lines have their turns does not count.
const PARTS_DEADLINE: Duration = Duration::from_secs(600);

/// The same for a large result, at 280 kB/s.
const RESULT_DEADLINE: Duration = Duration::from_secs(480);

/// A part that is sent to a worker.
pub(super) struct SentPart {
    pub(super) reader: Arc<PartReader>,
    pub(super) run: RunId,
    pub(super) hash: Digest,
    pub(super) n_bytes: usize,
}

/// Sends a part in chunks, from number `first_chunk` on. One chunk is in memory for this transfer.
pub(super) async fn send_part(
    part: SentPart,
    first_chunk: u32,
    send: mpsc::Sender<Result<ByteChunk, Status>>,
    mut turn: TransferTurn,
) {
    let Ok(last_word) = send.clone().reserve_owned().await else { return };
    let n_chunks = part.n_bytes.div_ceil(PART_CHUNK_BYTES);
    for index in (0..).take(n_chunks).skip(first_chunk as usize) {
        turn.renew().await;
        let Ok(Some(data)) = part.reader.chunk(part.run, part.hash, index).await else {
            last_word.send(Err(Status::unavailable("the part cannot be read now")));
            return;
        };
        let sending = timeout(CHUNK_DEADLINE, send.send(Ok(ByteChunk { data })));
        match turn.wait(sending).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return,
            Err(_) => {
                last_word.send(Err(Status::deadline_exceeded("the part was read too slowly")));
                return;
            }
        }
    }
}

/// Parts of a job that its worker may send.
#[derive(Clone, Copy, Debug)]
pub(super) struct AdmittedParts {
    session: SessionId,
    key: JobKey,
    n_bytes: u64,
}

impl AdmittedParts {
    /// Returns the session of the worker.
    pub(super) fn session(&self) -> SessionId {
        self.session
    }
}

/// Reads which job a call brings parts of, and asks dispatch whether the worker may send them.
///
/// # Errors
/// If the worker may not send the parts, or announces too many bytes.
pub(super) async fn admit(
    dispatch: &mpsc::Sender<DispatchMessage>,
    messages: &mut Streaming<PutPartsRequest>,
) -> Result<AdmittedParts, Status> {
    use put_parts_request::Message;
    let Some(Message::Job(PartsOfJob { session, r#ref, ticket, n_bytes })) =
        next_message(messages).await?.and_then(|request| request.message)
    else {
        return Err(Status::invalid_argument("a job must come first"));
    };
    let key = job_ref::from_wire(r#ref.as_ref());
    let key = key.map_err(|error| Status::invalid_argument(error.to_string()))?;
    if (MAX_JOB_PART_BYTES as u64) < n_bytes {
        return Err(Status::invalid_argument(format!(
            "{n_bytes} bytes of parts of a job, but at most {MAX_JOB_PART_BYTES} are allowed"
        )));
    }
    let (answer, admitted) = oneshot::channel();
    let session = session_id(&session)?;
    let admission = PartAdmission { session, key, ticket, n_bytes, answer };
    let message = DispatchMessage::AdmitParts(admission);
    dispatch.send(message).await.map_err(|_| shutting_down())?;
    admitted.await.map_err(|_| shutting_down())??;
    Ok(AdmittedParts { session, key, n_bytes })
}

/// Takes the parts of a job from its worker.
///
/// # Errors
/// If the parts are not the announced parts, take too long, or the store refuses them.
pub(super) async fn take_parts(
    store: StoreView<'_, DispatchView>,
    AdmittedParts { key, n_bytes, .. }: AdmittedParts,
    mut messages: Streaming<PutPartsRequest>,
    turn: TransferTurn,
) -> Result<(), Status> {
    let upload = PartUpload { store, run: key.run, n_left: n_bytes, n_parts: 0, part: None, turn };
    upload.take(&mut messages).await
}

/// The parts of a job while they come in.
struct PartUpload<'a> {
    store: StoreView<'a, DispatchView>,
    run: RunId,
    /// The bytes that were announced and have not come.
    n_left: u64,
    n_parts: usize,
    /// The part that is being received; `None` between two parts.
    part: Option<IncomingPart<'a, DispatchView>>,
    turn: TransferTurn,
}

impl PartUpload<'_> {
    /// Takes all parts.
    async fn take(mut self, messages: &mut Streaming<PutPartsRequest>) -> Result<(), Status> {
        use put_parts_request::Message;
        while let Some(request) = next_of_line(messages, &mut self.turn, PARTS_DEADLINE).await? {
            self.turn.renew().await;
            match request.message {
                Some(Message::Part(part)) => self.begin(&part).await?,
                Some(Message::Chunk(ByteChunk { data })) => self.write(&data).await?,
                Some(Message::Job(_)) | None => {
                    return Err(Status::invalid_argument("a part or a chunk must come"));
                }
            }
        }
        self.end()
    }

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

/// Reads the session of a large result.
///
/// # Errors
/// If the call does not begin with a session.
pub(super) async fn result_session(
    messages: &mut Streaming<PutResultRequest>,
) -> Result<SessionId, Status> {
    use put_result_request::Message as Content;
    let Some(Content::Session(session)) =
        next_message(messages).await?.and_then(|request| request.message)
    else {
        return Err(Status::invalid_argument("a session must come first"));
    };
    session_id(&session)
}

/// Receives a large result from its worker and passes it to dispatch, as if the result had come in
/// the session.
///
/// # Errors
/// If the result is malformed or too large, or takes too long.
pub(super) async fn take_result(
    dispatch: &mpsc::Sender<DispatchMessage>,
    session: SessionId,
    messages: Streaming<PutResultRequest>,
    turn: TransferTurn,
    space: ResultSpace,
) -> Result<(), Status> {
    let result = read_result(messages, turn, &space).await?;
    let message = WorkerMessage::Results(Results { results: vec![result] });
    let message = DispatchMessage::FromWorker(session, message);
    dispatch.send(message).await.map_err(|_| shutting_down())
}

/// Returns the next message of a line for which the coordinator waits at most `deadline` in all.
async fn next_of_line<T>(
    messages: &mut Streaming<T>,
    turn: &mut TransferTurn,
    deadline: Duration,
) -> Result<Option<T>, Status> {
    let message = turn.wait(next_message(messages)).await?;
    match turn.line_time() <= deadline {
        true => Ok(message),
        false => Err(Status::deadline_exceeded(format!(
            "the line was waited for longer than {} s",
            deadline.as_secs()
        ))),
    }
}

async fn read_result(
    mut messages: Streaming<PutResultRequest>,
    mut turn: TransferTurn,
    space: &ResultSpace,
) -> Result<v1::Result, Status> {
    use put_result_request::Message as Content;
    let mut bytes = Vec::new();
    while let Some(request) = next_of_line(&mut messages, &mut turn, RESULT_DEADLINE).await? {
        let Some(Content::Chunk(ByteChunk { data })) = request.message else {
            return Err(Status::invalid_argument("a chunk must come"));
        };
        check_chunk(bytes.len(), data.len())?;
        if MAX_RESULT_BYTES < bytes.len() + data.len() {
            return Err(Status::invalid_argument(format!(
                "more than {MAX_RESULT_BYTES} bytes of a result, which are the most allowed"
            )));
        }
        if !space.try_grow(data.len()) {
            // Others need the turn to end, and to leave their memory.
            turn.end();
            space.grow(data.len()).await;
        }
        turn.renew().await;
        bytes.extend_from_slice(&data);
    }
    let result = v1::Result::decode(bytes.as_slice());
    result.map_err(|error| Status::invalid_argument(error.to_string()))
}

/// Checks a chunk of `n_bytes` of a large result, which comes after `n_before` bytes. All chunks
/// except the last are whole, and no chunk is empty.
fn check_chunk(n_before: usize, n_bytes: usize) -> Result<(), Status> {
    let is_after_short = !n_before.is_multiple_of(PART_CHUNK_BYTES);
    if is_after_short || n_bytes == 0 || PART_CHUNK_BYTES < n_bytes {
        return Err(Status::invalid_argument(format!(
            "a chunk of {n_bytes} bytes after {n_before} bytes of a result, but all chunks but the \
             last have {PART_CHUNK_BYTES}"
        )));
    }
    Ok(())
}

fn shutting_down() -> Status {
    Status::unavailable("the coordinator is shutting down")
}

fn session_id(bytes: &[u8]) -> Result<SessionId, Status> {
    let session = SessionId::from_bytes(bytes);
    session.ok_or_else(|| Status::invalid_argument("a session's id has 16 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_a_result_are_whole_but_for_the_last() {
        const CHUNK: usize = PART_CHUNK_BYTES;
        for (n_before, n_bytes) in [(0, 1), (0, CHUNK), (CHUNK, CHUNK), (3 * CHUNK, CHUNK - 1)] {
            assert!(check_chunk(n_before, n_bytes).is_ok(), "{n_bytes} after {n_before}");
        }
        for (n_before, n_bytes) in [(0, 0), (CHUNK, 0), (1, 1), (CHUNK - 1, 1), (0, CHUNK + 1)] {
            let refused = check_chunk(n_before, n_bytes).unwrap_err();
            assert_eq!(refused.code(), tonic::Code::InvalidArgument, "{refused}");
        }
    }
}
