//! What a worker has in hand: jobs that wait, jobs that run, and results without a verdict.
//!
//! Pure bookkeeping: it says what is to be sent and started, and sees neither network nor threads.
//! It outlives sessions; what belongs to one session is forgotten by [`JobTable::begin_session`].
//!
//! ```text
//! assign -> WAITING -> take -> RUNNING -> finish -> DONE -> verdict -> gone
//!              |                  |                   |
//!              +---- cancel ------+------- cancel ----+--> gone
//! ```

mod outbound;
mod release;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hatchery_proto::v1::{self, HeldJob, Job, JobFailure, Verdict, Verdicts, result};
use tokio::time::Instant;

use crate::executor::handle::JobHandle;
use crate::executor::job::JobOutcome;
use crate::ids::{JobKey, Ticket};

/// How many jobs run or wait, per slot: one at work, one behind it.
const AT_WORK_PER_SLOT: usize = 2;

/// How long the jobs at work should last, per slot, where two last less: as it takes milliseconds to
/// get others. Then there are more of them, but no more than so many per slot and in all.
const AHEAD_NS: u64 = 5_000_000;
const SHORT_AT_WORK_PER_SLOT: usize = 32;
const SHORT_AT_WORK: usize = 256;

/// The share of the last job in the time that jobs are taken to need.
const PACE_DIVISOR: u64 = 8;

/// How many jobs a worker has in hand at least, results without a verdict included: as many as are
/// at work may wait for a store that is slow, then the worker stops.
const IN_HAND_AT_LEAST: usize = 8;

/// The most jobs that wait to be given back: more are an attack.
const MAX_RELEASES: usize = 4096;

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct JobTable {
    slots: usize,
    /// How long jobs take, by the last ones.
    job_ns: Option<u64>,
    jobs: BTreeMap<JobKey, JobEntry>,
    /// How many of the jobs are DONE.
    n_done: usize,
    waiting: VecDeque<JobKey>,
    /// DONE and to be sent; may hold keys of jobs that are gone.
    unsent: VecDeque<JobKey>,
    releases: VecDeque<JobKey>,
    /// Credits of this session that no job has come for.
    granted: usize,
}

#[derive(Debug)]
struct JobEntry {
    ticket: Ticket,
    stage: EntryStage,
}

#[derive(Debug)]
enum EntryStage {
    Waiting(Box<Job>),
    Running {
        handle: Arc<JobHandle>,
        cancelled_at: Option<Instant>,
    },
    Done {
        result: Box<v1::Result>,
        /// Whether it is among the unsent.
        queued: bool,
    },
}

impl JobTable {
    pub(crate) fn new(slots: u32) -> Self {
        Self {
            slots: slots as usize,
            job_ns: None,
            jobs: BTreeMap::new(),
            n_done: 0,
            waiting: VecDeque::new(),
            unsent: VecDeque::new(),
            releases: VecDeque::new(),
            granted: 0,
        }
    }

    /// Starts anew with another coordinator: without credits, and with all results unsent.
    pub(crate) fn begin_session(&mut self) {
        (self.granted, self.releases) = (0, VecDeque::new());
        self.unsent.clear();
        for (&key, held) in &mut self.jobs {
            if let EntryStage::Done { queued, .. } = &mut held.stage {
                *queued = true;
                self.unsent.push_back(key);
            }
        }
    }

    /// The jobs to name in Hello: all that are not cancelled.
    pub(crate) fn held(&self) -> Vec<HeldJob> {
        let wanted = self.jobs.iter().filter(|(_, held)| !held.is_cancelled());
        let named = |(key, held): (&JobKey, &JobEntry)| HeldJob {
            r#ref: Some(key.to_wire()),
            ticket: held.ticket.to_wire(),
        };
        wanted.map(named).collect()
    }

    /// A job came. It is refused, to be given back, if it was not asked for or if the worker still
    /// tries to stop it; one that is in hand already stays, with the new ticket.
    pub(crate) fn assign(&mut self, key: JobKey, ticket: Ticket, job: Job) {
        let asked_for = 0 < self.granted;
        self.spend_credit();
        let Some(held) = self.jobs.get_mut(&key) else {
            if !asked_for {
                return self.give_back(key);
            }
            self.jobs.insert(key, JobEntry { ticket, stage: EntryStage::Waiting(Box::new(job)) });
            return self.waiting.push_back(key);
        };
        if held.is_cancelled() {
            return self.give_back(key);
        }
        held.ticket = ticket;
        if let EntryStage::Done { queued, .. } = &mut held.stage
            && !std::mem::replace(queued, true)
        {
            self.unsent.push_back(key);
        }
    }

    /// A job came that can't be read: if it is new, it has failed.
    pub(crate) fn assign_malformed(&mut self, key: JobKey, ticket: Ticket, failed: JobFailure) {
        let is_new = !self.jobs.contains_key(&key);
        self.assign(key, ticket, Job::default());
        if is_new {
            self.finish(key, JobOutcome::Failed(failed));
        }
    }

    /// A job came that has no address; its credit is used up.
    pub(crate) fn spend_credit(&mut self) {
        self.granted = self.granted.saturating_sub(1);
    }

    /// Whether more is to be given back than any mistake explains.
    pub(crate) fn is_flooded(&self) -> bool {
        MAX_RELEASES < self.releases.len()
    }

    /// The first `n` jobs that wait, in the order in which they came.
    pub(crate) fn waiting(&self, n: usize) -> impl Iterator<Item = (JobKey, &Job)> {
        self.waiting.iter().take(n).filter_map(|key| match &self.jobs.get(key)?.stage {
            EntryStage::Waiting(job) => Some((*key, &**job)),
            EntryStage::Running { .. } | EntryStage::Done { .. } => None,
        })
    }

    /// Takes a job that waits, to run it.
    pub(crate) fn take(&mut self, key: JobKey, handle: Arc<JobHandle>) -> Option<Job> {
        let held = self.jobs.get_mut(&key)?;
        let EntryStage::Waiting(job) = &mut held.stage else { return None };
        let job = std::mem::take(&mut **job);
        held.stage = EntryStage::Running { handle, cancelled_at: None };
        self.waiting.retain(|other| *other != key);
        Some(job)
    }

    /// A job ended, or can't begin.
    pub(crate) fn finish(&mut self, key: JobKey, executed: JobOutcome) {
        let Some(held) = self.jobs.get_mut(&key) else { return };
        if let EntryStage::Done { .. } = held.stage {
            return;
        }
        let (outcome, cost) = match executed {
            _ if held.is_cancelled() => return self.drop_job(key),
            JobOutcome::Cancelled => {
                self.drop_job(key);
                return self.give_back(key);
            }
            JobOutcome::Output(output, cost) => {
                let known = self.job_ns.unwrap_or(cost.wall_ns);
                // Up at once, as long jobs must not pile up.
                let mean = known - known / PACE_DIVISOR + cost.wall_ns / PACE_DIVISOR;
                self.job_ns = Some(mean.max(cost.wall_ns / 2));
                (result::Outcome::Output(output), Some(cost))
            }
            JobOutcome::Failed(failure) => (result::Outcome::Failure(failure), None),
        };
        let result =
            v1::Result { r#ref: Some(key.to_wire()), outcome: Some(outcome), cost, ticket: vec![] };
        held.stage = EntryStage::Done { result: Box::new(result), queued: true };
        self.n_done += 1;
        // A job that can't begin ends while it waits.
        self.waiting.retain(|other| *other != key);
        self.unsent.push_back(key);
    }

    /// Verdicts end the lives of results.
    pub(crate) fn resolve_all(&mut self, verdicts: &Verdicts) {
        for verdict in &verdicts.verdicts {
            if let Some(key) = JobKey::from_wire(verdict.r#ref.as_ref()) {
                self.resolve(key, verdict.verdict());
            }
        }
    }

    fn resolve(&mut self, key: JobKey, verdict: Verdict) {
        let done =
            self.jobs.get(&key).is_some_and(|held| matches!(held.stage, EntryStage::Done { .. }));
        // A verdict that this version does not know is none: the result is brought again.
        if !done || verdict == Verdict::Unspecified {
            return;
        }
        if verdict == Verdict::Invalid {
            tracing::warn!(job = %key, "the coordinator calls the result invalid");
        }
        self.drop_job(key);
    }

    /// How many jobs may wait or run.
    fn most_at_work(&self) -> usize {
        let at_least = AT_WORK_PER_SLOT * self.slots;
        let Some(job_ns) = self.job_ns else { return at_least };
        let per_slot = usize::try_from(AHEAD_NS / job_ns.max(1)).unwrap_or(usize::MAX);
        let most = self.slots.saturating_mul(per_slot.min(SHORT_AT_WORK_PER_SLOT));
        most.min(SHORT_AT_WORK).max(at_least)
    }

    /// How many jobs wait or run.
    pub(crate) fn n_at_work(&self) -> usize {
        self.jobs.len() - self.n_done
    }

    /// How many results have no verdict.
    pub(crate) fn n_done(&self) -> usize {
        self.n_done
    }

    fn drop_job(&mut self, key: JobKey) {
        if let Some(JobEntry { stage: EntryStage::Done { .. }, .. }) = self.jobs.remove(&key) {
            self.n_done -= 1;
        }
        self.waiting.retain(|other| *other != key);
    }

    fn give_back(&mut self, key: JobKey) {
        self.releases.push_back(key);
    }
}

impl JobEntry {
    fn is_cancelled(&self) -> bool {
        matches!(self.stage, EntryStage::Running { cancelled_at: Some(_), .. })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fastrand::Rng;
    use hatchery_proto::TICKET_BYTES;
    use hatchery_proto::v1::{JobCost, JobRef, JobVerdict, to_coordinator};

    use super::*;

    fn key(index: u64) -> JobKey {
        JobKey::from_wire(Some(&JobRef { run: vec![1; 16], generation: 0, index })).unwrap()
    }

    fn ticket(bytes: &[u8]) -> Ticket {
        Ticket::from_wire(bytes.to_vec())
    }

    fn index(job_ref: Option<&JobRef>) -> u64 {
        job_ref.unwrap().index
    }

    /// Whatever happens in whatever order: bounds hold, each job is answered for, and no result is
    /// sent twice in a session.
    #[test]
    fn every_order_of_events_keeps_the_books() {
        for seed in 0..300 {
            let mut rng = Rng::with_seed(seed);
            let slots = 1 + u32::try_from(rng.u64(..4)).unwrap();
            let mut desk = JobTable::new(slots);
            // Jobs that take no time, and jobs that take long.
            let (wall_ns, per_slot) = [(0, 32), (10_000_000, 2)][usize::from(seed % 2 == 0)];
            let (mut credits, mut next, now) = (0, 0, Instant::now());
            let mut sent = BTreeSet::new();
            for _ in 0..300 {
                let any = rng.u64(..next + 1);
                match rng.u64(..8) {
                    0 if 0 < credits => {
                        credits -= 1;
                        next += 1;
                        desk.assign(key(next), ticket(&[1]), Job::default());
                    }
                    1 => {
                        let first = desk.waiting(1).next().map(|(key, _)| key);
                        first.map(|key| desk.take(key, Arc::new(JobHandle::default())));
                    }
                    2 => {
                        let cost = JobCost { wall_ns, ..JobCost::default() };
                        desk.finish(key(any), JobOutcome::Output(vec![], cost));
                    }
                    3 => {
                        let verdict = JobVerdict {
                            r#ref: Some(key(any).to_wire()),
                            verdict: Verdict::Accepted.into(),
                        };
                        desk.resolve_all(&Verdicts { verdicts: vec![verdict] });
                    }
                    4 => desk.cancel(key(any), now),
                    5 if rng.u64(..10) == 0 => {
                        desk.begin_session();
                        (credits, sent) = (0, BTreeSet::new());
                    }
                    _ => match desk.next_message(true) {
                        Some(to_coordinator::Message::Want(want)) => credits += want.credits,
                        Some(to_coordinator::Message::Results(results)) => {
                            for result in results.results {
                                let index = index(result.r#ref.as_ref());
                                assert!(sent.insert(index), "{index} twice");
                                assert_eq!(result.ticket, [1]);
                            }
                        }
                        Some(other) => panic!("{other:?} although nothing was refused"),
                        None => assert!(!desk.has_message(true)),
                    },
                }
                let slots = slots as usize;
                assert!(desk.n_at_work() + credits as usize <= per_slot * slots);
                assert!(desk.jobs.len() + credits as usize <= (2 * per_slot * slots).max(8));
                let done = |held: &&JobEntry| matches!(held.stage, EntryStage::Done { .. });
                assert_eq!(desk.n_done(), desk.jobs.values().filter(done).count());
                assert_eq!(desk.granted, credits as usize);
            }
        }
    }

    #[test]
    fn as_many_are_at_work_as_last_for_a_while() {
        let mut desk = JobTable::new(2);
        assert_eq!(desk.most_at_work(), 4);
        // Short ones, then one that is long: at once as few as if all were.
        let jobs = [(0, 64), (0, 64), (1_000_000_000, 4), (0, 4)];
        for (index, (wall_ns, expected)) in (0..).zip(jobs) {
            desk.next_message(true);
            desk.assign(key(index), ticket(&[]), Job::default());
            desk.finish(key(index), JobOutcome::Output(vec![], JobCost { cpu_ns: 0, wall_ns }));
            assert_eq!(desk.most_at_work(), expected, "{index}");
        }
        assert_eq!(JobTable { job_ns: Some(1_000_000), ..JobTable::new(2) }.most_at_work(), 10);
        assert_eq!(JobTable { job_ns: Some(0), ..JobTable::new(64) }.most_at_work(), 256);
        assert_eq!(JobTable { job_ns: Some(0), ..JobTable::new(1024) }.most_at_work(), 2048);
    }

    #[test]
    fn what_was_not_asked_for_is_given_back() {
        let mut desk = JobTable::new(1);
        for index in 0..4097 {
            assert!(!desk.is_flooded());
            desk.assign(key(index), ticket(&[]), Job::default());
        }
        assert!(desk.is_flooded());
        let Some(to_coordinator::Message::Release(release)) = desk.next_message(true) else {
            panic!("jobs to give back come before new ones are asked for")
        };
        assert_eq!(release.refs.len(), hatchery_proto::MAX_BATCH_ITEMS);
        assert_eq!(desk.n_at_work(), 0);
    }

    #[test]
    fn a_job_that_comes_again_keeps_its_result_and_takes_the_new_ticket() {
        let mut desk = JobTable::new(1);
        desk.next_message(true);
        desk.assign(key(1), ticket(&[1; 99]), Job::default());
        assert_eq!(desk.held()[0].ticket, [1; TICKET_BYTES], "no ticket is longer");
        desk.finish(key(1), JobOutcome::Output(vec![5], JobCost::default()));
        assert!(desk.next_message(false).is_some());
        assert!(!desk.has_message(false));
        desk.assign(key(1), ticket(&[2]), Job::default());
        let Some(to_coordinator::Message::Results(results)) = desk.next_message(false) else {
            panic!("the result comes again")
        };
        assert_eq!(results.results[0].ticket, [2]);
    }
}
