//! The eligibility of workers. This module alone decides which workers may get a job, which workers
//! may give a second opinion on it, and which workers are waited for before the job is declared
//! dead.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::time::Duration;

use hatchery_core::SeriesClass;
use hatchery_store::{CoordinatorId, JobKey, SessionId, WorkerId};
use tokio::time::Instant;

use super::audits::{AuditTable, OtherOpinions};
use super::job::{JobAnswer, TrackedJob, TrustLevel};
use super::message::OpenRun;
use super::runs::DispatchedRun;
use super::workers::health::{HealthTable, JobAllowance};
use super::workers::peers::PeerTable;
use super::workers::session::WorkerSession;
use super::workers::session_table::SessionTable;
use super::workers::slot_limit::SlotLimit;

/// The tables that decide which worker may compute a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkerEligibility<'a> {
    pub(super) now: Instant,
    pub(super) sessions: &'a SessionTable,
    pub(super) audits: &'a AuditTable,
    pub(super) health: &'a HealthTable,
    pub(super) peers: &'a PeerTable,
    /// This coordinator.
    pub(super) own: CoordinatorId,
}

/// The time after which a failed job goes to any worker. By then, the workers that have failed the
/// job less often take no jobs, or have been busy with long jobs.
const LONGEST_WAIT_FOR_UNTRIED: Duration = Duration::from_secs(30);

/// The time for which a worker that gave jobs back ranks behind other workers.
const AFTER_RELEASE: Duration = Duration::from_secs(60);

/// The rank of a session among the sessions that may get a job: the greatest rank is the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SessionRank {
    /// True if the worker may hold as many jobs as it has credits for, and has not given jobs back
    /// recently.
    is_healthy: bool,
    /// The number of further jobs that the worker may get.
    room: u32,
    pub(super) id: SessionId,
}

/// The sessions that may get jobs of a run, the best first. The ranking is made once for many jobs,
/// so that a job does not cost a look at each of thousands of workers. It holds while jobs are only
/// assigned: then a session's rank can fall but not rise, and is computed again before use.
#[derive(Debug, Default)]
pub(super) struct SessionRanking {
    /// The ranks for first answers, by class, from the first such job on.
    first: BTreeMap<SeriesClass, BinaryHeap<SessionRank>>,
    /// The ranks for second opinions.
    second: BTreeMap<SeriesClass, BinaryHeap<SessionRank>>,
}

impl<'a> WorkerEligibility<'a> {
    /// Returns the sessions of the workers that compute jobs of the run, including paused, drained
    /// and untested workers.
    fn able(self, open: &OpenRun) -> impl Iterator<Item = (SessionId, &'a WorkerSession)> {
        self.sessions.able(&open.experiment, open.version)
    }

    /// Returns the sessions of the workers that have passed the self-test of the run's experiment,
    /// including paused and drained workers. Only these workers get jobs.
    fn cleared(self, open: &OpenRun) -> impl Iterator<Item = (SessionId, &'a WorkerSession)> {
        self.sessions.cleared(&open.experiment, open.version)
    }

    fn allowance(self, session: &WorkerSession, open: &OpenRun) -> JobAllowance {
        match session.is_draining() {
            true => JobAllowance::Paused,
            false => self.health.allowance(self.now, session.worker(), &open.experiment),
        }
    }

    /// Returns the sessions of the workers that may get jobs of the run now, without workers that
    /// take none.
    fn available(self, open: &OpenRun) -> impl Iterator<Item = (SessionId, &'a WorkerSession)> {
        let is_available = move |session: &WorkerSession| {
            session.takes_jobs(self.now) && self.allowance(session, open) != JobAllowance::Paused
        };
        self.able(open).filter(move |(_, session)| is_available(session))
    }

    /// Returns whether an answer counts without a check. It does if its worker is the only worker
    /// in the farm that computes jobs of the run, so a wrong answer harms nobody else. Where hosts
    /// count as one opinion, the coordinator checks such a worker.
    pub(super) fn is_alone(self, answer: &JobAnswer, open: &OpenRun) -> bool {
        let is_other = |session: &WorkerSession| session.worker() != answer.result.worker;
        !answer.source.is_host()
            && !self.able(open).any(|(_, session)| is_other(session))
            && !self.peers.has_slots_elsewhere(self.own, &open.label())
    }

    /// Returns whether a worker of another source than `session` gets jobs of the run here.
    fn has_other_source(self, session: &WorkerSession, open: &OpenRun) -> bool {
        self.cleared(open).any(|(_, other)| other.source() != session.source())
    }

    /// Returns whether a worker may get the job. It may if no available worker has failed the job
    /// less often, or if these workers have not taken the job for long. A second opinion comes from
    /// a worker that has not failed the job, and from a source that has not answered it.
    pub(super) fn suits(
        self,
        open: &OpenRun,
        key: JobKey,
        job: &TrackedJob,
        session: &WorkerSession,
    ) -> bool {
        let worker = session.worker();
        if job.is_computed_by(worker) || self.audits.has_answer_from(key, session.source()) {
            return false;
        }
        match self.health.n_failures(key, worker) {
            0 => true,
            _ if self.audits.is_answered(key) => false,
            _ if self.has_waited_for_untried(key) => true,
            _ if self.is_for_others(open, key) => false,
            n => self.fewest_failures(open, key) == Some(n),
        }
    }

    /// Returns whether the last failure of the job here is long ago.
    fn has_waited_for_untried(self, key: JobKey) -> bool {
        let last = self.health.nth_last_failure(key, 1);
        last.is_some_and(|last| LONGEST_WAIT_FOR_UNTRIED <= self.now - last)
    }

    /// Returns whether the job is left to other coordinators: all available workers here have
    /// failed the job, and other coordinators announce a worker that has not.
    pub(super) fn is_for_others(self, open: &OpenRun, key: JobKey) -> bool {
        let label = open.label();
        let mut elsewhere = self.peers.workers_elsewhere(self.own, &label);
        !self.has_untried(open, key)
            && elsewhere.any(|(worker, _)| self.health.n_failures(key, worker) == 0)
    }

    fn fewest_failures(self, open: &OpenRun, key: JobKey) -> Option<u32> {
        let available = self.available(open);
        available.map(|(_, session)| self.health.n_failures(key, session.worker())).min()
    }

    /// Returns whether an available worker has not failed the job.
    pub(super) fn has_untried(self, open: &OpenRun, key: JobKey) -> bool {
        self.fewest_failures(open, key) == Some(0)
    }

    /// Returns which workers could give another opinion on a job that has an answer.
    pub(super) fn other_opinions(
        self,
        open: &OpenRun,
        key: JobKey,
        job: &TrackedJob,
    ) -> OtherOpinions {
        let suits = |session: &WorkerSession| self.suits(open, key, job, session);
        let is_other = |session: &WorkerSession| !self.audits.has_answer_of(key, session.worker());
        let has_others = self.able(open).any(|(_, session)| is_other(session))
            || self.peers.has_slots_elsewhere(self.own, &open.label());
        if !job.executions().is_empty() || self.available(open).any(|(_, session)| suits(session)) {
            OtherOpinions::Possible
        } else if has_others {
            OtherOpinions::UsedUp
        } else {
            OtherOpinions::Nobody
        }
    }

    /// Returns the session that should get the job: among the sessions that may, the session with
    /// the most room. A failed job goes to a worker that completes other jobs, preferably to a
    /// worker that joined long ago: workers that are lost again and again come back with much room.
    pub(super) fn best_session(self, run: &DispatchedRun, key: JobKey) -> Option<SessionId> {
        let (job, open) = (run.job(key.job)?, run.open());
        let is_second = self.audits.is_answered(key);
        let has_failed = self.health.has_failures(key);
        let cleared = self.cleared(open).filter_map(|(_, session)| {
            let SessionRank { is_healthy, room, id } =
                self.rank(run, session, job.class(), is_second)?;
            let record = has_failed.then(|| {
                let has_completed = self.health.has_completed(key.run, session.worker());
                (has_completed, Reverse(session.joined_at()))
            });
            self.suits(open, key, job, session).then_some((is_healthy, record, room, id))
        });
        cleared.max().map(|(.., id)| id)
    }

    /// Returns the ranks of all sessions, for jobs of one class of the run that have not failed.
    pub(super) fn ranks(
        self,
        run: &DispatchedRun,
        class: SeriesClass,
        is_second: bool,
    ) -> impl Iterator<Item = SessionRank> {
        let cleared = self.cleared(run.open());
        cleared.filter_map(move |(_, session)| self.rank(run, session, class, is_second))
    }

    /// Returns the rank of a session, for jobs of one class of the run that have not failed; `None`
    /// if the session may get no more jobs.
    pub(super) fn rank(
        self,
        run: &DispatchedRun,
        session: &WorkerSession,
        class: SeriesClass,
        is_second: bool,
    ) -> Option<SessionRank> {
        let allowance = self.allowance(session, run.open());
        let room = self.room(run, session, class, is_second);
        let has_released = session.has_released(self.now, AFTER_RELEASE);
        let is_healthy = allowance == JobAllowance::Full && !has_released;
        (room != 0).then_some(SessionRank { is_healthy, room, id: session.id() })
    }

    /// Returns whether a worker would get the job if its run might use one more slot.
    pub(super) fn waits_for_slot(self, run: &DispatchedRun, key: JobKey) -> bool {
        let Some(job) = run.job(key.job) else { return false };
        let is_second = self.audits.is_answered(key);
        let has_room = |session: &WorkerSession| {
            self.unlimited_room(run, session, job.class(), is_second) != 0
                && self.suits(run.open(), key, job, session)
        };
        run.slot_limit().is_some_and(SlotLimit::is_used_up)
            && self.cleared(run.open()).any(|(_, session)| has_room(session))
    }

    /// Returns the number of further jobs of one class of the run that a worker may get.
    fn room(
        self,
        run: &DispatchedRun,
        session: &WorkerSession,
        class: SeriesClass,
        is_second: bool,
    ) -> u32 {
        let room = self.unlimited_room(run, session, class, is_second);
        let (held, slots) =
            (session.held().of_run(run.open().run), session.slots_for(run.is_short()));
        run.slot_limit().map_or(room, |limit| room.min(limit.room(held, slots, class)))
    }

    /// Returns the same number for a run without a limit on slots.
    fn unlimited_room(
        self,
        run: &DispatchedRun,
        session: &WorkerSession,
        class: SeriesClass,
        is_second: bool,
    ) -> u32 {
        let room = session.room(class, run.is_short());
        // The answer to a long job waits for no check.
        let waits = !is_second && class == SeriesClass::Pooled;
        let reserved = if waits { self.reserve(session, run.open()) } else { 0 };
        match self.allowance(session, run.open()) {
            JobAllowance::Full => room.saturating_sub(reserved),
            JobAllowance::One => room.min(u32::from(session.held().is_empty())),
            JobAllowance::Paused => 0,
        }
    }

    /// Returns the number of slots that an untrusted worker keeps free to check other workers.
    /// Without free slots, workers that all wait for each other's second opinion would wait
    /// forever.
    fn reserve(self, session: &WorkerSession, open: &OpenRun) -> u32 {
        match self.audits.trust_level(session.id()) {
            TrustLevel::Checked => 0,
            TrustLevel::Unchecked => u32::from(self.has_other_source(session, open)),
        }
    }

    /// Returns the number of places that the run could have if it were alone.
    pub(super) fn places(self, run: &DispatchedRun) -> usize {
        let places = |session: &WorkerSession| {
            session.held().len() + self.room(run, session, SeriesClass::Pooled, false) as usize
        };
        self.cleared(run.open()).map(|(_, session)| places(session)).sum()
    }

    /// Returns the workers that have been connected here for at least `least` and may get jobs of
    /// the run.
    pub(super) fn workers(self, open: &OpenRun, least: Duration) -> BTreeSet<WorkerId> {
        let available = self.available(open);
        available
            .filter(|(_, session)| least <= self.now - session.joined_at())
            .map(|(_, session)| session.worker())
            .collect()
    }
}

impl SessionRanking {
    /// Returns the session that should get the job, as [`WorkerEligibility::best_session`] does.
    pub(super) fn best(
        &mut self,
        eligibility: WorkerEligibility<'_>,
        run: &DispatchedRun,
        key: JobKey,
    ) -> Option<SessionId> {
        if eligibility.health.has_failures(key) {
            return eligibility.best_session(run, key);
        }
        let job = run.job(key.job)?;
        let is_second = eligibility.audits.is_answered(key);
        let ranks = if is_second { &mut self.second } else { &mut self.first };
        let class = job.class();
        let ranked = || eligibility.ranks(run, class, is_second).collect();
        let ranks = ranks.entry(class).or_insert_with(ranked);
        let (mut passed, mut best) = (Vec::new(), None);
        while best.is_none()
            && let Some(known) = ranks.pop()
        {
            let session = eligibility.sessions.get(known.id);
            match session.and_then(|session| eligibility.rank(run, session, class, is_second)) {
                Some(rank) if rank == known => {
                    let suits = |session| eligibility.suits(run.open(), key, job, session);
                    best = session.is_some_and(suits).then_some(rank.id);
                    passed.push(rank);
                }
                fallen => ranks.extend(fallen),
            }
        }
        ranks.extend(passed);
        #[cfg(test)]
        assert_eq!(best, eligibility.best_session(run, key), "a rank has risen");
        best
    }
}
