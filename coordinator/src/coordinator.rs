//! A coordinator: its store, its dispatch, its events, and the runs that it leads.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use hatchery_core::erased::Procedure;
use hatchery_core::{Catalog, Digest, Refusal, RunSeed};
use hatchery_proto::MAX_SESSION_MESSAGE_BYTES;
use hatchery_proto::v1::worker_plane_server::WorkerPlaneServer;
use prost::Message;
use tokio::sync::{broadcast, mpsc};

use crate::dispatch;
use crate::driver::{self, DriveError, Ended};
use crate::event::{Event, Stamped};
use crate::record::{Checkpoint, RunRecord};
use crate::service::WorkerService;
use crate::store::{RunId, Store, StoreError};

/// How many events a slow watcher may lag behind before it misses some.
const EVENTS_KEPT: usize = 4096;

/// A coordinator in this process. Clones are the same coordinator.
#[derive(Clone, Debug)]
pub struct Coordinator {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    pub(crate) dispatch: mpsc::Sender<dispatch::Message>,
    events: broadcast::Sender<Stamped>,
}

/// A run to be made.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The experiment's name.
    pub experiment: String,
    /// The experiment's version.
    pub version: u32,
    /// The spec's seed.
    pub seed: u64,
    /// The spec as it was given.
    pub spec: String,
    /// A name for people.
    pub name: String,
}

/// Why a run was not made.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The parameters contradict each other.
    #[error("the parameters are refused")]
    Refused(#[from] Refusal),
    /// The store did not take it.
    #[error("the run was not stored")]
    Store(#[from] StoreError),
}

impl Coordinator {
    /// Starts a coordinator over `store` for the experiments of `catalog`. It ends when its last
    /// clone and its last session are gone.
    #[must_use]
    pub fn start(store: Arc<dyn Store>, catalog: Catalog) -> Self {
        let (events, _) = broadcast::channel(EVENTS_KEPT);
        let dispatch = dispatch::start(Arc::clone(&store), events.clone());
        Self { store, catalog, dispatch, events }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// What happens from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Stamped> {
        self.events.subscribe()
    }

    /// The service for workers.
    #[must_use]
    pub fn worker_service(&self) -> WorkerPlaneServer<WorkerService> {
        let service = WorkerService::new(Arc::clone(&self.store), self.dispatch.clone());
        WorkerPlaneServer::new(service).max_decoding_message_size(MAX_SESSION_MESSAGE_BYTES)
    }

    /// Makes the run `run` of `procedure`; a run of that id that exists already is left alone.
    ///
    /// # Errors
    /// If the parameters contradict each other or the store can't be written.
    pub async fn submit(
        &self,
        run: RunId,
        submission: Submission,
        procedure: &dyn Procedure,
    ) -> Result<(), SubmitError> {
        let Submission { experiment, version, seed, spec, name } = submission;
        let state = procedure.begin(&RunSeed::new(&experiment, seed).generation(0))?;
        let params = procedure.canonical_params();
        let digest = Digest::begin(&experiment, version, seed, &params, &state);
        let checkpoint =
            Checkpoint { state, digest: digest.as_bytes().to_vec(), ..Checkpoint::default() };
        let record = RunRecord { experiment, version, seed, params, spec, name };
        self.store.create(run, &record.encode_to_vec(), &checkpoint.encode_to_vec()).await?;
        Ok(())
    }

    /// Leads `run` until it ends; a failed or cancelled run is taken up again.
    ///
    /// # Errors
    /// If the run can't be led: it is unknown, of another version, or the store fails.
    pub async fn drive(&self, run: RunId) -> Result<Ended, DriveError> {
        driver::drive(self, run).await
    }

    /// Asks all workers to finish what they run and to leave; resolves when they have left.
    pub async fn drain(&self) {
        let (done, drained) = tokio::sync::oneshot::channel();
        if self.dispatch.send(dispatch::Message::Drain(done)).await.is_ok() {
            // An error means that dispatch is gone, and with it all sessions.
            drained.await.unwrap_or_default();
        }
    }

    pub(crate) fn publish(&self, event: Event) -> Stamped {
        publish(&self.events, event)
    }
}

pub(crate) fn publish(events: &broadcast::Sender<Stamped>, event: Event) -> Stamped {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let unix_ms = u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX);
    let stamped = Stamped { unix_ms, event };
    // Nobody has to watch.
    events.send(stamped.clone()).unwrap_or_default();
    stamped
}
