//! Supervises runs: opens every active run, so that this coordinator's workers can get its jobs,
//! and leads those that no other coordinator leads.
//!
//! Coordinators find each other through the store's [membership](crate::store::membership): each
//! renews its presence and its claims on runs, and what is not renewed expires. A claim decides who
//! does the work; who may write is decided by the fences in the store.

mod needs;

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_core::error_chain;
use hatchery_meters::labels;
use prost::Message as _;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{self, AbortHandle, JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior};

use crate::context::CoordinatorContext;
use crate::dispatch::{self, DispatchHandle, DispatchMessage, WorkerSummary};
use crate::leader::{self, LeadError, RunOutcome};
use crate::open::{OpenError, OpenedRun};
use crate::record::{CoordinatorAnnouncement, LiveProgress};
use crate::scaling::{FarmCapacity, ScalingPolicy};
use crate::store::membership::{PRESENCE_TTL, StoreChange};
use crate::store::{RunId, RunState, StoreError};

/// The interval at which all runs are reconciled.
const TICK: Duration = Duration::from_millis(500);

/// The interval at which presence and claims are renewed: a third of their lifetime.
const RENEW_EVERY: Duration = Duration::from_secs(PRESENCE_TTL.as_secs() / 3);

/// The interval at which inactive runs are reconciled: changes are announced sooner.
const REST: Duration = Duration::from_secs(5);

/// How many runs are looked at between two ticks that are new here, and that don't go on: however
/// many there are, presence and claims must be renewed in time.
const NEW_PER_TICK: usize = 256;
const ENDED_PER_TICK: usize = 32;

/// The most commands that wait for the supervisor.
const COMMANDS: usize = 16;

/// The time that a run is left alone after its leader failed.
const LEAD_AGAIN: Duration = Duration::from_millis(500);

/// A command to the supervisor.
#[derive(Debug)]
pub(crate) enum SupervisorCommand {
    /// Lead every run that no other coordinator leads.
    ServeAll,
    /// Reconcile a run now.
    Look(RunId),
    /// Answer when a run has ended, or when leading it has failed.
    Await(RunId, Waiter),
    /// Stop leading runs; answer when done.
    GiveUp(oneshot::Sender<()>),
    /// Release all jobs, withdraw the presence, and end; answer when done.
    Withdraw(oneshot::Sender<()>),
}

/// The receiver of the end of a run.
pub(crate) type Waiter = oneshot::Sender<Result<RunOutcome, LeadError>>;

/// The farm as this coordinator sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FarmView {
    /// Its coordinators, as last announced.
    pub(crate) coordinators: Vec<CoordinatorAnnouncement>,
    /// Whether the last call of the store succeeded.
    pub(crate) store_answers: bool,
    /// The number of workers wanted.
    pub(crate) desired_workers: u32,
}

impl FarmView {
    /// Its workers.
    fn capacity(&self) -> FarmCapacity {
        let mut capacity = FarmCapacity::default();
        for worker in self.coordinators.iter().flat_map(|coordinator| &coordinator.workers) {
            capacity.n_workers += 1;
            capacity.n_slots = capacity.n_slots.saturating_add(worker.slots);
        }
        capacity
    }
}

/// The settings of the supervisor.
#[derive(Debug)]
pub(crate) struct SupervisorSettings {
    /// The URL at which workers and clients reach the coordinator; empty if it does not listen.
    pub(crate) endpoint: String,
    /// The scaling policy of the farm.
    pub(crate) scaling: ScalingPolicy,
}

/// Starts a supervisor, which publishes the slots of the farm on `slots` and works until it is told
/// to withdraw. Returns the sender of its commands and its view of the farm.
pub(crate) fn start(
    context: CoordinatorContext,
    dispatch: DispatchHandle,
    settings: SupervisorSettings,
    crew: watch::Receiver<WorkerSummary>,
    slots: watch::Sender<u32>,
) -> (mpsc::Sender<SupervisorCommand>, watch::Receiver<FarmView>) {
    let (say_farm, farm) = watch::channel(FarmView::default());
    let (send, commands) = mpsc::channel(COMMANDS);
    let supervisor = Supervisor {
        context,
        dispatch,
        settings,
        crew,
        farm: say_farm,
        slots,
        serving: false,
        runs: BTreeMap::new(),
        drivers: JoinSet::new(),
        renewed: None,
    };
    tokio::spawn(supervisor.run(commands));
    (send, farm)
}

struct Supervisor {
    context: CoordinatorContext,
    dispatch: DispatchHandle,
    settings: SupervisorSettings,
    crew: watch::Receiver<WorkerSummary>,
    farm: watch::Sender<FarmView>,
    slots: watch::Sender<u32>,
    /// Whether it opens and leads runs.
    serving: bool,
    runs: BTreeMap<RunId, RunEntry>,
    drivers: JoinSet<Result<RunOutcome, LeadError>>,
    renewed: Option<Instant>,
}

/// A known run.
#[derive(Default)]
struct RunEntry {
    /// Its last known activity.
    standing: RunActivity,
    /// The time of the next reconciliation; `None` for at once.
    next: Option<Instant>,
    /// The scheduling of its jobs, if it is open here.
    open: Option<OpenedRun>,
    /// Its leader here, and the progress that it reports.
    lead: Option<(AbortHandle, watch::Receiver<LiveProgress>)>,
    /// The time of the last renewal of the claim.
    claimed: Option<Instant>,
    /// Whether this build cannot work on it.
    refused: bool,
    /// The receiver of its end.
    waiter: Option<Waiter>,
    /// Its state, once it was read.
    state: Option<labels::RunState>,
    /// Its progress, as another leader last stored it.
    heard: Option<LiveProgress>,
}

/// The activity of a run.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum RunActivity {
    /// Not read yet.
    #[default]
    New,
    /// Active or paused.
    GoesOn,
    /// Ended, unless it is resumed.
    Ended,
}

impl Supervisor {
    async fn run(mut self, mut commands: mpsc::Receiver<SupervisorCommand>) {
        let mut bells = self.context.store.bells();
        let mut ringing = true;
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                // In a fixed order, so that a simulation can be repeated; frequent changes come
                // last.
                biased;
                _ = ticks.tick() => {
                    self.look_around().await;
                    self.measure();
                }
                // The work goes on when no handle is left to send commands.
                Some(command) = commands.recv() => match command {
                    SupervisorCommand::ServeAll => {
                        self.serving = true;
                        self.look_around().await;
                    }
                    SupervisorCommand::Look(run) => self.look_now(run).await,
                    SupervisorCommand::Await(run, waiter) => {
                        let watched = self.runs.entry(run).or_default();
                        (watched.refused, watched.waiter) = (false, Some(waiter));
                        self.look_now(run).await;
                    }
                    SupervisorCommand::GiveUp(done) => {
                        self.give_up().await;
                        done.send(()).unwrap_or(());
                    }
                    SupervisorCommand::Withdraw(done) => {
                        self.withdraw().await;
                        return done.send(()).unwrap_or(());
                    }
                },
                changed = self.crew.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    self.announce().await;
                }
                Some(ended) = self.drivers.join_next_with_id() => match ended {
                    Ok((task, ended)) => self.driver_ended(task, ended).await,
                    Err(error) if error.is_panic() => self.driver_panicked(&error).await,
                    // It was told to withdraw.
                    Err(_) => {}
                },
                bell = bells.recv(), if ringing => match bell {
                    Ok(bell) => self.hear(bell).await,
                    Err(RecvError::Lagged(_)) => self.look_around().await,
                    // A store without notifications: the ticks suffice.
                    Err(RecvError::Closed) => ringing = false,
                },
            }
        }
    }

    async fn hear(&mut self, bell: StoreChange) {
        match bell {
            StoreChange::Ready(run) => {
                self.dispatch.tell(DispatchMessage::Ready(run)).await;
            }
            StoreChange::Results(run) => {
                self.dispatch.tell(DispatchMessage::Stir(run)).await;
            }
            StoreChange::State(run) => self.look_now(run).await,
        }
    }

    async fn look_around(&mut self) {
        let now = Instant::now();
        if self.renewed.is_none_or(|at| RENEW_EVERY <= now - at) {
            self.renewed = Some(now);
            self.announce().await;
            match self.context.store.quarantined().await {
                Ok(out) if out.is_empty() => {}
                Ok(out) => {
                    self.dispatch.tell(DispatchMessage::Quarantined(out)).await;
                }
                Err(error) => return self.store_failed(&error),
            }
            if self.serving {
                match self.context.store.runs().await {
                    Ok(runs) => runs.into_iter().for_each(|run| {
                        self.runs.entry(run).or_default();
                    }),
                    Err(error) => return self.store_failed(&error),
                }
                if let Err(error) = self.hear_leaders().await {
                    return self.store_failed(&error);
                }
            }
        }
        if !self.serving {
            return;
        }
        let goes_on = self.due(RunActivity::GoesOn, usize::MAX, now);
        let new = self.due(RunActivity::New, NEW_PER_TICK, now);
        let ended = self.due(RunActivity::Ended, ENDED_PER_TICK, now);
        for run in [goes_on, new, ended].concat() {
            if let Err(error) = self.look(run).await {
                return self.look_failed(run, error);
            }
        }
    }

    /// Returns at most `most` runs of that activity that are due, those that wait longest first.
    fn due(&self, standing: RunActivity, most: usize, now: Instant) -> Vec<RunId> {
        let is_due = |run: &RunEntry| run.next.is_none_or(|next| next <= now);
        let due = self.runs.iter().filter(|(_, run)| run.standing == standing && is_due(run));
        let mut due: Vec<_> = due.map(|(&id, run)| (run.next, id)).collect();
        due.sort_unstable();
        due.truncate(most);
        due.into_iter().map(|(_, id)| id).collect()
    }

    async fn look_now(&mut self, run: RunId) {
        if self.serving {
            self.runs.entry(run).or_default().next = None;
            if let Err(error) = self.look(run).await {
                self.look_failed(run, error);
            }
        }
    }

    fn look_failed(&mut self, run: RunId, error: StoreError) {
        self.store_failed(&error);
        self.answer(run, Err(error.into()));
    }

    /// Reconciles a run: opens, closes, claims or leads it as its state requires.
    async fn look(&mut self, run: RunId) -> Result<(), StoreError> {
        let state = match self.context.store.position(run).await {
            Ok(position) => position.state,
            Err(error @ StoreError::NoRun { .. }) => {
                tracing::info!(%run, "run is gone");
                self.close(run).await;
                self.leave(run).await;
                self.answer(run, Err(error.into()));
                self.runs.remove(&run);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let now = Instant::now();
        if let Some(watched) = self.runs.get_mut(&run) {
            watched.state = Some(label(&state));
            (watched.standing, watched.next) = match state {
                RunState::Active | RunState::Paused => (RunActivity::GoesOn, None),
                RunState::Done | RunState::Failed { .. } | RunState::Cancelled => {
                    (RunActivity::Ended, Some(now + REST))
                }
            };
        }
        if let Some(ended) = leader::already(&state) {
            self.close(run).await;
            self.answer(run, Ok(ended));
            return Ok(());
        }
        if state == RunState::Active {
            self.open(run).await?;
        } else {
            self.close(run).await;
        }
        self.claim(run, now).await
    }

    /// Opens the run for this coordinator's workers.
    async fn open(&mut self, run: RunId) -> Result<(), StoreError> {
        let Some(watched) = self.runs.get_mut(&run) else { return Ok(()) };
        if watched.open.is_some() || watched.refused {
            return Ok(());
        }
        match OpenedRun::open(&self.context, run).await {
            Ok(opened) => {
                tracing::debug!(%run, experiment = opened.record.experiment, "run opened");
                let open = DispatchMessage::Open(opened.for_dispatch());
                watched.open = Some(opened);
                self.dispatch.tell(open).await;
            }
            Err(OpenError::Store(error)) => return Err(error),
            Err(error) => {
                watched.refused = true;
                if let Some(Err(error)) = self.answer(run, Err(error.into())) {
                    tracing::warn!(%run, %error, "run cannot be worked on here");
                }
            }
        }
        Ok(())
    }

    async fn close(&mut self, run: RunId) {
        let Some(watched) = self.runs.get_mut(&run) else { return };
        if watched.open.take().is_some() {
            self.dispatch.tell(DispatchMessage::Close(run)).await;
        }
    }

    /// Claims the run, and leads it while it has the claim.
    async fn claim(&mut self, run: RunId, now: Instant) -> Result<(), StoreError> {
        let Some(watched) = self.runs.get_mut(&run) else { return Ok(()) };
        let fresh = watched.claimed.is_some_and(|at| now - at < RENEW_EVERY);
        if watched.refused || (watched.lead.is_some() && fresh) {
            return Ok(());
        }
        let progress = watched.lead.as_ref().map(|(_, progress)| progress.borrow().encode_to_vec());
        let (store, incarnation) = (&self.context.store, self.context.incarnation);
        let ours = store.claim(run, incarnation, &progress.unwrap_or_default()).await?;
        watched.claimed = ours.then_some(now);
        match (ours, &watched.lead) {
            (true, None) => self.drive(run),
            (false, Some(_)) => {
                tracing::warn!(%run, "another coordinator leads the run now");
                self.leave(run).await;
            }
            (true, Some(_)) | (false, None) => {}
        }
        Ok(())
    }

    /// Starts the leader of the run.
    fn drive(&mut self, run: RunId) {
        let Some(watched) = self.runs.get_mut(&run) else { return };
        let (say, progress) = watch::channel(LiveProgress::default());
        let (context, dispatch) = (self.context.clone(), self.dispatch.clone());
        let opened = watched.open.clone();
        let lead = async move {
            let opened = match opened {
                Some(opened) => opened,
                None => OpenedRun::open(&context, run).await?,
            };
            leader::drive(&context, &dispatch, &opened, &say).await
        };
        watched.lead = Some((self.drivers.spawn(lead), progress));
        self.context.meters.farm.count_leader_change();
    }

    /// Stops leading the run.
    async fn leave(&mut self, run: RunId) {
        if let Some(watched) = self.runs.get_mut(&run)
            && let Some((drive, _)) = watched.lead.take()
        {
            // Its last write may be done or not; both are fine.
            drive.abort();
            self.dispatch.tell(DispatchMessage::Unlead(run)).await;
        }
    }

    async fn driver_ended(&mut self, task: task::Id, ended: Result<RunOutcome, LeadError>) {
        let Some(run) = self.unlead(task, LEAD_AGAIN).await else { return };
        let has_ended = ended.is_ok();
        let Some(ended) = self.answer(run, ended) else {
            // The caller that waited reports it, and decides whether the run is led again.
            return if has_ended { self.look_now(run).await } else { self.refuse(run).await };
        };
        match &ended {
            Ok(RunOutcome::Done) => tracing::info!(%run, "run done"),
            Ok(RunOutcome::Cancelled) => tracing::info!(%run, "run cancelled"),
            Ok(RunOutcome::Failed { reason }) => tracing::error!(%run, reason, "run failed"),
            Err(LeadError::Store(StoreError::Fenced { .. })) => {
                tracing::warn!(%run, "another coordinator leads the run now");
            }
            Err(error) => {
                tracing::warn!(%run, error = error_chain(error), "the lead of the run broke off");
            }
        }
        match ended {
            Ok(_) => self.look_now(run).await,
            // It may pass, or another coordinator may lead: try again later.
            Err(LeadError::Store(_)) => {}
            Err(_) => self.refuse(run).await,
        }
    }

    /// Handles a leader that panicked; leading again at once would panic again.
    async fn driver_panicked(&mut self, error: &JoinError) {
        if let Some(run) = self.unlead(error.id(), REST).await {
            tracing::error!(%run, %error, "the leader of the run panicked: a bug");
            self.unclaim(run).await;
            if let Some(watched) = self.runs.get_mut(&run) {
                watched.waiter = None;
            }
        }
    }

    /// Reports the end of the run to its receiver, unless a leader here has not finished; returns
    /// `ended` if there was no receiver.
    fn answer(
        &mut self,
        run: RunId,
        ended: Result<RunOutcome, LeadError>,
    ) -> Option<Result<RunOutcome, LeadError>> {
        let watched = self.runs.get_mut(&run).filter(|watched| watched.lead.is_none());
        match watched.and_then(|watched| watched.waiter.take()) {
            Some(waiter) => waiter.send(ended).err(),
            None => Some(ended),
        }
    }

    /// Removes the leader that ran as this task and leaves its run alone for `rest`; returns the
    /// run, if it had no other leader since.
    async fn unlead(&mut self, task: task::Id, rest: Duration) -> Option<RunId> {
        let is_its =
            |watched: &RunEntry| watched.lead.as_ref().is_some_and(|(drive, _)| drive.id() == task);
        let (&run, watched) = self.runs.iter_mut().find(|(_, watched)| is_its(watched))?;
        watched.lead = None;
        watched.next = Some(Instant::now() + rest);
        self.dispatch.tell(DispatchMessage::Unlead(run)).await;
        Some(run)
    }

    /// Leaves the run to coordinators that can work on it.
    async fn refuse(&mut self, run: RunId) {
        self.close(run).await;
        if let Some(watched) = self.runs.get_mut(&run) {
            watched.refused = true;
        }
        self.unclaim(run).await;
    }

    async fn unclaim(&mut self, run: RunId) {
        let Some(watched) = self.runs.get_mut(&run) else { return };
        watched.claimed = None;
        let (store, incarnation) = (&self.context.store, self.context.incarnation);
        if let Err(error) = store.unclaim(run, incarnation).await {
            // The claim expires by itself.
            self.store_failed(&error);
        }
    }

    /// Announces this coordinator and reads the other announcements.
    async fn announce(&mut self) {
        let WorkerSummary { workers, runs } = self.crew.borrow_and_update().clone();
        let announcement = CoordinatorAnnouncement {
            endpoint: self.settings.endpoint.clone(),
            workers,
            build: env!("CARGO_PKG_VERSION").to_owned(),
            runs,
        };
        let (store, incarnation) = (&self.context.store, self.context.incarnation);
        let said = store.announce(incarnation, &announcement.encode_to_vec()).await;
        let known = match said {
            Ok(()) => store.announced().await,
            Err(error) => Err(error),
        };
        match known {
            Ok(known) => {
                let known = known.into_iter().filter_map(|(id, bytes)| {
                    Some((id, CoordinatorAnnouncement::decode(bytes.as_slice()).ok()?))
                });
                let known: Vec<_> = known.collect();
                let peers = known
                    .iter()
                    .map(|(id, said)| dispatch::PeerCoordinator::new(*id, &said.workers));
                let peers = DispatchMessage::Farm(peers.collect());
                self.dispatch.tell(peers).await;
                let coordinators = known.into_iter().map(|(_, said)| said).collect();
                let (desired_workers, store_answers) = (self.farm.borrow().desired_workers, true);
                let farm = FarmView { coordinators, store_answers, desired_workers };
                let slots = farm.capacity().n_slots;
                self.slots.send_if_modified(|known| std::mem::replace(known, slots) != slots);
                self.farm.send_replace(farm);
                self.context.meters.store.set_up(true);
            }
            Err(error) => self.store_failed(&error),
        }
    }

    fn store_failed(&self, error: &StoreError) {
        let noticed =
            self.farm.send_if_modified(|farm| std::mem::replace(&mut farm.store_answers, false));
        self.context.meters.store.set_up(false);
        if noticed {
            tracing::error!(error = error_chain(error), "the store does not answer");
        }
    }

    async fn give_up(&mut self) {
        self.serving = false;
        let is_ours = |(_, run): &(&RunId, &RunEntry)| run.lead.is_some() || run.claimed.is_some();
        let ours: Vec<_> = self.runs.iter().filter(is_ours).map(|(&run, _)| run).collect();
        for &run in &ours {
            self.leave(run).await;
        }
        for run in ours {
            self.unclaim(run).await;
        }
    }

    async fn withdraw(&mut self) {
        for run in self.runs.keys().copied().collect::<Vec<_>>() {
            self.close(run).await;
        }
        if let Err(error) = self.context.store.withdraw(self.context.incarnation).await {
            self.store_failed(&error);
        }
    }
}

/// Returns the metric label of a run's state.
fn label(state: &RunState) -> labels::RunState {
    match state {
        RunState::Active => labels::RunState::Active,
        RunState::Paused => labels::RunState::Paused,
        RunState::Done => labels::RunState::Done,
        RunState::Failed { .. } => labels::RunState::Failed,
        RunState::Cancelled => labels::RunState::Cancelled,
    }
}
