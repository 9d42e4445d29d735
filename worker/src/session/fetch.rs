//! The fetch of shared inputs and parts from the coordinator of a session.

use std::time::Duration;

use hatchery_core::Part;
use hatchery_proto::PART_CHUNK_BYTES;
use hatchery_proto::v1::GetPartRequest;
use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep, timeout};
use tonic::Status;

use super::dial::SessionCalls;
use crate::config::ExecutionMode;
use crate::executor::shared::InputError;
use crate::ids::RunId;
use crate::input::{InputKey, PartialInput, ReadyInput};

/// The longest wait for the next chunk: other lines have their turns before it.
const CHUNK_DEADLINE: Duration = Duration::from_secs(120);

/// The time for which a fetch is repeated while the coordinator cannot read the part. After it the
/// jobs are better off with another worker.
const RETRY_DEADLINE: Duration = Duration::from_secs(60);

/// The first and the longest wait between two attempts.
pub(super) const FIRST_WAIT: Duration = Duration::from_millis(200);
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The fetch of a session that is in progress: one at a time, so that memory is bounded.
#[derive(Debug, Default)]
pub(crate) struct InputFetch {
    tasks: JoinSet<Result<ReadyInput, InputError>>,
    /// The input that is being fetched, and the run that needs it.
    wanted: Option<(InputKey, RunId)>,
}

/// A fetch that ended.
pub(crate) struct FetchedInput {
    pub(crate) key: InputKey,
    /// The run that needs it.
    pub(crate) run: RunId,
    /// A `JoinError` means that the decoder panicked.
    pub(crate) outcome: Result<Result<ReadyInput, InputError>, JoinError>,
}

impl InputFetch {
    /// Starts to fetch `key` for `run`, unless another fetch is in progress.
    pub(crate) fn start(
        &mut self,
        calls: &SessionCalls,
        key: InputKey,
        run: RunId,
        execution: ExecutionMode,
        partial: &PartialInput,
    ) {
        if self.wanted.is_none() {
            self.wanted = Some((key, run));
            self.tasks.spawn(fetch(calls.clone(), key, run, execution, partial.clone()));
        }
    }

    /// Aborts the fetch in progress if `is_needed` does not hold for its input and run: other
    /// fetches wait.
    pub(crate) fn abort_unless(&mut self, is_needed: impl FnOnce(InputKey, RunId) -> bool) {
        if let Some((key, run)) = self.wanted
            && !is_needed(key, run)
        {
            *self = Self::default();
        }
    }

    /// Waits for the fetch to end; `None` if there is none. Nothing is lost if the future is
    /// dropped.
    pub(crate) async fn next(&mut self) -> Option<FetchedInput> {
        let outcome = self.tasks.join_next().await?;
        let (key, run) = self.wanted.take()?;
        Some(FetchedInput { key, run, outcome })
    }
}

/// Fetches an input from the coordinator and makes it ready.
///
/// # Errors
/// If the input cannot be fetched or decoded. A transient error is returned only after
/// [`RETRY_DEADLINE`].
async fn fetch(
    mut calls: SessionCalls,
    key: InputKey,
    run: RunId,
    execution: ExecutionMode,
    partial: PartialInput,
) -> Result<ReadyInput, InputError> {
    let give_up = Instant::now() + RETRY_DEADLINE;
    let mut wait = FIRST_WAIT;
    loop {
        let mut download = Download::resume(key, partial.clone());
        let error = match download.run(&mut calls, run).await {
            Ok(()) => return ready(key, download.into_bytes(), execution).await,
            Err(error) => error,
        };
        if !error.is_transient() || give_up < Instant::now() + wait {
            return Err(error);
        }
        drop(download);
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Checks and decodes an input.
async fn ready(
    key: InputKey,
    bytes: Vec<u8>,
    execution: ExecutionMode,
) -> Result<ReadyInput, InputError> {
    let ready = move || match key {
        InputKey::Shared(key) => Ok(ReadyInput::Simulation(key, key.prepare(&bytes)?)),
        InputKey::Part(part) if Part::of(&bytes) == part => {
            Ok(ReadyInput::Part(part, bytes.into()))
        }
        InputKey::Part(part) => Err(InputError::WrongBytes { hash: part.hash() }),
    };
    match execution {
        // Another thread would take real time, which differs from one simulation to the next.
        ExecutionMode::Inline { .. } => ready(),
        // Hashing and decoding may take long, and the session goes on meanwhile.
        ExecutionMode::Threads => match spawn_blocking(ready).await {
            Ok(ready) => ready,
            // The task is cancelled only together with this one.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        },
    }
}

/// An input while it comes in. If it is dropped before its end, its whole chunks are kept.
struct Download {
    key: InputKey,
    bytes: Vec<u8>,
    partial: PartialInput,
}

impl Download {
    /// Continues where the last fetch of this input was cut off.
    fn resume(key: InputKey, partial: PartialInput) -> Self {
        Self { key, bytes: partial.take(key.hash()), partial }
    }

    /// Asks the coordinator for the chunks that are missing, and takes them.
    async fn run(
        &mut self,
        SessionCalls { client, session }: &mut SessionCalls,
        run: RunId,
    ) -> Result<(), InputError> {
        let hash = self.key.hash();
        let failed = |status: Status| InputError::NotSent { hash, source: Box::new(status) };
        let late = |_| failed(Status::deadline_exceeded("no answer in time"));
        let first_chunk = u32::try_from(self.bytes.len() / PART_CHUNK_BYTES).unwrap_or(u32::MAX);
        let (hash_bytes, run) = (hash.as_bytes().to_vec(), run.to_wire());
        let session = session.clone();
        let request = GetPartRequest { hash: hash_bytes, run, first_chunk, session };
        let answer = timeout(CHUNK_DEADLINE, client.get_part(request)).await.map_err(late)?;
        let mut chunks = answer.map_err(failed)?.into_inner();
        loop {
            let chunk = timeout(CHUNK_DEADLINE, chunks.message()).await.map_err(late)?;
            let Some(chunk) = chunk.map_err(failed)? else { return Ok(()) };
            // Every chunk but the last is whole, and none is beyond the length that was named.
            let is_short = !self.bytes.len().is_multiple_of(PART_CHUNK_BYTES);
            let n_bytes = self.bytes.len() + chunk.data.len();
            if is_short || PART_CHUNK_BYTES < chunk.data.len() || self.key.max_bytes() < n_bytes {
                self.bytes.clear();
                return Err(InputError::WrongBytes { hash });
            }
            self.bytes.extend_from_slice(&chunk.data);
        }
    }

    /// Returns the bytes of the whole input.
    fn into_bytes(mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.truncate(bytes.len() / PART_CHUNK_BYTES * PART_CHUNK_BYTES);
        if !bytes.is_empty() {
            self.partial.keep(self.key.hash(), bytes);
        }
    }
}
