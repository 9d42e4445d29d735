//! What dispatch decides: a state and its changes, without I/O.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use hatchery_meters::CoordinatorMeters;
use hatchery_meters::labels::{AuthFailure, SessionEnd};
use hatchery_proto::v1;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tonic::Status;

use super::effect::{Done, Errand, Stray};
use super::fair::Rota;
use super::job::{Answer, Execution, Leased, Stage};
use super::message::{Farewell, Feed, Join, LeaderNotice, Message, Open, Peer, Said, SessionId};
use super::sessions::{Session, Sessions, Trust, shut_out};
use super::waits::Waits;
use crate::event::Event;
use crate::machine::Input;
use crate::recompute::Golden;
use crate::record::AnnouncedWorker;
use crate::store::{JobId, LEASE_TTL, RunId};
use crate::ticket::Tickets;

/// After how long a silent worker is lost: three of its heartbeats.
pub(crate) const SILENCE: Duration = Duration::from_secs(10);

/// How often dispatch looks at what time has done.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// How often the store is asked for jobs while it has none and nothing says that it has.
pub(super) const POLL: Duration = Duration::from_millis(250);

/// The most workers of one coordinator.
const MAX_SESSIONS: usize = 4096;

/// How often leases are renewed: a third of what they last.
const RENEW_EVERY: Duration = Duration::from_secs(LEASE_TTL.as_secs() / 3);

/// Jobs are short of which the last ones were back in less.
const SHORT: Duration = Duration::from_millis(100);

/// How many durations of jobs are remembered to tell what is slow.
const DURATIONS: usize = 64;

/// How many failed attempts a job has before nobody is handed it any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Attempts that ended in an error: a panic or a malformed result.
    pub errors: u32,
    /// Attempts that ended with the worker lost: far more than chance would give a sound job.
    pub lost: u32,
    /// Attempts that hung.
    pub timeouts: u32,
    /// On how many different workers, as far as there are so many.
    pub workers: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { errors: 3, lost: 8, timeouts: 2, workers: 2 }
    }
}

/// How dispatch works.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Who leases from the store: this incarnation of this coordinator.
    pub(crate) consumer: u128,
    pub(crate) tickets: Tickets,
    pub(crate) goldens: Arc<Vec<Golden>>,
    pub(crate) patience: Patience,
    /// How many of a million jobs are computed twice.
    pub(crate) audit_ppm: u32,
    pub(crate) meters: Arc<CoordinatorMeters>,
}

/// The state of dispatch.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(super) settings: Settings,
    pub(super) sessions: Sessions,
    pub(super) runs: BTreeMap<RunId, Run>,
    /// The leaders in this process of runs that are not open: of paused ones.
    pub(super) leaders: BTreeMap<RunId, mpsc::UnboundedSender<LeaderNotice>>,
    pub(super) quarantined: BTreeMap<u128, String>,
    /// Those of them that the store could not be told of, and when to tell it again.
    pub(super) convictions: Vec<(u128, String)>,
    pub(super) convict_at: Option<Instant>,
    /// What workers are told since they are let go, and who waits until they are gone.
    pub(super) draining: Option<(Farewell, Option<oneshot::Sender<()>>)>,
    pub(super) n_attempts: u128,
    pub(super) rota: Rota,
    /// The coordinators of the farm, as they described themselves last.
    pub(super) farm: Vec<Peer>,
    renewed: Option<Instant>,
    expired: Option<Instant>,
    pub(super) counted: Option<Instant>,
    /// What was announced last.
    pub(super) announced: Vec<AnnouncedWorker>,
}

/// An open run.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) open: Open,
    pub(super) notify: Option<mpsc::UnboundedSender<LeaderNotice>>,
    /// When the store may have ready jobs.
    pub(super) ready_at: Instant,
    /// Whether it is being asked for them.
    pub(super) leasing: bool,
    /// Whether it was said to have some since it was asked.
    pub(super) said_ready: bool,
    pub(super) jobs: BTreeMap<JobId, Leased>,
    /// Those of `jobs` that nobody is at.
    pub(super) idle: BTreeSet<JobId>,
    /// How many copies of them are at workers.
    pub(super) n_copies: usize,
    /// When a worker was handed one last, by the count of all handouts.
    pub(super) served: u64,
    /// Answers for the store that it did not take yet, and when to offer them again.
    pub(super) unstored: Vec<(JobId, Answer)>,
    pub(super) store_at: Instant,
    /// Results for jobs not leased here, while the store can't be asked for them.
    pub(super) strays: Vec<Stray>,
    /// How long jobs took last.
    pub(super) durations: VecDeque<Duration>,
    pub(super) waits: Waits,
    /// What its leader in this process wants to have made ready.
    pub(super) feeds: Vec<Feed>,
}

impl Run {
    fn new(open: Open, now: Instant) -> Self {
        Self {
            open,
            notify: None,
            ready_at: now,
            leasing: false,
            said_ready: false,
            jobs: BTreeMap::new(),
            idle: BTreeSet::new(),
            n_copies: 0,
            served: 0,
            unstored: Vec::new(),
            store_at: now,
            strays: Vec::new(),
            durations: VecDeque::new(),
            waits: Waits::default(),
            feeds: Vec::new(),
        }
    }

    /// Tells the run's leader, if it is in this process; one that is gone has no use for it.
    pub(super) fn notify(&self, notice: LeaderNotice) {
        if let Some(notify) = &self.notify {
            notify.send(notice).unwrap_or(());
        }
    }

    /// The store has ready jobs, now.
    pub(super) fn ready(&mut self, now: Instant) {
        (self.ready_at, self.said_ready) = (now, true);
    }

    /// Takes in a leased job.
    pub(super) fn insert(&mut self, job: JobId, leased: Leased) {
        if leased.copies.is_empty() && leased.stage.is_open() {
            self.idle.insert(job);
        }
        self.n_copies += leased.copies.len();
        self.jobs.insert(job, leased);
    }

    /// Changes a job, and keeps the books.
    pub(super) fn change<T>(
        &mut self,
        job: JobId,
        change: impl FnOnce(&mut Leased) -> T,
    ) -> Option<T> {
        let leased = self.jobs.get_mut(&job)?;
        let before = leased.copies.len();
        let changed = change(leased);
        self.n_copies = self.n_copies + leased.copies.len() - before;
        if leased.copies.is_empty() && leased.stage.is_open() {
            self.idle.insert(job);
        } else {
            self.idle.remove(&job);
        }
        Some(changed)
    }

    pub(super) fn remove(&mut self, job: JobId) -> Option<Leased> {
        self.idle.remove(&job);
        let leased = self.jobs.remove(&job)?;
        self.n_copies -= leased.copies.len();
        Some(leased)
    }

    /// Whether its jobs are known to be short.
    pub(super) fn is_short(&self) -> bool {
        !self.durations.is_empty() && self.durations.iter().all(|&took| took < SHORT)
    }

    pub(super) fn observe(&mut self, took: Duration) {
        self.durations.push_back(took);
        if DURATIONS < self.durations.len() {
            self.durations.pop_front();
        }
    }
}

impl Desk {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            n_attempts: settings.consumer,
            settings,
            sessions: Sessions::default(),
            runs: BTreeMap::new(),
            leaders: BTreeMap::new(),
            quarantined: BTreeMap::new(),
            convictions: Vec::new(),
            convict_at: None,
            draining: None,
            rota: Rota::default(),
            farm: Vec::new(),
            renewed: None,
            expired: None,
            counted: None,
            announced: Vec::new(),
        }
    }

    /// Takes in a message.
    pub(super) fn take(&mut self, now: Instant, message: Message, errands: &mut Vec<Errand>) {
        match message {
            Message::Join(join) => self.join(now, join, errands),
            Message::Said(session, said) => self.hear(now, session, said, errands),
            Message::Leave { session, goodbye } => {
                let end = if goodbye { SessionEnd::Goodbye } else { SessionEnd::Lost };
                self.leave(now, session, end, errands);
            }
            Message::Open(open) => {
                let leader = self.leaders.remove(&open.run);
                let run = self.runs.entry(open.run).or_insert_with(|| Run::new(open, now));
                run.notify = leader.or_else(|| run.notify.take());
            }
            Message::Lead(run, notify) => match self.runs.get_mut(&run) {
                Some(run) => run.notify = Some(notify),
                None => _ = self.leaders.insert(run, notify),
            },
            Message::Unlead(run) => {
                self.leaders.remove(&run);
                if let Some(run) = self.runs.get_mut(&run) {
                    run.notify = None;
                }
            }
            Message::Ready(run) => {
                if let Some(run) = self.runs.get_mut(&run) {
                    run.ready(now);
                }
            }
            Message::Enqueue(feed) => match self.runs.get_mut(&feed.lead.run) {
                Some(run) => {
                    run.feeds.push(feed);
                    run.ready(now);
                }
                None => errands.push(Errand::Enqueue { feed, most: 0 }),
            },
            Message::Stir(run) => self.stir(run),
            Message::Close(run) => self.close(now, run, errands),
            Message::Quarantined(workers) => {
                let is_new = workers.iter().any(|(id, _)| !self.quarantined.contains_key(id));
                for (worker, reason) in workers {
                    self.shut_out(now, worker, &reason, errands);
                }
                if is_new {
                    self.runs.values().for_each(|run| run.notify(LeaderNotice::ShutOut));
                }
            }
            Message::Farm(farm) => self.farm = farm,
            Message::DrainWorker(worker, found) => {
                let id = self.sessions.of_worker(worker);
                let session = id.and_then(|id| self.sessions.get_mut(id));
                // Whoever asked may have stopped waiting.
                found.send(session.map(Session::drain).is_some()).unwrap_or(());
            }
            Message::Drain(farewell, done) => {
                for session in self.sessions.0.values_mut() {
                    session.send(farewell.message());
                }
                self.draining = Some((farewell, Some(done)));
            }
        }
    }

    /// Takes in what an errand came to.
    pub(super) fn done(&mut self, now: Instant, done: Done, errands: &mut Vec<Errand>) {
        match done {
            Done::Nothing => {}
            Done::Enqueued { run, first, n_jobs, most, leased, done } => {
                let stored = self.enqueued(now, (run, first, n_jobs), most, leased, errands);
                // A leader that is gone does not wait for it.
                done.send(stored).unwrap_or_default();
            }
            Done::Leased { run, most, leased } => self.leased(now, run, most, leased, errands),
            Done::Adopted { run, asked, adopted } => {
                self.adopted(now, run, asked, adopted, errands);
            }
            Done::Renewed { run, lost } => self.lost(now, run, lost, errands),
            Done::Completed { run, answers, verdicts } => {
                self.completed(now, run, answers, verdicts, errands);
            }
            Done::Strays { run, strays } => self.strays(now, run, strays, errands),
            Done::Noted { run, job, attempts } => self.noted(now, run, job, attempts, errands),
            Done::Parked { run, job, parked } => self.parked(now, run, job, parked, errands),
            Done::Judged(judged) => self.judged(now, judged, errands),
            Done::Quarantined { worker, reason, written } => {
                self.convicted(now, worker, reason, written);
            }
        }
    }

    /// Does what time and everything that was taken in call for.
    pub(super) fn settle(&mut self, now: Instant, errands: &mut Vec<Errand>) {
        if self.expired.is_none_or(|at| TICK <= now - at) {
            self.expired = Some(now);
            self.expire(now, errands);
            self.measure();
        }
        self.offer_again(now, errands);
        self.assign(now, errands);
        if self.renewed.is_none_or(|at| RENEW_EVERY <= now - at) {
            self.renewed = Some(now);
            for (&run, open) in &self.runs {
                if !open.jobs.is_empty() {
                    errands.push(Errand::Renew { run, jobs: open.jobs.keys().copied().collect() });
                }
            }
        }
        self.announce(now, errands);
        if self.sessions.0.is_empty()
            && let Some((_, done)) = &mut self.draining
            && let Some(done) = done.take()
        {
            // Whoever asked may have stopped waiting.
            done.send(()).unwrap_or(());
        }
    }

    fn hear(&mut self, now: Instant, id: SessionId, said: Said, errands: &mut Vec<Errand>) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        session.heard = now;
        match said {
            Said::Want(credits) => session.want(credits),
            Said::Heartbeat(running) => self.beat(now, id, running),
            Said::Results(results) => self.results(now, id, results, errands),
            Said::Release(jobs) => {
                for (run, job) in jobs {
                    self.drop_copy(now, id, run, job);
                }
            }
            Said::SelfTested(tested) => self.self_tested(id, &tested),
            Said::Leaving => session.drain(),
        }
    }

    fn beat(&mut self, now: Instant, id: SessionId, running: Vec<((RunId, JobId), u64)>) {
        for ((run, job), trials_done) in running {
            let leased = self.runs.get_mut(&run).and_then(|run| run.jobs.get_mut(&job));
            let copy = leased.and_then(|l| l.copies.iter_mut().find(|copy| copy.session == id));
            if let Some(copy) = copy
                && copy.progress.is_none_or(|(known, _)| known < trials_done)
            {
                copy.progress = Some((trials_done, now));
            }
        }
    }

    fn join(&mut self, now: Instant, join: Join, errands: &mut Vec<Errand>) {
        if let Some(reason) = self.quarantined.get(&join.incarnation) {
            self.settings.meters.sessions.refused(AuthFailure::ShutOut);
            // A worker that is gone already needs no reason.
            return join.kick.send(shut_out(reason)).unwrap_or(());
        }
        if MAX_SESSIONS <= self.sessions.0.len() {
            let refusal = Status::resource_exhausted("this coordinator has all the workers it can");
            return join.kick.send(refusal).unwrap_or(());
        }
        if let Some((Farewell::Elsewhere(_), _)) = &self.draining {
            // Refused, it waits before it comes again; welcomed and let go, it would not.
            let refusal = Status::unavailable("this coordinator is going down");
            return join.kick.send(refusal).unwrap_or(());
        }
        // A worker has one session: an older one is a connection that is dead and does not know it.
        if let Some(old) = self.sessions.of_worker(join.incarnation) {
            if let Some(session) = self.sessions.get_mut(old) {
                session.end(Status::aborted("the worker has a newer session"));
            }
            self.leave(now, old, SessionEnd::Replaced, errands);
        }
        let (id, worker, slots) = (join.session, join.worker.clone(), join.slots);
        tracing::info!(worker, slots, "worker joined");
        errands.push(Errand::Publish(Event::WorkerJoined { worker, slots }));
        let held = join.held.clone();
        let mut session = Session::new(join, now);
        self.clear(&mut session);
        if let Some((farewell, _)) = &self.draining {
            session.send(farewell.message());
        }
        self.sessions.0.insert(id, session);
        self.take_up(now, id, held, errands);
    }

    /// Clears the session for the experiments that no self-test is known of.
    fn clear(&self, session: &mut Session) {
        for (name, version) in &session.experiments {
            if !self.settings.goldens.iter().any(|golden| golden.experiment == name) {
                tracing::debug!(name, version, "no self-test known");
                session.cleared.insert(name.clone());
            }
        }
    }

    fn self_tested(&mut self, id: SessionId, tested: &v1::SelfTested) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        for (golden, result) in self.settings.goldens.iter().zip(&tested.results) {
            let name = golden.experiment;
            let right = matches!(
                &result.outcome, Some(v1::result::Outcome::Output(output)) if *output == golden.output
            );
            match session.experiments.get(name) {
                Some(&version) if version == golden.version && right => {
                    session.cleared.insert(name.to_owned());
                }
                Some(&version) if version == golden.version => {
                    let said = match &result.outcome {
                        Some(v1::result::Outcome::Failure(failure)) => failure.message.as_str(),
                        Some(v1::result::Outcome::Output(_)) => "another output",
                        None => "nothing",
                    };
                    tracing::warn!(worker = session.name, name, said, "self-test failed");
                    session.notice(format!(
                        "no jobs of {name}: this worker computes another result than the \
                         coordinator in the self-test; check its build and its machine"
                    ));
                }
                found => {
                    let ours = golden.version;
                    let theirs = found.map_or_else(|| "none".to_owned(), u32::to_string);
                    tracing::warn!(
                        worker = session.name,
                        experiment = name,
                        ours,
                        theirs,
                        "other version"
                    );
                    session.notice(format!(
                        "no jobs of {name}: the coordinator has version {ours}, this worker \
                         {theirs}; install the same release on both"
                    ));
                }
            }
        }
    }

    /// Forgets a session; the jobs that it was at go to somebody else.
    pub(super) fn leave(
        &mut self,
        now: Instant,
        id: SessionId,
        end: SessionEnd,
        errands: &mut Vec<Errand>,
    ) {
        let Some(session) = self.sessions.0.remove(&id) else { return };
        self.settings.meters.sessions.ended(end);
        let goodbye = !matches!(end, SessionEnd::Lost | SessionEnd::Silent);
        let Session { name: worker, slots, held, worker: incarnation, trust, .. } = session;
        tracing::info!(worker, slots, goodbye, held = held.len(), "worker left");
        errands.push(Errand::Publish(Event::WorkerLeft { worker: worker.clone(), slots, goodbye }));
        for (run, job) in held {
            let copy = self.drop_copy(now, id, run, job);
            // Only a job that was being computed can have brought the worker down.
            if !goodbye && copy.is_some_and(|copy| copy.progress.is_some()) {
                self.note_loss(run, job, incarnation, &worker, errands);
            }
        }
        if let Trust::Pending(_, withheld) = trust {
            let jobs: Vec<_> = withheld.iter().map(|&(run, job, _)| (run, job)).collect();
            self.compute_again(now, &jobs);
        }
    }

    /// Takes the session off a job.
    pub(super) fn drop_copy(
        &mut self,
        now: Instant,
        session: SessionId,
        run: RunId,
        job: JobId,
    ) -> Option<Execution> {
        if let Some(session) = self.sessions.get_mut(session) {
            session.held.remove(&(run, job));
        }
        self.runs.get_mut(&run)?.change(job, |leased| leased.drop_copy(session, now))?
    }

    /// Has jobs computed whose answers are not to be used; those that got another answer meanwhile
    /// are left alone.
    pub(super) fn compute_again(&mut self, now: Instant, jobs: &[(RunId, JobId)]) {
        for (run, job) in jobs {
            let Some(run) = self.runs.get_mut(run) else { continue };
            run.change(*job, |leased| {
                if matches!(leased.stage, Stage::Withheld | Stage::Judging) {
                    (leased.stage, leased.idle_since) = (Stage::Compute, now);
                }
            });
        }
    }

    /// Something may be there to be read by the leader.
    pub(super) fn stir(&self, run: RunId) {
        if let Some(run) = self.runs.get(&run) {
            run.notify(LeaderNotice::Input(Input::Stirred));
        }
    }
}
