//! Supervises runs. The supervisor leads as many active runs as can get slots, in the order of the
//! [queue](run_queue). It also opens runs that another coordinator leads, so that this
//! coordinator's workers can get jobs of these runs.
//!
//! The store notifies changes, and coordinators announce the runs that they lead, so waiting and
//! resting runs need no calls. Slow sweeps find the changes of lost notifications.
//!
//! Coordinators find each other through the store's [membership](hatchery_store::membership). Each
//! coordinator renews its presence and its claims on runs; without renewal, both expire. A claim
//! decides which coordinator does the work; the fences in the store decide which coordinator may
//! write.

mod announcing;
mod leading;
mod led_runs;
mod members;
mod needs;
mod queued;
mod run_entry;
mod run_index;
mod run_queue;
mod scaling;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hatchery_meters::labels;
use hatchery_store::membership::StoreChange;
use hatchery_store::operation::{ListQuarantined, ListRuns, ReadOverviews, ReadSecret};
use hatchery_store::{RunId, RunOverview, RunState, StoreError};
use prost::Message as _;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::base::context::CoordinatorContext;
use crate::dispatch::{DispatchHandle, DispatchMessage, WorkerSummary};
use crate::leader::open::{OpenError, OpenedRun};
use crate::leader::{self, LeadError, RunOutcome};
use crate::run::summary::RunSummary;

use members::RENEW_EVERY;
use members::presence::{Presence, TICK};
use run_entry::{RunActivity, RunEntry, RunWaiter};

pub(crate) use led_runs::LedRuns;
pub(crate) use members::presence::FarmView;
pub(crate) use run_entry::state_label;
pub(crate) use run_index::{RunFilter, RunIndex};
pub(crate) use run_queue::RunQueue;
pub use scaling::ScalingPolicy;

/// The least interval between announcements of the progress of runs. A status is at most two such
/// intervals behind: the leader's coordinator announces once per interval, and other coordinators
/// read once per interval.
const REPORT_EVERY: Duration = Duration::from_millis(900);

/// The least interval at which a run is reconciled. Notified changes are handled sooner.
const REST: Duration = Duration::from_secs(5);

/// The most new and the most resting runs that are reconciled at a tick. With this limit, presence
/// and claims are renewed in time and the store is not busy, however many runs there are.
const NEW_PER_TICK: usize = 256;
const RESTING_PER_TICK: usize = 4;

/// The most commands that wait for the supervisor.
const COMMANDS: usize = 16;

/// A command to the supervisor.
#[derive(Debug)]
pub(crate) enum SupervisorCommand {
    /// Lead every run that no other coordinator leads.
    ServeAll,
    /// Reconcile a run now.
    Reconcile(RunId),
    /// Open and lead a run that was created just now: nothing about the run needs to be read.
    Created(Box<OpenedRun>),
    /// Answer when a run has ended, or when leading it has failed.
    Await(RunId, RunWaiter),
    /// Forget a run; drop the sender when done.
    Forget(RunId, oneshot::Sender<()>),
    /// Stop leading runs; answer when done.
    GiveUp(oneshot::Sender<()>),
    /// Release all jobs, withdraw the presence, and end; answer when done.
    Withdraw(oneshot::Sender<()>),
}

/// The settings of the supervisor.
#[derive(Debug)]
pub(crate) struct SupervisorSettings {
    /// The URL at which workers and clients reach the coordinator; empty if it does not listen.
    pub(crate) endpoint: String,
    /// The scaling policy of the farm.
    pub(crate) scaling: ScalingPolicy,
}

/// The supervisor's tables of runs, which answer people's requests. Clones are handles to the same
/// tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunTables {
    /// The active runs and their order.
    pub(crate) queue: Arc<Mutex<RunQueue>>,
    /// The runs that are led here.
    pub(crate) led: LedRuns,
    /// The facts that filter lists of runs.
    pub(crate) index: RunIndex,
}

/// Starts a supervisor, which publishes the slots of the farm on `slots` and works until it is told
/// to withdraw. Returns the sender of its commands and its view of the farm.
pub(crate) fn start(
    context: CoordinatorContext,
    dispatch: DispatchHandle,
    settings: SupervisorSettings,
    workers: watch::Receiver<WorkerSummary>,
    slots: watch::Sender<u32>,
    tables: RunTables,
) -> (mpsc::Sender<SupervisorCommand>, watch::Receiver<FarmView>) {
    let (view, farm) = watch::channel(FarmView::default());
    let (send, commands) = mpsc::channel(COMMANDS);
    let SupervisorSettings { endpoint, scaling } = settings;
    let presence = Presence::new(context.clone(), endpoint, workers, view, slots);
    let supervisor = Supervisor {
        context,
        dispatch,
        presence,
        scaling,
        serving: false,
        runs: BTreeMap::new(),
        tables,
        led_elsewhere: BTreeSet::new(),
        leaders: JoinSet::new(),
        renewed: None,
        announced: None,
        listed: None,
    };
    tokio::spawn(supervisor.run(commands));
    (send, farm)
}

struct Supervisor {
    context: CoordinatorContext,
    dispatch: DispatchHandle,
    presence: Presence,
    scaling: ScalingPolicy,
    /// Whether it opens and leads runs.
    serving: bool,
    runs: BTreeMap<RunId, RunEntry>,
    tables: RunTables,
    /// The runs that other coordinators lead.
    led_elsewhere: BTreeSet<RunId>,
    leaders: JoinSet<Result<RunOutcome, LeadError>>,
    renewed: Option<Instant>,
    /// The time of the last announcement.
    announced: Option<Instant>,
    /// The time at which the runs of the store were last listed.
    listed: Option<Instant>,
}

impl Supervisor {
    async fn run(mut self, mut commands: mpsc::Receiver<SupervisorCommand>) {
        let mut changes = self.context.store.supervisor().changes();
        let mut subscribed = true;
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                // In a fixed order, so that a simulation can be repeated; frequent changes come
                // last.
                biased;
                _ = ticks.tick() => {
                    self.reconcile_all().await;
                    self.admit().await;
                    self.report().await;
                    self.measure();
                }
                // The work goes on when no handle is left to send commands.
                Some(command) = commands.recv() => match command {
                    SupervisorCommand::ServeAll => {
                        self.serving = true;
                        self.presence.stay();
                        self.reconcile_all().await;
                        self.admit().await;
                    }
                    SupervisorCommand::Reconcile(run) => {
                        self.reconcile_now(run).await;
                        self.admit().await;
                    }
                    SupervisorCommand::Created(opened) => self.created(*opened).await,
                    SupervisorCommand::Await(run, waiter) => {
                        let entry = self.runs.entry(run).or_default();
                        (entry.refused, entry.waiter) = (false, Some(waiter));
                        self.reconcile_now(run).await;
                    }
                    // Its caller sees that the sender is dropped.
                    SupervisorCommand::Forget(run, _done) => self.forget(run).await,
                    SupervisorCommand::GiveUp(done) => {
                        self.give_up().await;
                        done.send(()).unwrap_or(());
                    }
                    SupervisorCommand::Withdraw(done) => {
                        self.withdraw().await;
                        return done.send(()).unwrap_or(());
                    }
                },
                has_changed = self.presence.workers_changed() => {
                    if !has_changed {
                        return;
                    }
                    self.announce().await;
                }
                Some(ended) = self.leaders.join_next_with_id() => match ended {
                    Ok((task, ended)) => {
                        self.leader_ended(task, ended).await;
                        self.admit().await;
                    }
                    Err(error) if error.is_panic() => self.leader_panicked(&error).await,
                    // It was told to withdraw.
                    Err(_) => {}
                },
                change = changes.recv(), if subscribed => match change {
                    Ok(change) => self.handle_change(change).await,
                    Err(RecvError::Lagged(_)) => self.handle_change(StoreChange::Missed).await,
                    // A store without notifications: the ticks suffice.
                    Err(RecvError::Closed) => subscribed = false,
                },
            }
        }
    }

    async fn handle_change(&mut self, change: StoreChange) {
        match change {
            StoreChange::Ready(run) => {
                self.open_ready(run).await;
                self.dispatch.tell(DispatchMessage::Ready(run)).await;
            }
            StoreChange::Results(run) => {
                self.dispatch.tell(DispatchMessage::ResultsStored(run)).await;
            }
            StoreChange::State(run) => {
                self.reconcile_now(run).await;
                self.admit().await;
            }
            StoreChange::Missed => {
                (self.renewed, self.listed) = (None, None);
                self.reconcile_all().await;
            }
        }
    }

    async fn reconcile_all(&mut self) {
        let now = Instant::now();
        if self.renewed.is_none_or(|at| RENEW_EVERY <= now - at) {
            self.renewed = Some(now);
            if let Err(error) = self.renew().await {
                return self.presence.store_failed(&error);
            }
            self.measure_store().await;
        }
        if !self.serving {
            return;
        }
        let worked = self.due(RunActivity::Worked, usize::MAX, now);
        let new = self.due(RunActivity::New, NEW_PER_TICK, now);
        let resting = self.due(RunActivity::Resting, RESTING_PER_TICK, now);
        let due = [worked, new, resting].concat();
        let overviews = match due.is_empty() {
            true => Vec::new(),
            false => match self
                .context
                .store
                .supervisor()
                .execute(ReadOverviews { runs: due.clone() })
                .await
            {
                Ok(overviews) => overviews,
                Err(error) => return self.presence.store_failed(&error),
            },
        };
        for (run, overview) in due.into_iter().zip(overviews) {
            if let Err(error) = self.reconcile_with(run, overview).await
                && !self.reconcile_failed(run, error).await
            {
                return;
            }
        }
    }

    /// Renews the presence and the claims of this coordinator, and reads the data that changes
    /// without a notification.
    async fn renew(&mut self) -> Result<(), StoreError> {
        self.announce().await;
        let quarantined = self.context.store.supervisor().execute(ListQuarantined).await?;
        if !quarantined.is_empty() {
            self.dispatch.tell(DispatchMessage::Quarantined(quarantined)).await;
        }
        self.dispatch
            .tell(DispatchMessage::Secret(
                self.context.store.supervisor().execute(ReadSecret).await?,
            ))
            .await;
        if !self.serving {
            return Ok(());
        }
        if self.listed.is_none_or(|at| REST <= at.elapsed()) {
            self.listed = Some(Instant::now());
            let listed = self.context.store.supervisor().execute(ListRuns).await?;
            if listed.len() < self.runs.len() {
                self.find_deleted(&listed);
            }
            for run in listed {
                self.runs.entry(run).or_default();
            }
        }
        self.renew_claims(Instant::now()).await
    }

    /// Schedules runs that are not listed any more for reconciliation.
    fn find_deleted(&mut self, listed: &[RunId]) {
        let listed: BTreeSet<_> = listed.iter().collect();
        let gone = self.runs.iter_mut().filter(|(run, _)| !listed.contains(run));
        for (_, entry) in gone {
            (entry.activity, entry.next) = (RunActivity::New, None);
        }
    }

    /// Returns at most `most` due runs with that activity; the runs that wait longest come first.
    fn due(&self, activity: RunActivity, most: usize, now: Instant) -> Vec<RunId> {
        let is_due = |run: &RunEntry| run.next.is_none_or(|next| next <= now);
        let due = self.runs.iter().filter(|(_, run)| run.activity == activity && is_due(run));
        let mut due: Vec<_> = due.map(|(&id, run)| (run.next, id)).collect();
        due.sort_unstable();
        due.truncate(most);
        due.into_iter().map(|(_, id)| id).collect()
    }

    async fn reconcile_now(&mut self, run: RunId) {
        if self.serving {
            self.runs.entry(run).or_default().next = None;
            if let Err(error) = self.reconcile(run).await {
                self.reconcile_failed(run, error).await;
            }
        }
    }

    /// Takes on a run that was just created. If the run gets a leader at once, this coordinator
    /// leads it without waiting for the claim. No other coordinator has heard of the run yet; if
    /// one was faster all the same, it wins by its own claim.
    async fn created(&mut self, opened: OpenedRun) {
        if !self.serving {
            return;
        }
        let run = opened.run;
        let entry = self.runs.entry(run).or_default();
        entry.state = Some(labels::RunState::Active);
        (entry.activity, entry.next) = (RunActivity::Resting, Some(Instant::now() + REST));
        self.tables.index.set_state(run, labels::RunState::Active);
        self.tables.index.set_origin(run, &opened.record);
        self.enqueue(run, &opened.record);
        if self.next_to_lead() != Some(run) {
            return;
        }
        self.open_as(opened).await;
        self.start_leader(run);
        if let Err(error) = self.claim(run, Instant::now()).await {
            self.reconcile_failed(run, error).await;
        }
    }

    /// Handles an error of the store; returns whether only this run is concerned.
    async fn reconcile_failed(&mut self, run: RunId, error: StoreError) -> bool {
        if error.is_of_run() {
            self.fail_damaged(run, error.into()).await;
            return true;
        }
        self.presence.store_failed(&error);
        self.answer(run, Err(error.into()));
        false
    }

    /// Reconciles a run: opens, closes, queues or leads it as its state requires.
    async fn reconcile(&mut self, run: RunId) -> Result<(), StoreError> {
        let mut overviews =
            self.context.store.supervisor().execute(ReadOverviews { runs: vec![run] }).await?;
        let overview = overviews.pop().flatten();
        self.reconcile_with(run, overview).await
    }

    /// Reconciles a run with its overview in the store; `None` if the run does not exist.
    async fn reconcile_with(
        &mut self,
        run: RunId,
        overview: Option<RunOverview>,
    ) -> Result<(), StoreError> {
        let Some(overview) = overview else {
            tracing::info!(%run, "run is gone");
            self.forget(run).await;
            return Ok(());
        };
        let state = overview.position.state;
        let record = RunSummary::decode(overview.summary.as_slice()).ok().and_then(|it| it.record);
        let Some(entry) = self.runs.get_mut(&run) else { return Ok(()) };
        entry.state = Some(state_label(&state));
        entry.next = Some(Instant::now() + REST);
        self.tables.index.set_state(run, state_label(&state));
        if let Some(record) = &record {
            self.tables.index.set_origin(run, record);
        }
        if let Some(ended) = leader::outcome_of(&state) {
            entry.activity = RunActivity::Resting;
            self.queue().remove(run);
            self.close(run).await;
            self.answer(run, Ok(ended));
            return Ok(());
        }
        if state == RunState::Active {
            self.attend(run, record).await?;
        } else {
            self.queue().remove(run);
            self.close(run).await;
            self.rest_paused(run).await;
        }
        if let Some(entry) = self.runs.get_mut(&run) {
            entry.activity = match entry.lead.is_some() || entry.open.is_some() {
                true => RunActivity::Worked,
                false => RunActivity::Resting,
            };
        }
        Ok(())
    }

    /// Opens the run for this coordinator's workers.
    async fn open(&mut self, run: RunId) -> Result<(), StoreError> {
        let Some(entry) = self.runs.get_mut(&run) else { return Ok(()) };
        if entry.open.is_some() || entry.refused {
            return Ok(());
        }
        match OpenedRun::open(&self.context, run).await {
            Ok(opened) => self.open_as(opened).await,
            Err(OpenError::Store(error)) => return Err(error),
            Err(error) if error.is_unreadable() => self.fail_damaged(run, error.into()).await,
            Err(error) => {
                entry.refused = true;
                if let Some(Err(error)) = self.answer(run, Err(error.into())) {
                    tracing::warn!(%run, %error, "cannot open the run");
                }
            }
        }
        Ok(())
    }

    async fn open_as(&mut self, opened: OpenedRun) {
        let Some(entry) = self.runs.get_mut(&opened.run).filter(|run| run.open.is_none()) else {
            return;
        };
        tracing::debug!(run = %opened.run, experiment = opened.record.experiment, "run opened");
        let open = DispatchMessage::Open(opened.for_dispatch(self.context.stall));
        entry.open = Some(opened);
        self.dispatch.tell(open).await;
    }

    async fn close(&mut self, run: RunId) {
        let Some(entry) = self.runs.get_mut(&run) else { return };
        if entry.open.take().is_some() {
            self.dispatch.tell(DispatchMessage::Close(run)).await;
        }
    }

    fn queue(&self) -> MutexGuard<'_, RunQueue> {
        self.tables.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
