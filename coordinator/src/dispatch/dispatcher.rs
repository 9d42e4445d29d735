//! The decisions of dispatch: a pure state machine, without I/O.
//!
//! - `assign`: gives jobs to workers; `part_admission`: whether a worker may send parts
//! - `results`: takes results; `audit`: compares answers, has the coordinator arbitrate, and
//!   quarantines the worker that was wrong; `removal`: drops jobs and runs
//! - `failures`: failed attempts, silence and lost leases; `quarantine`: ends sessions
//! - `self_tests`: which workers are tested; `summary`: announcements to the farm; `meter`: metrics

mod assign;
mod audit;
mod failures;
mod meter;
mod part_admission;
mod quarantine;
mod removal;
mod results;
mod self_tests;
mod summary;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::Catalog;
use hatchery_meters::CoordinatorMeters;
use hatchery_meters::labels::{AuthFailure, SessionEnd};
use hatchery_store::{AttemptId, CoordinatorId, JobKey, LEASE_TTL, RunId, SessionId, WorkerId};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tonic::Status;

use super::audits::AuditTable;
use super::effect::{DispatchEffect, EffectCompletion, StepContext};
use super::eligibility::WorkerEligibility;
use super::job::{JobExecution, JobStage};
use super::message::{
    DispatchMessage, DrainMode, JoinRequest, KnownJobs, LeaderNotice, OpenRun, ReportedProgress,
    WorkerMessage,
};
use super::runs::DispatchedRun;
use super::runs::fair::FairScheduler;
use super::runs::retry::RetryPolicy;
use super::workers::health::HealthTable;
use super::workers::peers::PeerTable;
use super::workers::quarantine_list::{self, QuarantineList};
use super::workers::self_test_table::SelfTestTable;
use super::workers::session::WorkerSession;
use super::workers::session_table::SessionTable;
use crate::base::event::Event;
use crate::base::identity::IdentityError;
use crate::base::opinions::OpinionsBy;
use crate::base::ticket::TicketIssuer;
use crate::run::machine::MachineInput;
use crate::run::record::{AnnouncedWorker, MAX_LOSSES};
use crate::self_tests::SelfTestPolicy;

/// Silence after which a worker counts as lost: five heartbeats.
pub(crate) const SILENCE: Duration = Duration::from_secs(10);

/// The interval at which timeouts are checked.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// The most workers that may be connected to a coordinator.
const MAX_SESSIONS: usize = 4096;

/// The interval at which leases are renewed: a third of their lifetime.
const RENEW_EVERY: Duration = Duration::from_secs(LEASE_TTL.as_secs() / 3);

/// The settings of dispatch.
#[derive(Clone, Debug)]
pub(crate) struct DispatchSettings {
    /// The id under which this coordinator leases from the store.
    pub(crate) consumer: CoordinatorId,
    pub(crate) tickets: TicketIssuer,
    /// The experiments of this build.
    pub(crate) catalog: Catalog,
    pub(crate) self_tests: SelfTestPolicy,
    pub(crate) retry_policy: RetryPolicy,
    /// Jobs per million that are computed twice.
    pub(crate) audit_ppm: u32,
    /// The workers that count as one opinion in audits.
    pub(crate) opinions_by: OpinionsBy,
    pub(crate) meters: Arc<CoordinatorMeters>,
}

impl DispatchSettings {
    /// Draws whether a job is audited: always with the same outcome, and unpredictably without the
    /// farm's secret.
    fn is_audited(&self, key: JobKey) -> bool {
        self.tickets.draw(key) % 1_000_000 < self.audit_ppm
    }

    /// Returns the stage of a job that workers are to compute.
    fn stage(&self, key: JobKey) -> JobStage {
        if self.is_audited(key) { JobStage::Audit } else { JobStage::Compute }
    }
}

/// The state of dispatch.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    settings: DispatchSettings,
    sessions: SessionTable,
    self_tests: SelfTestTable,
    runs: BTreeMap<RunId, DispatchedRun>,
    /// The leaders in this process of runs that are not open, such as paused ones.
    leaders: BTreeMap<RunId, mpsc::UnboundedSender<LeaderNotice>>,
    audits: AuditTable,
    health: HealthTable,
    quarantine: QuarantineList,
    /// The instruction to drained workers, and the callers that wait until they have left.
    draining: Option<(DrainMode, Option<oneshot::Sender<()>>)>,
    last_attempt: AttemptId,
    scheduler: FairScheduler,
    peers: PeerTable,
    renewed: Option<Instant>,
    expired: Option<Instant>,
    counted: Option<Instant>,
    /// The time at which the workers were last published.
    announced_at: Option<Instant>,
    /// True if a worker has joined, left, passed a self-test, or been drained or paused since then.
    workers_changed: bool,
    /// The trials in progress that were published last, in millionths of a trial.
    in_progress_ppm: u64,
    /// The workers that were paused at the last tick.
    paused: BTreeSet<WorkerId>,
    /// The latest lost workers, at most [`MAX_LOSSES`], the latest last. The supervisor reads the
    /// list within seconds.
    lost: VecDeque<(Instant, AnnouncedWorker)>,
}

impl Dispatcher {
    pub(crate) fn new(settings: DispatchSettings) -> Self {
        Self {
            last_attempt: AttemptId::origin(settings.consumer),
            self_tests: SelfTestTable::new(settings.self_tests, settings.catalog),
            settings,
            sessions: SessionTable::default(),
            runs: BTreeMap::new(),
            leaders: BTreeMap::new(),
            audits: AuditTable::default(),
            health: HealthTable::default(),
            quarantine: QuarantineList::default(),
            draining: None,
            scheduler: FairScheduler::default(),
            peers: PeerTable::default(),
            renewed: None,
            expired: None,
            counted: None,
            announced_at: None,
            workers_changed: false,
            in_progress_ppm: 0,
            paused: BTreeSet::new(),
            lost: VecDeque::new(),
        }
    }

    /// Returns the eligibility of the workers as of `now`.
    fn eligibility(&self, now: Instant) -> WorkerEligibility<'_> {
        let Self { sessions, audits, health, peers, settings, .. } = self;
        WorkerEligibility { now, sessions, audits, health, peers, own: settings.consumer }
    }

    /// Handles a message.
    pub(super) fn take(&mut self, ctx: &mut StepContext, message: DispatchMessage) {
        match message {
            DispatchMessage::Join(join) => self.join(ctx, join),
            DispatchMessage::FromWorker(session, said) => {
                self.handle_message(ctx, session, said);
            }
            DispatchMessage::AdmitParts(admission) => self.admit_parts(admission),
            DispatchMessage::Leave { session, goodbye } => {
                let end = if goodbye { SessionEnd::Goodbye } else { SessionEnd::Lost };
                self.leave(ctx, session, end);
            }
            DispatchMessage::Open(open) => self.open(ctx, open),
            DispatchMessage::Lead(run, notify) => match self.runs.get_mut(&run) {
                Some(run) => run.lead(notify),
                None => _ = self.leaders.insert(run, notify),
            },
            DispatchMessage::Unlead(run) => {
                self.leaders.remove(&run);
                if let Some(run) = self.runs.get_mut(&run) {
                    run.unlead();
                }
            }
            DispatchMessage::Ready(run) => {
                if let Some(run) = self.runs.get_mut(&run) {
                    run.ready(ctx.now);
                }
            }
            DispatchMessage::Enqueue(request) => match self.runs.get_mut(&request.lead.run) {
                Some(run) => {
                    run.enqueue(ctx.now, request);
                }
                None => ctx.push(DispatchEffect::Enqueue { request, most: 0 }),
            },
            DispatchMessage::ResultsStored(run) => self.results_available(run),
            DispatchMessage::Close(run) => self.close(ctx, run),
            DispatchMessage::Rewound(run) => {
                if let Some(open) = self.runs.get(&run).map(|run| run.open().clone()) {
                    self.close(ctx, run);
                    self.open(ctx, OpenRun { jobs: KnownJobs::Unknown, ..open });
                }
            }
            DispatchMessage::Quarantined(workers) => {
                self.quarantine_listed(ctx, workers);
            }
            DispatchMessage::Secret(secret) => self.settings.tickets = TicketIssuer::new(secret),
            DispatchMessage::Farm(farm) => self.peers.update(ctx.now, farm),
            DispatchMessage::DrainWorker(worker, found) => {
                let id = self.sessions.of_worker(worker);
                let session = id.and_then(|id| self.sessions.get_mut(id));
                self.workers_changed = true;
                // The caller may have stopped waiting.
                found.send(session.map(WorkerSession::drain).is_some()).unwrap_or(());
            }
            DispatchMessage::Drain(drain_mode, done) => {
                for session in self.sessions.iter_mut() {
                    session.send(drain_mode.message());
                }
                self.draining = Some((drain_mode, Some(done)));
            }
        }
    }

    fn open(&mut self, ctx: &mut StepContext, open: OpenRun) {
        self.test_workers(ctx, &open.experiment);
        let leader = self.leaders.remove(&open.run);
        let run = self.runs.entry(open.run).or_insert_with(|| DispatchedRun::new(open, ctx.now));
        if let Some(leader) = leader {
            run.lead(leader);
        }
    }

    /// Handles the completion of an effect.
    pub(super) fn done(&mut self, ctx: &mut StepContext, done: EffectCompletion) {
        match done {
            EffectCompletion::Nothing => {}
            EffectCompletion::SelfTestComputed { experiment, test } => {
                self.self_test_computed(ctx, &experiment, test);
            }
            EffectCompletion::Enqueued { first, n_jobs, most, leased, done } => {
                let stored = self.enqueued(ctx, (first, n_jobs), most, leased);
                // The leader may be gone.
                done.send(stored).unwrap_or_default();
            }
            EffectCompletion::Leased { run, most, leased } => {
                self.leased(ctx, run, most, leased);
            }
            EffectCompletion::Adopted { key, session, ticket, adopted } => {
                self.adopted(ctx, key, (session, ticket), adopted);
            }
            EffectCompletion::Renewed { run, lost } => self.lost(ctx, run, lost),
            EffectCompletion::Completed { run, answers, verdicts } => {
                self.completed(ctx, run, answers, verdicts);
            }
            EffectCompletion::LocateUnleased { run, unleased } => {
                self.unleased(ctx, run, unleased);
            }
            EffectCompletion::Noted { key, noted } => self.noted(ctx, key, noted),
            EffectCompletion::DeclaredDead { key, declared_dead } => {
                self.declared_dead(ctx, key, declared_dead);
            }
            EffectCompletion::Arbitrated(arbitrated) => self.arbitrated(ctx, arbitrated),
            EffectCompletion::Quarantined { worker, reason, written } => {
                self.quarantine_stored(ctx.now, worker, reason, written);
            }
        }
    }

    /// Acts on timeouts and on everything handled since the last call.
    pub(super) fn settle(&mut self, ctx: &mut StepContext) {
        if self.expired.is_none_or(|at| TICK <= ctx.now - at) {
            self.expired = Some(ctx.now);
            self.expire(ctx);
            self.measure(ctx.now);
            self.note_pauses(ctx.now);
        }
        self.quarantine.store_again(ctx);
        self.offer_again(ctx);
        self.assign(ctx);
        if self.renewed.is_none_or(|at| RENEW_EVERY <= ctx.now - at) {
            self.renewed = Some(ctx.now);
            for (&run, open) in &self.runs {
                if open.jobs().len() != 0 {
                    ctx.push(DispatchEffect::Renew {
                        run,
                        jobs: open.jobs().map(|(job, _)| job).collect(),
                    });
                }
            }
        }
        self.announce(ctx);
        if self.sessions.len() == 0
            && let Some((_, done)) = &mut self.draining
            && let Some(done) = done.take()
        {
            // The caller may have stopped waiting.
            done.send(()).unwrap_or(());
        }
    }

    fn handle_message(&mut self, ctx: &mut StepContext, id: SessionId, said: WorkerMessage) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        session.note_message(ctx.now);
        match said {
            WorkerMessage::Want(credits) => session.want(credits),
            WorkerMessage::Heartbeat(running) => self.beat(ctx.now, id, running),
            WorkerMessage::Results(results) => self.results(ctx, id, results),
            WorkerMessage::Release(jobs) => self.returned(ctx.now, id, &jobs),
            WorkerMessage::SelfTested(tested) => self.self_tested(id, tested),
            WorkerMessage::Leaving => {
                session.drain();
                self.workers_changed = true;
            }
        }
    }

    fn beat(&mut self, now: Instant, id: SessionId, running: Vec<ReportedProgress>) {
        let mut has_progressed = false;
        for ReportedProgress { key, n_signs, share_ppm } in running {
            if let Some(run) = self.runs.get_mut(&key.run) {
                has_progressed |= run.report(now, id, key.job, (n_signs, share_ppm));
            }
        }
        if has_progressed && let Some(session) = self.sessions.get_mut(id) {
            session.note_progress(now);
        }
    }

    fn join(&mut self, ctx: &mut StepContext, mut join: JoinRequest) {
        if self.is_coordinator(join.incarnation) {
            let error = IdentityError::NoWorker { id: join.incarnation };
            self.settings.meters.sessions.count_auth_failure(AuthFailure::Identity);
            tracing::warn!(worker = join.worker, %error, "worker refused: its id is not its own");
            return join.end_session.send(error.into()).unwrap_or(());
        }
        if let Some(reason) = self.quarantine.reason(join.incarnation) {
            self.settings.meters.sessions.count_auth_failure(AuthFailure::Quarantined);
            tracing::info!(worker = join.worker, reason, "quarantined worker refused");
            let refusal = quarantine_list::refusal(&join.worker, reason);
            // The worker may be gone.
            return join.end_session.send(refusal).unwrap_or(());
        }
        if MAX_SESSIONS <= self.sessions.len() {
            let refusal =
                Status::resource_exhausted("this coordinator has as many workers as it serves");
            return join.end_session.send(refusal).unwrap_or(());
        }
        if let Some((DrainMode::Elsewhere(_), _)) = &self.draining {
            // A refused worker waits before it reconnects; one that is welcomed and drained would
            // not.
            let refusal = Status::unavailable("this coordinator is shutting down");
            return join.end_session.send(refusal).unwrap_or(());
        }
        // A worker has one session: an older one is a connection that died unnoticed.
        if let Some(old) = self.sessions.of_worker(join.incarnation) {
            if let Some(session) = self.sessions.get_mut(old) {
                session.end(Status::aborted("the worker has a newer session"));
            }
            self.leave(ctx, old, SessionEnd::Replaced);
        }
        let (id, worker, slots) = (join.session, join.worker.clone(), join.slots);
        tracing::info!(worker, id = %join.incarnation, slots, "worker joined");
        ctx.push(DispatchEffect::Publish(Event::WorkerJoined { worker, slots }));
        let n_unknown = self.drop_unknown(&mut join.experiments);
        if n_unknown != 0 {
            tracing::info!(
                worker = join.worker,
                n_unknown,
                "experiments that nobody knows dropped"
            );
        }
        let (held, welcome_tests) = (join.held.clone(), join.welcome_tests.clone());
        let mut session = WorkerSession::new(join, self.settings.opinions_by, ctx.now);
        if let Some((drain_mode, _)) = &self.draining {
            session.send(drain_mode.message());
        }
        self.sessions.insert(session);
        self.announced(ctx.now, id, &welcome_tests);
        self.workers_changed = true;
        self.take_up(ctx, id, held);
    }

    /// Returns whether the id belongs to a coordinator, as the worker of the jobs that the
    /// coordinator computes itself. A worker with such an id could never be quarantined.
    fn is_coordinator(&self, id: WorkerId) -> bool {
        let is_peer = |peer: CoordinatorId| WorkerId::from(peer) == id;
        is_peer(self.settings.consumer) || self.peers.coordinators().any(is_peer)
    }

    /// Removes a session; its jobs go to other workers.
    fn leave(&mut self, ctx: &mut StepContext, id: SessionId, end: SessionEnd) {
        let Some(session) = self.sessions.remove(id) else { return };
        self.workers_changed = true;
        self.settings.meters.sessions.count_ended(end);
        let goodbye = !matches!(end, SessionEnd::Lost | SessionEnd::Silent);
        if !goodbye {
            if MAX_LOSSES <= self.lost.len() {
                self.lost.pop_front();
            }
            self.lost.push_back((ctx.now, session.announcement(ctx.now, Duration::ZERO)));
        }
        let (incarnation, worker) = (session.worker(), session.name().to_owned());
        let (slots, held) = (session.slots(), session.into_held());
        tracing::info!(worker, slots, goodbye, held = held.len(), "worker left");
        ctx.push(DispatchEffect::Publish(Event::WorkerLeft {
            worker: worker.clone(),
            slots,
            goodbye,
        }));
        let mut dropped: Vec<_> = held
            .into_keys()
            .filter_map(|key| Some((key, self.drop_execution(ctx.now, id, key)?)))
            .collect();
        if !goodbye {
            // Only a job that was being computed can have crashed the worker: one that has reported
            // progress, or has had a slot before its first report was due.
            dropped.sort_by_key(|(_, it)| (it.last_progress_at().is_none(), it.since()));
            let n_reported =
                dropped.iter().filter(|(_, it)| it.last_progress_at().is_some()).count();
            for (key, _) in dropped.into_iter().take(n_reported.max(slots as usize)) {
                self.note_loss(ctx, key, (incarnation, &worker));
            }
        }
        let withheld = self.audits.remove_session(id).into_iter();
        let jobs: Vec<_> = withheld.map(|(key, _)| key).collect();
        self.compute_again(ctx.now, &jobs);
    }

    /// Removes the session's execution of a job.
    fn drop_execution(
        &mut self,
        now: Instant,
        session: SessionId,
        key: JobKey,
    ) -> Option<JobExecution> {
        if let Some(session) = self.sessions.get_mut(session) {
            session.drop_job(key);
        }
        self.runs
            .get_mut(&key.run)?
            .change(key.job, |leased| leased.drop_execution(session, now))?
    }

    /// Has jobs with rejected answers computed again, unless another answer came meanwhile.
    fn compute_again(&mut self, now: Instant, jobs: &[JobKey]) {
        for &key in jobs {
            let stage = self.settings.stage(key);
            let Some(run) = self.runs.get_mut(&key.run) else { continue };
            run.change(key.job, |leased| {
                if matches!(leased.stage(), JobStage::Withheld | JobStage::Arbitrating) {
                    leased.wait_in(stage, now);
                }
            });
        }
    }

    /// Notifies the leader that results may be available.
    fn results_available(&self, run: RunId) {
        if let Some(run) = self.runs.get(&run) {
            run.notify(LeaderNotice::Input(MachineInput::ResultsAvailable));
        }
    }
}
