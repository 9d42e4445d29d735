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
use crate::executor::shared::{SharedInputError, SimulationKey};
use crate::ids::RunId;

/// How long the next piece of a blob may take: a piece is small, even for a slow line.
const CHUNK_DEADLINE: Duration = Duration::from_secs(20);

/// How long a blob is asked for again and again while the coordinator can't read it; then its jobs
/// are better off with another worker.
const FETCH_PATIENCE: Duration = Duration::from_secs(60);

/// The waits between two attempts: the first, and the longest.
const FIRST_RETRY: Duration = Duration::from_millis(200);
const LONGEST_RETRY: Duration = Duration::from_secs(5);

/// The fetch of a session that is in progress: one at a time, so that memory is bounded.
#[derive(Debug, Default)]
pub(crate) struct InputFetch {
    tasks: JoinSet<Result<Arc<dyn PreparedSimulation>, SharedInputError>>,
    /// The shared input that is being fetched, and for which run.
    wanted: Option<(SimulationKey, RunId)>,
}

/// A fetch that ended.
pub(crate) struct FetchedInput {
    pub(crate) id: SimulationKey,
    /// The run that it was fetched for.
    pub(crate) run: RunId,
    /// An error of the task means that the decoder panicked.
    pub(crate) outcome: Result<Result<Arc<dyn PreparedSimulation>, SharedInputError>, JoinError>,
}

impl InputFetch {
    /// Starts to fetch the shared input `id` of `run`, unless another fetch is in progress.
    pub(crate) fn start(
        &mut self,
        client: &WorkerPlaneClient<AuthChannel>,
        id: SimulationKey,
        run: RunId,
    ) {
        if self.wanted.is_none() {
            self.wanted = Some((id, run));
            self.tasks.spawn(fetch(client.clone(), run, id));
        }
    }

    /// Returns the fetch when it ends; `None` if there is none. Nothing is lost if the future is
    /// dropped.
    pub(crate) async fn next(&mut self) -> Option<FetchedInput> {
        let outcome = self.tasks.join_next().await?;
        let (id, run) = self.wanted.take()?;
        Some(FetchedInput { id, run, outcome })
    }
}

/// The bench `id` of `run`, its shared input fetched from the coordinator.
///
/// # Errors
/// If it can't be fetched or decoded; what may pass was tried for [`FETCH_PATIENCE`].
async fn fetch(
    mut client: WorkerPlaneClient<AuthChannel>,
    run: RunId,
    id: SimulationKey,
) -> Result<Arc<dyn PreparedSimulation>, SharedInputError> {
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
    client: &mut WorkerPlaneClient<AuthChannel>,
    run: RunId,
    hash: Digest,
) -> Result<Vec<u8>, SharedInputError> {
    let failed = |status: Status| SharedInputError::Fetch { hash, source: Box::new(status) };
    let late = |_| failed(Status::deadline_exceeded("it takes too long"));
    let request = GetBlobRequest { hash: hash.as_bytes().to_vec(), run: run.to_wire() };
    let answer = timeout(CHUNK_DEADLINE, client.get_blob(request)).await.map_err(late)?;
    let mut chunks = answer.map_err(failed)?.into_inner();
    let mut blob = Vec::new();
    loop {
        let chunk = timeout(CHUNK_DEADLINE, chunks.message()).await.map_err(late)?;
        let Some(chunk) = chunk.map_err(failed)? else { return Ok(blob) };
        blob.extend_from_slice(&chunk.data);
        if MAX_BLOB_BYTES < blob.len() {
            return Err(SharedInputError::Wrong { hash });
        }
    }
}
