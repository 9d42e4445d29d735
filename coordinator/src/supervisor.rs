//! Which runs a coordinator works on: it opens every run that goes on, so that its workers can have
//! jobs of it, and leads those that nobody else leads.
//!
//! Coordinators find each other through the store's [roster](crate::store::roster): each announces
//! itself and claims runs again and again; what is not said again is over. A claim is about who
//! does the work, not about who may write: that is what the fences in the store are for.

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

/// How often the supervisor looks around.
const TICK: Duration = Duration::from_millis(500);

/// How often presence and claims are renewed: a third of what they last.
const RENEW_EVERY: Duration = Duration::from_secs(PRESENCE_TTL.as_secs() / 3);

/// How often runs are looked at that don't go on: bells say sooner.
const REST: Duration = Duration::from_secs(5);

/// How many runs are looked at between two ticks that are new here, and that don't go on: however
/// many there are, presence and claims must be renewed in time.
const NEW_PER_TICK: usize = 256;
const ENDED_PER_TICK: usize = 32;

/// How many commands to the supervisor may wait.
const COMMANDS: usize = 16;

/// How long a run is left alone after its leader failed.
const LEAD_AGAIN: Duration = Duration::from_millis(500);

/// What the supervisor is told.
#[derive(Debug)]
pub(crate) enum SupervisorCommand {
    /// Lead every run that nobody else leads.
    ServeAll,
    /// Look at a run now.
    Look(RunId),
    /// Answer when a run has ended, or when leading it has failed.
    Await(RunId, Waiter),
    /// Lead nothing any more; answer when that is so.
    GiveUp(oneshot::Sender<()>),
    /// Have all jobs given back, say that nobody is here any more, and end; answer then.
    Withdraw(oneshot::Sender<()>),
}

/// Who waits for the end of a run.
pub(crate) type Waiter = oneshot::Sender<Result<RunOutcome, LeadError>>;

/// The farm as a coordinator knows it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FarmView {
    /// Its coordinators, as they described themselves last.
    pub(crate) coordinators: Vec<CoordinatorAnnouncement>,
    /// Whether the store answered when it was asked last.
    pub(crate) store_answers: bool,
    /// How many workers it should have.
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

/// How a supervisor works.
#[derive(Debug)]
pub(crate) struct SupervisorSettings {
    /// Where workers and people reach the coordinator: a URL; empty if it listens nowhere.
    pub(crate) endpoint: String,
    /// How many workers the farm should have.
    pub(crate) scaling: ScalingPolicy,
}

/// Starts a supervisor that says in `slots` how many the farm has. Returns where it takes commands,
/// and the farm as it knows it. It works until it is told to withdraw.
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

/// A run that the supervisor knows.
#[derive(Default)]
struct RunEntry {
    /// Whether it goes on, as far as is known.
    standing: RunActivity,
    /// When it is looked at again; `None` for at once.
    next: Option<Instant>,
    /// What its jobs are handed out by, if they are handed out here.
    open: Option<OpenedRun>,
    /// Its driver here, and how far that is.
    lead: Option<(AbortHandle, watch::Receiver<LiveProgress>)>,
    /// When the claim on it was renewed.
    claimed: Option<Instant>,
    /// Whether this build can't work on it.
    refused: bool,
    /// Who waits for its end.
    waiter: Option<Waiter>,
    /// How it stands, once somebody has looked.
    state: Option<labels::RunState>,
    /// How far it is, as another leader said last.
    heard: Option<LiveProgress>,
}

/// Whether a run goes on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum RunActivity {
    /// Nobody has looked yet.
    #[default]
    New,
    /// It is active or paused.
    GoesOn,
    /// It has ended, unless a person resumes it.
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
                // In a fixed order, so that a simulation can be repeated; what rings often comes
                // last.
                biased;
                _ = ticks.tick() => {
                    self.look_around().await;
                    self.measure();
                }
                // When there is no coordinator left to send any, the work goes on.
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
                    // It was told to.
                    Err(_) => {}
                },
                bell = bells.recv(), if ringing => match bell {
                    Ok(bell) => self.hear(bell).await,
                    Err(RecvError::Lagged(_)) => self.look_around().await,
                    // A store without bells: the ticks have to do.
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

    /// The runs of that standing that are to be looked at, at most `most`: those that wait for it
    /// longest.
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

    /// Does for a run what its state calls for.
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

    /// Lets this coordinator's workers have jobs of the run.
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
                    tracing::warn!(%run, %error, "run can't be worked on here");
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

    /// Has the run driven.
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

    /// Leads the run no more.
    async fn leave(&mut self, run: RunId) {
        if let Some(watched) = self.runs.get_mut(&run)
            && let Some((drive, _)) = watched.lead.take()
        {
            // Whatever it was writing is done or not done; both are fine.
            drive.abort();
            self.dispatch.tell(DispatchMessage::Unlead(run)).await;
        }
    }

    async fn driver_ended(&mut self, task: task::Id, ended: Result<RunOutcome, LeadError>) {
        let Some(run) = self.unlead(task, LEAD_AGAIN).await else { return };
        let has_ended = ended.is_ok();
        let Some(ended) = self.answer(run, ended) else {
            // Whoever waited for it reports it, and decides whether it is led again.
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
            // It passes, or somebody else leads: in a while.
            Err(LeadError::Store(_)) => {}
            Err(_) => self.refuse(run).await,
        }
    }

    /// The lead is of no more use, and would come to the same at once.
    async fn driver_panicked(&mut self, error: &JoinError) {
        if let Some(run) = self.unlead(error.id(), REST).await {
            tracing::error!(%run, %error, "the leader of the run panicked: a bug");
            self.unclaim(run).await;
            if let Some(watched) = self.runs.get_mut(&run) {
                watched.waiter = None;
            }
        }
    }

    /// Tells whoever waits for the end of the run, unless a leader here has not finished; gives
    /// `ended` back if nobody was told.
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

    /// Forgets the driver that was this task, and leaves its run alone for `rest`; returns the run,
    /// if it had no other driver since.
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
            // The claim ends by itself.
            self.store_failed(&error);
        }
    }

    /// Says who is here, and hears who else is.
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

/// The label of a run's state.
fn label(state: &RunState) -> labels::RunState {
    match state {
        RunState::Active => labels::RunState::Active,
        RunState::Paused => labels::RunState::Paused,
        RunState::Done => labels::RunState::Done,
        RunState::Failed { .. } => labels::RunState::Failed,
        RunState::Cancelled => labels::RunState::Cancelled,
    }
}
