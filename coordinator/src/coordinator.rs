//! A coordinator: its store, its dispatch, its events, and the runs that it leads.

use std::num::NonZeroU64;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hatchery_core::Catalog;
use hatchery_meters::CoordinatorMeters;
use hatchery_proto::v1::worker_plane_server::WorkerPlaneServer;
use hatchery_proto::{MAX_SESSION_MESSAGE_BYTES, PROTOCOL};
use hatchery_store::metered::MeteredStore;
use hatchery_store::operation::{
    CreateRun, QuarantineWorker, ReadDeadJobs, ReadPosition, ReadSecret, RetryJobs, SteerRun,
};
use hatchery_store::outage::{OutageLog, StoreOutage};
use hatchery_store::{CoordinatorId, RunId, RunState, SteerAction, Store, StoreError, WorkerId};
use prost::Message as _;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use crate::base::compute_pool::ComputePool;
use crate::base::context::{CoordinatorContext, StoreViews};
use crate::base::event::{Event, EventBus, StampedEvent, unix_ms};
use crate::base::opinions::OpinionsBy;
use crate::base::ticket::TicketIssuer;
use crate::dispatch::{self, DispatchHandle, DispatchMessage, DrainMode, RetryPolicy};
use crate::leader::open::OpenedRun;
use crate::leader::open::submission::Submission;
use crate::leader::{LeadError, RunOutcome};
use crate::run::large_value;
use crate::run::record::{CoordinatorAnnouncement, LiveProgress};
use crate::run::summary::RunSummary;
use crate::self_tests::{SelfTestPolicy, SelfTests};
use crate::service::{SessionIds, WorkerService};
use crate::supervisor::ScalingPolicy;
use crate::supervisor::{self, FarmView, RunIndex, RunTables, SupervisorCommand};

/// Jobs per million that are computed twice.
const AUDIT_PPM: u32 = 10_000;

/// The dead jobs that one call reads.
const DEAD_JOBS_PER_READ: usize = 256;

/// The settings of a coordinator.
#[derive(Clone, Debug)]
pub struct CoordinatorConfig {
    /// The URL at which workers and clients reach it; empty if it does not listen.
    pub endpoint: String,
    /// The number of failed attempts after which a job is dead.
    pub retry_policy: RetryPolicy,
    /// Jobs per million that two workers compute.
    pub audit_ppm: u32,
    /// The workers whose answers to a job count as one opinion in audits.
    pub opinions_by: OpinionsBy,
    /// The test that workers must pass before they get jobs.
    pub self_tests: SelfTestPolicy,
    /// Runs plans and folds.
    pub compute_pool: ComputePool,
    /// The id of this coordinator: unique in the farm, new at each start.
    pub incarnation: CoordinatorId,
    /// How many workers the farm should have.
    pub scaling: ScalingPolicy,
    /// The most trials in a job of runs that it leads; `None` for about a second of work per job.
    pub job_trials: Option<NonZeroU64>,
    /// Time without progress after which a job counts as hanging; `None` for the time that its run
    /// sets.
    pub stall: Option<Duration>,
    /// The clock that orders and dates new runs, in milliseconds since 1970.
    pub clock: fn() -> u64,
}

impl Default for CoordinatorConfig {
    fn default() -> Self {
        Self {
            endpoint: String::new(),
            retry_policy: RetryPolicy::default(),
            audit_ppm: AUDIT_PPM,
            opinions_by: OpinionsBy::default(),
            self_tests: SelfTestPolicy::default(),
            compute_pool: ComputePool::Threads,
            incarnation: CoordinatorId::generate(),
            scaling: ScalingPolicy::default(),
            job_trials: None,
            stall: None,
            clock: unix_ms,
        }
    }
}

/// A coordinator in this process. Clones are handles to the same coordinator.
#[derive(Clone, Debug)]
pub struct Coordinator {
    store: Store,
    context: CoordinatorContext,
    dispatch: DispatchHandle,
    endpoint: String,
    ids: Arc<SessionIds>,
    self_tests: SelfTests,
    farm: watch::Receiver<FarmView>,
    supervisor: mpsc::Sender<SupervisorCommand>,
    tables: RunTables,
    outages: Arc<OutageLog>,
}

impl Coordinator {
    /// Starts a coordinator over `store` for the experiments of `catalog`. The coordinator works
    /// until it is stopped.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn start(
        store: Store,
        catalog: Catalog,
        config: CoordinatorConfig,
    ) -> Result<Self, StoreError> {
        let CoordinatorConfig {
            endpoint,
            retry_policy,
            audit_ppm,
            opinions_by,
            self_tests: self_test_policy,
            compute_pool,
            incarnation,
            scaling,
            job_trials,
            stall,
            clock,
        } = config;
        let kinds = catalog.experiments().map(|experiment| experiment.name());
        let meters = CoordinatorMeters::new(kinds, env!("CARGO_PKG_VERSION"), PROTOCOL);
        let meters = Arc::new(meters);
        let outages = Arc::new(OutageLog::default());
        let store = MeteredStore::new(store, Arc::clone(&meters), Arc::clone(&outages));
        let store = Store::new(store);
        let self_tests = SelfTests::new(catalog, compute_pool);
        let settings = dispatch::DispatchSettings {
            consumer: incarnation,
            tickets: TicketIssuer::new(store.execute(ReadSecret).await?),
            catalog,
            self_tests: self_test_policy,
            retry_policy,
            audit_ppm,
            opinions_by,
            meters: Arc::clone(&meters),
        };
        let (slots_sender, slots) = watch::channel(0);
        let events = EventBus::new();
        let context = CoordinatorContext {
            store: StoreViews::new(store.clone()),
            catalog,
            compute_pool,
            incarnation,
            meters,
            events,
            slots,
            job_trials,
            stall,
            clock,
        };
        let (dispatch, workers) = dispatch::start(context.clone(), settings, self_tests.clone());
        let tables = RunTables::default();
        let settings = supervisor::SupervisorSettings { endpoint: endpoint.clone(), scaling };
        let (supervisor, farm) = supervisor::start(
            context.clone(),
            dispatch.clone(),
            settings,
            workers,
            slots_sender,
            tables.clone(),
        );
        let ids = Arc::new(SessionIds::new(incarnation));
        Ok(Self {
            store,
            context,
            dispatch,
            endpoint,
            ids,
            self_tests,
            farm,
            tables,
            outages,
            supervisor,
        })
    }

    /// Returns the store.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the views of the store.
    pub(crate) fn views(&self) -> &StoreViews {
        &self.context.store
    }

    /// Returns the experiments of this build.
    #[must_use]
    pub fn catalog(&self) -> Catalog {
        self.context.catalog
    }

    /// Returns the coordinators of the farm, as last announced.
    #[must_use]
    pub fn announced(&self) -> Vec<Arc<CoordinatorAnnouncement>> {
        self.farm.borrow().coordinators.clone()
    }

    /// Returns the farm as this coordinator sees it.
    pub(crate) fn farm(&self) -> FarmView {
        self.farm.borrow().clone()
    }

    /// Returns the place of an active run in the queue, 1 for the next one; `None` if it has a
    /// leader.
    #[must_use]
    pub fn queue_place(&self, run: RunId) -> Option<u64> {
        self.tables.queue.lock().unwrap_or_else(PoisonError::into_inner).place(run)
    }

    /// Returns the progress of a run: as the leader here reports it, or as another coordinator last
    /// announced it; `None` if no coordinator leads the run.
    pub(crate) fn progress(&self, run: RunId) -> Option<LiveProgress> {
        self.tables.led.progress(run).or_else(|| {
            let farm = self.farm.borrow();
            let led = farm.coordinators.iter().flat_map(|coordinator| &coordinator.led);
            let lead = led.into_iter().find(|lead| lead.run == run.to_bytes());
            lead.and_then(|lead| lead.progress)
        })
    }

    /// Returns the facts that lists of runs are filtered by.
    pub(crate) fn run_index(&self) -> &RunIndex {
        &self.tables.index
    }

    /// Returns the outage of the store, if some of its operations fail.
    pub fn store_outage(&self) -> Option<StoreOutage> {
        self.outages.current()
    }

    /// Returns whether the coordinator is running, its store answers, and the file of an embedded
    /// store can be written.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let fails = self.store_outage().is_some_and(|outage| outage.is_of_file());
        self.is_running() && self.farm.borrow().store_answers && !fails
    }

    /// Returns whether the coordinator is running; false also if the file of an embedded store has
    /// failed for five minutes, because a new process may do better.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.is_running() && !self.store_outage().is_some_and(|outage| outage.is_fatal())
    }

    fn is_running(&self) -> bool {
        !self.dispatch.is_closed() && !self.supervisor.is_closed()
    }

    /// Returns its meters.
    #[must_use]
    pub fn meters(&self) -> &CoordinatorMeters {
        &self.context.meters
    }

    /// Returns the number of workers that the farm should have.
    #[must_use]
    pub fn desired_workers(&self) -> u32 {
        self.farm.borrow().desired_workers
    }

    /// Returns the time by this coordinator's clock, in milliseconds since 1970.
    pub(crate) fn unix_ms(&self) -> u64 {
        (self.context.clock)()
    }

    /// Returns the pool that runs plans and folds.
    pub(crate) fn compute_pool(&self) -> ComputePool {
        self.context.compute_pool
    }

    /// Returns the events from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<StampedEvent> {
        self.context.events.subscribe()
    }

    /// Returns the gRPC service for workers.
    #[must_use]
    pub fn worker_service(&self) -> WorkerPlaneServer<WorkerService> {
        let service = WorkerService::new(
            self.context.store.clone(),
            self.dispatch.sender(),
            self.self_tests.clone(),
            Arc::clone(&self.ids),
            Arc::clone(&self.context.meters),
        );
        WorkerPlaneServer::new(service).max_decoding_message_size(MAX_SESSION_MESSAGE_BYTES)
    }

    /// Creates the run `run` and has it led at once. Returns whether the run is new. An existing
    /// run stays unchanged; if it was missing from the list of runs, it is listed again.
    ///
    /// # Errors
    /// If the store cannot be written. Then the run may exist or not, and creating it again does no
    /// harm.
    pub async fn submit(&self, run: RunId, submission: Submission) -> Result<bool, StoreError> {
        let (record, checkpoint, parts, first) = submission.split(self.unix_ms());
        let (bytes, digest) = (record.encode_to_vec(), checkpoint.digest.clone());
        let checkpoint = checkpoint.encode_to_vec();
        let header = record.clone();
        let store = self.context.store.control();
        let opened = OpenedRun::find(store, self.context.catalog, run, record).await;
        let generations = opened.as_ref().map_or(0, |opened| opened.procedure.generations());
        let summary = RunSummary::new(&header, generations, &digest).encode_to_vec();
        let parts = match large_value::write_large(store, run, parts).await {
            // The run is there already, and has ended.
            Err(StoreError::OutOfStep { .. }) => Vec::new(),
            parts => parts?,
        };
        let create = CreateRun { run, record: bytes, checkpoint, summary, parts };
        let is_new = store.execute(create).await?;
        match opened {
            Ok(opened) if is_new => {
                let created = Box::new(OpenedRun { first, ..opened });
                self.command(SupervisorCommand::Created(created)).await;
            }
            // It is read from the store, with what other coordinators made of it.
            _ => self.reconcile(run).await,
        }
        Ok(is_new)
    }

    /// Pauses, resumes or cancels a run, and returns its new state. Resuming a run retries its dead
    /// jobs.
    ///
    /// # Errors
    /// If the run does not exist or the store fails.
    pub async fn steer(&self, run: RunId, steer: SteerAction) -> Result<RunState, StoreError> {
        let before = self.context.store.control().execute(ReadPosition { run }).await?.state;
        if steer == SteerAction::Resume {
            self.retry(run, None).await?;
        }
        let after = self.context.store.control().execute(SteerRun { run, steer }).await?;
        if before != after {
            let reason = "a person asked for it".to_owned();
            self.context
                .keep(
                    run,
                    match steer {
                        SteerAction::Pause => Event::RunPaused { reason, trial: None },
                        SteerAction::Resume => Event::RunResumed,
                        SteerAction::Cancel => Event::RunCancelled,
                    },
                )
                .await?;
        }
        self.reconcile(run).await;
        Ok(after)
    }

    /// Retries the dead jobs with the given indices, or all dead jobs; returns their number.
    ///
    /// # Errors
    /// If the run does not exist or the store fails.
    pub async fn retry(&self, run: RunId, indices: Option<&[u64]>) -> Result<u64, StoreError> {
        let (mut from, mut n_jobs) = (0, 0);
        loop {
            let most = DEAD_JOBS_PER_READ;
            let parked =
                self.context.store.control().execute(ReadDeadJobs { run, from, most }).await?;
            let Some(last) = parked.last() else { break };
            from = last.job.index + 1;
            let jobs = parked.iter().map(|parked| parked.job);
            let wanted = jobs.filter(|job| indices.is_none_or(|i| i.contains(&job.index)));
            let jobs = wanted.collect();
            n_jobs += self.context.store.control().execute(RetryJobs { run, jobs }).await?;
        }
        self.dispatch.tell(DispatchMessage::Ready(run)).await;
        Ok(n_jobs)
    }

    /// Leads every run of the store that no other coordinator leads, from now on.
    pub async fn serve_all(&self) {
        self.command(SupervisorCommand::ServeAll).await;
    }

    /// Leads runs as [`serve_all`](Self::serve_all) does, and returns how `run` has ended. One
    /// caller at a time can wait for a run.
    ///
    /// # Errors
    /// If `run` cannot be led here: the run is unknown, its experiment has another version, or the
    /// store fails. Then this coordinator stops leading the run.
    ///
    /// # Panics
    /// If the leader of the run panicked.
    pub async fn serve_until_ended(&self, run: RunId) -> Result<RunOutcome, LeadError> {
        let (waiter, ended) = oneshot::channel();
        self.command(SupervisorCommand::Await(run, waiter)).await;
        self.serve_all().await;
        ended.await.expect("the supervisor answers, unless the leader panicked")
    }

    /// Stops leading runs, until [`serve_all`](Self::serve_all) is called again.
    pub async fn give_up(&self) {
        let (done, given_up) = oneshot::channel();
        self.command(SupervisorCommand::GiveUp(done)).await;
        given_up.await.unwrap_or_default();
    }

    /// Forgets a run, as if the run were not in the store. Resolves when nothing here works on it.
    pub async fn forget(&self, run: RunId) {
        let (done, forgotten) = oneshot::channel();
        self.command(SupervisorCommand::Forget(run, done)).await;
        // It is dropped when the run is forgotten, and when the supervisor has ended.
        forgotten.await.unwrap_or_default();
    }

    /// Asks all workers to finish their jobs and to end; resolves when the workers have left.
    pub async fn drain(&self) {
        self.dispatch.drain(DrainMode::End).await;
    }

    /// Drains a worker: it finishes its jobs and ends. Returns whether the worker is connected
    /// here.
    pub(crate) async fn drain_worker(&self, worker: WorkerId) -> bool {
        let (found, is_here) = oneshot::channel();
        self.dispatch.tell(DispatchMessage::DrainWorker(worker, found)).await;
        is_here.await.unwrap_or_default()
    }

    /// Quarantines a worker in the whole farm: its results are invalidated and computed again.
    pub(crate) async fn quarantine_worker(
        &self,
        worker: WorkerId,
        reason: String,
    ) -> Result<(), StoreError> {
        let quarantine = QuarantineWorker { worker, reason: reason.clone() };
        self.context.store.control().execute(quarantine).await?;
        let out = vec![(worker, reason)];
        self.dispatch.tell(DispatchMessage::Quarantined(out)).await;
        Ok(())
    }

    /// Gives up all leads, sends all workers to other coordinators, and leaves nothing behind that
    /// another coordinator would have to wait for.
    pub async fn stop(&self) {
        self.give_up().await;
        let endpoints = self.announced().into_iter().map(|other| other.endpoint.clone());
        let others =
            endpoints.filter(|endpoint| !endpoint.is_empty() && *endpoint != self.endpoint);
        self.dispatch.drain(DrainMode::Elsewhere(others.collect())).await;
        let (done, stopped) = oneshot::channel();
        self.command(SupervisorCommand::Withdraw(done)).await;
        stopped.await.unwrap_or_default();
    }

    async fn command(&self, command: SupervisorCommand) {
        // The supervisor may have ended.
        self.supervisor.send(command).await.unwrap_or(());
    }

    /// Has the supervisor reconcile a run at once.
    async fn reconcile(&self, run: RunId) {
        self.command(SupervisorCommand::Reconcile(run)).await;
    }

    /// Returns the runs that end at this coordinator from now on, each once its last event is
    /// stored.
    pub(crate) fn ends(&self) -> broadcast::Receiver<RunId> {
        self.context.events.ends()
    }
}
