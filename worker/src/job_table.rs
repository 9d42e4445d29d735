//! The jobs and results in hand: jobs that wait, jobs that run, and results without a verdict.
//!
//! Pure bookkeeping: the table decides which jobs start and which messages are sent, and uses
//! neither network nor threads. It outlives sessions; [`JobTable::begin_session`] drops what
//! belongs to one.
//!
//! ```text
//! assign -> WAITING -> start -> RUNNING -> finish -> DONE -> verdict -> removed
//!              |                   |                   |
//!              +----- cancel ------+------ cancel -----+--> removed
//! ```

mod deliver;
pub(crate) mod delivery;
mod outbound;
mod release;
mod slot_limits;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hatchery_core::PartSet;
use hatchery_proto::v1::{self, HeldJob, Job, JobFailure, Verdict, Verdicts, result};
use tokio::time::Instant;

use self::delivery::DeliveryNeed;
use crate::executor::handle::JobHandle;
use crate::executor::job::{ComputedOutput, JobOutcome};
use crate::ids::{JobKey, RunId, Ticket};

/// The number of unfinished jobs per slot: a running job and a job that waits behind it.
const UNFINISHED_PER_SLOT: usize = 2;

/// The time that the unfinished jobs of a slot should last, because it takes milliseconds to get
/// more jobs. If two jobs last less, the worker takes more jobs, up to a number per slot and in
/// total.
const PREFETCH_NS: u64 = 5_000_000;
const MAX_PREFETCH_PER_SLOT: usize = 32;
const MAX_PREFETCH: usize = 256;

/// The weight of the last job in the mean time of a job, as a divisor.
const MEAN_DIVISOR: u64 = 8;

/// The least number of jobs that a worker may hold, results without a verdict included: the results
/// that wait for a slow store may equal the unfinished jobs in number, then the worker stops.
const MIN_HELD_JOBS: usize = 8;

/// The most jobs that wait to be given back: more are an attack.
const MAX_RELEASES: usize = 4096;

/// The readiness of a worker to take more jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobIntake {
    /// The worker asks for jobs.
    Open,
    /// The worker is to leave.
    Closed,
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct JobTable {
    slots: usize,
    /// The mean time of the last jobs.
    mean_job_ns: Option<u64>,
    jobs: BTreeMap<JobKey, JobEntry>,
    /// The number of jobs that are DONE.
    n_done: usize,
    waiting: VecDeque<JobKey>,
    /// The jobs that are DONE and have to be sent. May contain jobs that were removed.
    unsent: VecDeque<JobKey>,
    releases: VecDeque<JobKey>,
    /// The jobs that are DONE and need a delivery before their result is sent. May contain jobs
    /// that were removed.
    deliveries: VecDeque<JobKey>,
    /// The credits of this session that no job has used.
    credits: usize,
    /// The most slots that the jobs of a run may use. A run without an entry may use all slots.
    limits: BTreeMap<RunId, usize>,
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
        /// The most slots that it uses.
        n_slots: usize,
    },
    Done {
        result: Box<v1::Result>,
        /// Set while the job is among the unsent or the deliveries.
        is_queued: bool,
        /// The parts that its trials wrote.
        parts: PartSet,
        /// The deliveries that must precede the result.
        need: DeliveryNeed,
    },
}

impl JobTable {
    /// An empty table of a worker with this number of slots.
    pub(crate) fn new(slots: u32) -> Self {
        Self {
            slots: slots as usize,
            mean_job_ns: None,
            jobs: BTreeMap::new(),
            n_done: 0,
            waiting: VecDeque::new(),
            unsent: VecDeque::new(),
            releases: VecDeque::new(),
            deliveries: VecDeque::new(),
            credits: 0,
            limits: BTreeMap::new(),
        }
    }

    /// Begins a session with another coordinator: without credits, and with all results unsent.
    pub(crate) fn begin_session(&mut self) {
        (self.credits, self.releases) = (0, VecDeque::new());
        self.unsent.clear();
        self.deliveries.clear();
        let mut done = Vec::with_capacity(self.n_done);
        for (&key, entry) in &mut self.jobs {
            if let EntryStage::Done { is_queued, .. } = &mut entry.stage {
                *is_queued = false;
                done.push(key);
            }
        }
        done.into_iter().for_each(|key| self.queue_result(key));
    }

    /// Returns the jobs to name in Hello: all that are not cancelled.
    pub(crate) fn held_jobs(&self) -> Vec<HeldJob> {
        let wanted = self.jobs.iter().filter(|(_, entry)| !entry.is_cancelled());
        let held = |(key, entry): (&JobKey, &JobEntry)| HeldJob {
            r#ref: Some(key.to_wire()),
            ticket: entry.ticket.to_wire(),
        };
        wanted.map(held).collect()
    }

    /// Adds a job that was assigned.
    ///
    /// The job is given back if the worker did not ask for it, or still tries to stop it. A job
    /// that is in hand already stays, with the new ticket.
    pub(crate) fn assign(&mut self, key: JobKey, ticket: Ticket, job: Job) {
        let is_asked_for = 0 < self.credits;
        self.spend_credit();
        let Some(entry) = self.jobs.get_mut(&key) else {
            if !is_asked_for {
                return self.queue_release(key);
            }
            self.jobs.insert(key, JobEntry { ticket, stage: EntryStage::Waiting(Box::new(job)) });
            return self.waiting.push_back(key);
        };
        if entry.is_cancelled() {
            return self.queue_release(key);
        }
        entry.ticket = ticket;
        self.queue_result(key);
    }

    /// Adds an assigned job that cannot be decoded: a new job fails at once.
    pub(crate) fn assign_malformed(&mut self, key: JobKey, ticket: Ticket, failure: JobFailure) {
        let is_new = !self.jobs.contains_key(&key);
        self.assign(key, ticket, Job::default());
        if is_new {
            self.finish(key, JobOutcome::Failed(failure));
        }
    }

    /// Uses up a credit. A job without an address does so too.
    pub(crate) fn spend_credit(&mut self) {
        self.credits = self.credits.saturating_sub(1);
    }

    /// Returns true if more jobs are to be given back than any mistake explains.
    pub(crate) fn is_flooded(&self) -> bool {
        MAX_RELEASES < self.releases.len()
    }

    /// Marks a job as running and returns it with the number of slots that it may use; `None` if it
    /// does not wait, or if its run uses all the slots that it may.
    pub(crate) fn start(&mut self, key: JobKey, handle: Arc<JobHandle>) -> Option<(Job, usize)> {
        let n_slots = self.slots_for(key)?;
        let entry = self.jobs.get_mut(&key)?;
        let EntryStage::Waiting(job) = &mut entry.stage else { return None };
        let job = std::mem::take(&mut **job);
        entry.stage = EntryStage::Running { handle, cancelled_at: None, n_slots };
        self.waiting.retain(|other| *other != key);
        Some((job, n_slots))
    }

    /// Records the outcome of a job that ended or cannot start. Only outputs and failures of jobs
    /// that are still wanted become results.
    pub(crate) fn finish(&mut self, key: JobKey, outcome: JobOutcome) {
        let Some(entry) = self.jobs.get_mut(&key) else { return };
        if let EntryStage::Done { .. } = entry.stage {
            return;
        }
        let (outcome, parts, cost) = match outcome {
            _ if entry.is_cancelled() => return self.remove(key),
            JobOutcome::Cancelled => {
                self.remove(key);
                return self.queue_release(key);
            }
            JobOutcome::Output(ComputedOutput { output, parts, cost }) => {
                let mean = self.mean_job_ns.unwrap_or(cost.wall_ns);
                let mean = mean - mean / MEAN_DIVISOR + cost.wall_ns / MEAN_DIVISOR;
                // The mean rises at once, as long jobs must not pile up.
                self.mean_job_ns = Some(mean.max(cost.wall_ns / 2));
                (result::Outcome::Output(output), parts, Some(cost))
            }
            JobOutcome::Failed(failure) => {
                (result::Outcome::Failure(failure), PartSet::default(), None)
            }
        };
        let result =
            v1::Result { r#ref: Some(key.to_wire()), outcome: Some(outcome), cost, ticket: vec![] };
        let need = DeliveryNeed::of(&result, &parts);
        entry.stage = EntryStage::Done { result: Box::new(result), is_queued: false, parts, need };
        self.n_done += 1;
        // A job that cannot start ends while it waits.
        self.waiting.retain(|other| *other != key);
        self.queue_result(key);
    }

    /// Removes the results that have a verdict.
    pub(crate) fn apply_verdicts(&mut self, verdicts: &Verdicts) {
        for verdict in &verdicts.verdicts {
            if let Some(key) = JobKey::from_wire(verdict.r#ref.as_ref()) {
                self.apply_verdict(key, verdict.verdict());
            }
        }
    }

    fn apply_verdict(&mut self, key: JobKey, verdict: Verdict) {
        let stage = self.jobs.get(&key).map(|entry| &entry.stage);
        let is_done = matches!(stage, Some(EntryStage::Done { .. }));
        // A verdict that this version does not know is none: the result is sent again.
        if !is_done || verdict == Verdict::Unspecified {
            return;
        }
        if verdict == Verdict::PartsMissing {
            return self.deliver_again(key);
        }
        if verdict == Verdict::Invalid {
            tracing::warn!(job = %key, "result rejected as invalid");
        }
        self.remove(key);
    }

    /// Returns the most jobs that may wait or run.
    fn max_unfinished(&self) -> usize {
        let min = UNFINISHED_PER_SLOT * self.slots;
        let Some(job_ns) = self.mean_job_ns else { return min };
        let per_slot = usize::try_from(PREFETCH_NS / job_ns.max(1)).unwrap_or(usize::MAX);
        let prefetch = self.slots.saturating_mul(per_slot.min(MAX_PREFETCH_PER_SLOT));
        prefetch.min(MAX_PREFETCH).max(min)
    }

    /// Returns the number of jobs that wait or run.
    pub(crate) fn n_unfinished(&self) -> usize {
        self.jobs.len() - self.n_done
    }

    /// Returns the number of results without a verdict.
    pub(crate) fn n_done(&self) -> usize {
        self.n_done
    }

    fn remove(&mut self, key: JobKey) {
        if let Some(JobEntry { stage: EntryStage::Done { .. }, .. }) = self.jobs.remove(&key) {
            self.n_done -= 1;
        }
        self.waiting.retain(|other| *other != key);
        if !self.has_job_of(key.run) {
            self.limits.remove(&key.run);
        }
    }

    /// Queues the result of a DONE job to be sent, after its delivery if it needs one.
    fn queue_result(&mut self, key: JobKey) {
        if let Some(JobEntry { stage: EntryStage::Done { is_queued, need, .. }, .. }) =
            self.jobs.get_mut(&key)
            && !std::mem::replace(is_queued, true)
        {
            match need {
                DeliveryNeed::Nothing => self.unsent.push_back(key),
                DeliveryNeed::Parts | DeliveryNeed::Result => self.deliveries.push_back(key),
            }
        }
    }

    fn queue_release(&mut self, key: JobKey) {
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

    fn output(output: Vec<u8>, cost: JobCost) -> JobOutcome {
        JobOutcome::Output(ComputedOutput { output, parts: PartSet::default(), cost })
    }

    fn index(job_ref: Option<&JobRef>) -> u64 {
        job_ref.unwrap().index
    }

    /// Bounds hold, counts agree, and no result is sent twice in a session.
    #[test]
    fn every_order_of_events_keeps_the_table_consistent() {
        for seed in 0..300 {
            let mut rng = Rng::with_seed(seed);
            let slots = 1 + u32::try_from(rng.u64(..4)).unwrap();
            let mut table = JobTable::new(slots);
            // Jobs that take no time, and long ones.
            let (wall_ns, per_slot) = [(0, 32), (10_000_000, 2)][usize::from(seed % 2 == 0)];
            let (mut credits, mut next, now) = (0, 0, Instant::now());
            let mut sent = BTreeSet::new();
            for _ in 0..300 {
                let any = rng.u64(..next + 1);
                match rng.u64(..8) {
                    0 if 0 < credits => {
                        credits -= 1;
                        next += 1;
                        table.assign(key(next), ticket(&[1]), Job::default());
                    }
                    1 => {
                        let first = table.first_waiting(1).next().map(|(key, _)| key);
                        first.map(|key| table.start(key, Arc::new(JobHandle::default())));
                    }
                    2 => {
                        let cost = JobCost { wall_ns, ..JobCost::default() };
                        table.finish(key(any), output(vec![], cost));
                    }
                    3 => {
                        let verdict = JobVerdict {
                            r#ref: Some(key(any).to_wire()),
                            verdict: Verdict::Accepted.into(),
                        };
                        table.apply_verdicts(&Verdicts { verdicts: vec![verdict] });
                    }
                    4 => table.cancel(key(any), now),
                    5 if rng.u64(..10) == 0 => {
                        table.begin_session();
                        (credits, sent) = (0, BTreeSet::new());
                    }
                    _ => match table.next_message(JobIntake::Open) {
                        Some(to_coordinator::Message::Want(want)) => credits += want.credits,
                        Some(to_coordinator::Message::Results(results)) => {
                            for result in results.results {
                                let index = index(result.r#ref.as_ref());
                                assert!(sent.insert(index), "{index} is sent twice");
                                assert_eq!(result.ticket, [1]);
                            }
                        }
                        Some(other) => panic!("{other:?}, although nothing was refused"),
                        None => assert!(!table.has_message(JobIntake::Open)),
                    },
                }
                let slots = slots as usize;
                assert!(table.n_unfinished() + credits as usize <= per_slot * slots);
                assert!(table.jobs.len() + credits as usize <= (2 * per_slot * slots).max(8));
                let done = |entry: &&JobEntry| matches!(entry.stage, EntryStage::Done { .. });
                assert_eq!(table.n_done(), table.jobs.values().filter(done).count());
                assert_eq!(table.credits, credits as usize);
            }
        }
    }

    #[test]
    fn as_many_jobs_are_prefetched_as_last_for_a_while() {
        let mut table = JobTable::new(2);
        assert_eq!(table.max_unfinished(), 4);
        // After one long job as few as if all were long.
        let jobs = [(0, 64), (0, 64), (1_000_000_000, 4), (0, 4)];
        for (index, (wall_ns, expected)) in (0..).zip(jobs) {
            table.next_message(JobIntake::Open);
            table.assign(key(index), ticket(&[]), Job::default());
            table.finish(key(index), output(vec![], JobCost { cpu_ns: 0, wall_ns }));
            assert_eq!(table.max_unfinished(), expected, "{index}");
        }
        assert_eq!(
            JobTable { mean_job_ns: Some(1_000_000), ..JobTable::new(2) }.max_unfinished(),
            10
        );
        assert_eq!(JobTable { mean_job_ns: Some(0), ..JobTable::new(64) }.max_unfinished(), 256);
        assert_eq!(JobTable { mean_job_ns: Some(0), ..JobTable::new(1024) }.max_unfinished(), 2048);
    }

    #[test]
    fn jobs_that_were_not_asked_for_are_given_back() {
        let mut table = JobTable::new(1);
        for index in 0..4097 {
            assert!(!table.is_flooded());
            table.assign(key(index), ticket(&[]), Job::default());
        }
        assert!(table.is_flooded());
        let Some(to_coordinator::Message::Release(release)) = table.next_message(JobIntake::Open)
        else {
            panic!("jobs are given back before new ones are asked for")
        };
        assert_eq!(release.refs.len(), hatchery_proto::MAX_BATCH_ITEMS);
        assert_eq!(table.n_unfinished(), 0);
    }

    #[test]
    fn a_job_that_is_assigned_again_keeps_its_result_and_takes_the_new_ticket() {
        let mut table = JobTable::new(1);
        table.next_message(JobIntake::Open);
        table.assign(key(1), ticket(&[1; 99]), Job::default());
        assert_eq!(table.held_jobs()[0].ticket, [1; TICKET_BYTES], "a ticket is cut off");
        table.finish(key(1), output(vec![5], JobCost::default()));
        assert!(table.next_message(JobIntake::Closed).is_some());
        assert!(!table.has_message(JobIntake::Closed));
        table.assign(key(1), ticket(&[2]), Job::default());
        let Some(to_coordinator::Message::Results(results)) = table.next_message(JobIntake::Closed)
        else {
            panic!("the result is sent again")
        };
        assert_eq!(results.results[0].ticket, [2]);
    }
}
