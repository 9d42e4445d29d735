//! The fetch of shared inputs from the coordinator of a session.

use std::sync::Arc;
use std::time::Duration;

use hatchery_core::Digest;
use hatchery_core::erased::PreparedSimulation;
use hatchery_proto::MAX_BLOB_BYTES;
use hatchery_proto::v1::GetBlobRequest;
use hatchery_proto::v1::worker_plane_client::WorkerPlaneClient;
use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep, timeout};
use tonic::Status;

use super::dial::AuthChannel;
use crate::config::ExecutionMode;
use crate::executor::shared::{SharedInputError, SimulationKey};
use crate::ids::RunId;

/// The longest wait for the next chunk of a blob: a chunk is small, even for a slow line.
const CHUNK_DEADLINE: Duration = Duration::from_secs(20);

/// The time for which a fetch is repeated while the coordinator cannot read the blob. After it the
/// jobs are better off with another worker.
const RETRY_DEADLINE: Duration = Duration::from_secs(60);

/// The first and the longest wait between two attempts.
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The fetch of a session that is in progress: one at a time, so that memory is bounded.
#[derive(Debug, Default)]
pub(crate) struct InputFetch {
    tasks: JoinSet<Result<Arc<dyn PreparedSimulation>, SharedInputError>>,
    /// The simulation whose shared input is being fetched, and the run that needs it.
    wanted: Option<(SimulationKey, RunId)>,
}

/// A fetch that ended.
pub(crate) struct FetchedInput {
    pub(crate) key: SimulationKey,
    /// The run that needs it.
    pub(crate) run: RunId,
    /// A `JoinError` means that the decoder panicked.
    pub(crate) outcome: Result<Result<Arc<dyn PreparedSimulation>, SharedInputError>, JoinError>,
}

impl InputFetch {
    /// Starts to fetch the shared input of `key` for `run`, unless another fetch is in progress.
    pub(crate) fn start(
        &mut self,
        client: &WorkerPlaneClient<AuthChannel>,
        key: SimulationKey,
        run: RunId,
        execution: ExecutionMode,
    ) {
        if self.wanted.is_none() {
            self.wanted = Some((key, run));
            self.tasks.spawn(fetch(client.clone(), key, run, execution));
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

/// Fetches the shared input of `key` from the coordinator and prepares the simulation.
///
/// # Errors
/// If the input cannot be fetched or decoded. A transient error is returned only after
/// [`RETRY_DEADLINE`].
async fn fetch(
    mut client: WorkerPlaneClient<AuthChannel>,
    key: SimulationKey,
    run: RunId,
    execution: ExecutionMode,
) -> Result<Arc<dyn PreparedSimulation>, SharedInputError> {
    let give_up = Instant::now() + RETRY_DEADLINE;
    let mut wait = FIRST_WAIT;
    loop {
        let error = match fetch_once(&mut client, key.hash, run).await {
            Ok(blob) => return prepare(key, blob, execution).await,
            Err(error) => error,
        };
        if !error.is_transient() || give_up < Instant::now() + wait {
            return Err(error);
        }
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Decodes the shared input.
async fn prepare(
    key: SimulationKey,
    blob: Vec<u8>,
    execution: ExecutionMode,
) -> Result<Arc<dyn PreparedSimulation>, SharedInputError> {
    match execution {
        // Another thread would take real time, which differs from one simulation to the next.
        ExecutionMode::Inline { .. } => key.prepare(&blob),
        // Decoding may take long, and the session goes on meanwhile.
        ExecutionMode::Threads => match spawn_blocking(move || key.prepare(&blob)).await {
            Ok(prepared) => prepared,
            // The task is cancelled only together with this one.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        },
    }
}

async fn fetch_once(
    client: &mut WorkerPlaneClient<AuthChannel>,
    hash: Digest,
    run: RunId,
) -> Result<Vec<u8>, SharedInputError> {
    let failed = |status: Status| SharedInputError::NotSent { hash, source: Box::new(status) };
    let late = |_| failed(Status::deadline_exceeded("no answer in time"));
    let request = GetBlobRequest { hash: hash.as_bytes().to_vec(), run: run.to_wire() };
    let answer = timeout(CHUNK_DEADLINE, client.get_blob(request)).await.map_err(late)?;
    let mut chunks = answer.map_err(failed)?.into_inner();
    let mut blob = Vec::new();
    loop {
        let chunk = timeout(CHUNK_DEADLINE, chunks.message()).await.map_err(late)?;
        let Some(chunk) = chunk.map_err(failed)? else { return Ok(blob) };
        blob.extend_from_slice(&chunk.data);
        if MAX_BLOB_BYTES < blob.len() {
            return Err(SharedInputError::WrongBytes { hash });
        }
    }
}
