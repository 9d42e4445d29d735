//! An open run: its leased jobs, and its answers and results that wait for the store.

pub(super) mod fair;
pub(super) mod job_durations;
mod queue_latency;
pub(super) mod retry;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hatchery_core::SeriesClass;
use hatchery_store::{JobId, SessionId, WorkerId};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::effect::UnleasedResult;
use super::job::{JobAnswer, JobExecution, TrackedJob};
use super::message::{EnqueueRequest, KnownJobs, LeaderNotice, OpenRun};
use super::workers::held_jobs::{HeldOfRun, SlotUse};
use super::workers::session::CREDITS_PER_SLOT;
use super::workers::slot_limit::{SlotLimit, WorkerSlots};
use crate::run::scheduling::RunScheduling;
use fair::ShareRequest;
use job_durations::{JobDurations, LATE_AT_LEAST};
use queue_latency::QueueLatency;

/// The interval at which the store is polled for jobs without a notification.
const POLL: Duration = Duration::from_secs(1);

/// The time for which ready jobs are left to other coordinators after the release of a job that
/// their workers have not tried: long enough for them to lease that job.
const YIELD: Duration = Duration::from_secs(1);

/// The time for which other coordinators come first where the limit on slots is divided: long
/// enough for these coordinators to learn of it, and for some short jobs.
const YIELD_SLOTS: Duration = Duration::from_secs(30);

/// The delay before answers are offered again to a store that did not take them.
const OFFER_AGAIN: Duration = Duration::from_millis(250);

/// An open run.
#[derive(Debug)]
pub(super) struct DispatchedRun {
    open: OpenRun,
    notify: Option<mpsc::UnboundedSender<LeaderNotice>>,
    /// The time from which the store may have ready jobs.
    ready_at: Instant,
    /// A lease request is under way.
    leasing: bool,
    /// Jobs were announced since the request.
    said_ready: bool,
    /// The last time at which jobs were left to other coordinators.
    yielded_at: Option<Instant>,
    jobs: BTreeMap<JobId, TrackedJob>,
    /// The jobs that no worker computes.
    idle: BTreeSet<JobId>,
    /// The number of executions at workers.
    n_executions: usize,
    /// Its limit on slots, if it has one, as of the last assignments.
    slot_limit: Option<SlotLimit>,
    /// The run's last turn, as a count of the assignments of all runs.
    served: u64,
    /// Answers that the store did not take yet, with the time of the next try.
    unstored: Vec<(JobId, JobAnswer)>,
    store_at: Instant,
    /// Results of jobs not leased here, while the store cannot be read.
    unleased: Vec<UnleasedResult>,
    /// The last durations of jobs with pooled trials. `alone` has the durations of jobs with a long
    /// trial.
    pooled: JobDurations,
    alone: JobDurations,
    waits: QueueLatency,
    /// The jobs that its leader in this process enqueues.
    enqueue_requests: Vec<EnqueueRequest>,
}

/// The remains of a closed run.
#[derive(Debug)]
pub(super) struct ClosedRun {
    /// Its leader, if it is in this process.
    pub(super) notify: Option<mpsc::UnboundedSender<LeaderNotice>>,
    pub(super) jobs: BTreeMap<JobId, TrackedJob>,
    /// The answers that the store did not take.
    pub(super) unstored: Vec<(JobId, JobAnswer)>,
    /// The results of jobs that were not leased here.
    pub(super) unleased: Vec<UnleasedResult>,
    pub(super) enqueue_requests: Vec<EnqueueRequest>,
}

impl DispatchedRun {
    pub(super) fn new(open: OpenRun, now: Instant) -> Self {
        let ready_at = match open.jobs {
            KnownJobs::Unknown => now,
            KnownJobs::None => now + POLL,
        };
        Self {
            open,
            notify: None,
            ready_at,
            leasing: false,
            said_ready: false,
            yielded_at: None,
            jobs: BTreeMap::new(),
            idle: BTreeSet::new(),
            n_executions: 0,
            slot_limit: None,
            served: 0,
            unstored: Vec::new(),
            store_at: now,
            unleased: Vec::new(),
            pooled: JobDurations::default(),
            alone: JobDurations::default(),
            waits: QueueLatency::default(),
            enqueue_requests: Vec::new(),
        }
    }

    /// Notifies the run's leader, if it is in this process.
    pub(super) fn notify(&self, notice: LeaderNotice) {
        if let Some(notify) = &self.notify {
            notify.send(notice).unwrap_or(());
        }
    }

    /// Leaves ready jobs to other coordinators for a while.
    pub(super) fn yield_to_others(&mut self, now: Instant) {
        self.yielded_at = Some(now);
    }

    /// Returns whether other coordinators come first where the run's limit on slots is divided.
    pub(super) fn yields_slots(&self, now: Instant) -> bool {
        self.yielded_at.is_some_and(|at| now - at < YIELD_SLOTS)
    }

    /// Returns the run as it was opened.
    pub(super) fn open(&self) -> &OpenRun {
        &self.open
    }

    /// Takes note of its leader in this process.
    pub(super) fn lead(&mut self, notify: mpsc::UnboundedSender<LeaderNotice>) {
        self.notify = Some(notify);
    }

    /// Takes note that its leader has stopped.
    pub(super) fn unlead(&mut self) {
        self.notify = None;
    }

    /// Returns whether its leader is in this process.
    pub(super) fn is_led_here(&self) -> bool {
        self.notify.is_some()
    }

    /// Returns whether a lease request is under way.
    pub(super) fn is_leasing(&self) -> bool {
        self.leasing
    }

    /// Returns whether the store may be asked for jobs now.
    pub(super) fn may_lease(&self, now: Instant) -> bool {
        let has_yielded = self.yielded_at.is_none_or(|at| YIELD <= now - at);
        !self.leasing && self.ready_at <= now && has_yielded
    }

    /// Begins a lease request.
    pub(super) fn begin_lease(&mut self) {
        (self.leasing, self.said_ready) = (true, false);
    }

    /// Ends a lease request for up to `most` jobs, which has got `n_jobs`.
    pub(super) fn end_lease(&mut self, now: Instant, most: usize, n_jobs: usize) {
        self.leasing = false;
        // The store may have answered before the jobs that were announced meanwhile.
        let has_more = n_jobs == most || self.said_ready;
        self.ready_at = if has_more { now } else { self.ready_at.max(now + POLL) };
    }

    /// Ends a lease request that has failed.
    pub(super) fn fail_lease(&mut self, now: Instant) {
        (self.leasing, self.ready_at) = (false, now + POLL);
    }

    /// Handles the notice that the store has ready jobs.
    pub(super) fn ready(&mut self, now: Instant) {
        (self.ready_at, self.said_ready) = (now, true);
    }

    /// Adds jobs that its leader enqueues.
    pub(super) fn enqueue(&mut self, now: Instant, request: EnqueueRequest) {
        self.enqueue_requests.push(request);
        self.ready(now);
    }

    /// Takes the jobs that its leader enqueues.
    pub(super) fn take_enqueue_requests(&mut self) -> Vec<EnqueueRequest> {
        std::mem::take(&mut self.enqueue_requests)
    }

    /// Takes note that `n_jobs` jobs from `first` on wait for workers.
    pub(super) fn begin_wait(&mut self, now: Instant, first: JobId, n_jobs: u64) {
        self.waits.begin(now, first, n_jobs);
    }

    /// Returns a job that is leased here.
    pub(super) fn job(&self, job: JobId) -> Option<&TrackedJob> {
        self.jobs.get(&job)
    }

    /// Returns whether a job is leased here.
    pub(super) fn has_job(&self, job: JobId) -> bool {
        self.jobs.contains_key(&job)
    }

    /// Returns the jobs that are leased here, in their order.
    pub(super) fn jobs(&self) -> impl ExactSizeIterator<Item = (JobId, &TrackedJob)> {
        self.jobs.iter().map(|(&job, leased)| (job, leased))
    }

    /// Returns the jobs that no worker computes, in their order.
    pub(super) fn idle(&self) -> impl ExactSizeIterator<Item = JobId> {
        self.idle.iter().copied()
    }

    /// Returns the class of a job; the default one if it is not leased here.
    pub(super) fn class(&self, job: JobId) -> SeriesClass {
        self.jobs.get(&job).map(TrackedJob::class).unwrap_or_default()
    }

    /// Returns the number of executions at workers.
    pub(super) fn n_executions(&self) -> usize {
        self.n_executions
    }

    /// Returns the number of jobs that workers compute or may compute.
    pub(super) fn n_open(&self) -> usize {
        self.n_executions + self.idle.len()
    }

    /// Adds a leased job.
    pub(super) fn insert(&mut self, job: JobId, leased: TrackedJob) {
        if leased.is_idle() {
            self.idle.insert(job);
        }
        self.n_executions += leased.executions().len();
        self.jobs.insert(job, leased);
    }

    /// Changes a job and updates the counts.
    pub(super) fn change<T>(
        &mut self,
        job: JobId,
        change: impl FnOnce(&mut TrackedJob) -> T,
    ) -> Option<T> {
        let leased = self.jobs.get_mut(&job)?;
        let before = leased.executions().len();
        let changed = change(leased);
        self.n_executions = self.n_executions + leased.executions().len() - before;
        if leased.is_idle() {
            self.idle.insert(job);
        } else {
            self.idle.remove(&job);
        }
        Some(changed)
    }

    /// Assigns a job to a worker's session. Returns the job's bytes, and the time that the job has
    /// waited if it was enqueued here.
    pub(super) fn assign(
        &mut self,
        now: Instant,
        job: JobId,
        (to, worker): (SessionId, WorkerId),
    ) -> Option<(Vec<u8>, Option<Duration>)> {
        let bytes = self.change(job, |leased| {
            leased.assign(JobExecution::new(to, worker, now));
            leased.bytes().to_vec()
        })?;
        Some((bytes, self.waits.end(now, job)))
    }

    /// Takes note of a session's report on its execution of a job; returns whether it is a sign of
    /// progress.
    pub(super) fn report(
        &mut self,
        now: Instant,
        session: SessionId,
        job: JobId,
        (n_signs, share_ppm): (u64, u32),
    ) -> bool {
        let leased = self.jobs.get_mut(&job);
        leased.is_some_and(|leased| leased.report(now, session, n_signs, share_ppm))
    }

    pub(super) fn remove(&mut self, job: JobId) -> Option<TrackedJob> {
        self.idle.remove(&job);
        let leased = self.jobs.remove(&job)?;
        self.n_executions -= leased.executions().len();
        Some(leased)
    }

    /// Keeps answers that the store did not take for another try.
    pub(super) fn keep_unstored(&mut self, now: Instant, answers: Vec<(JobId, JobAnswer)>) {
        keep_once(&mut self.unstored, answers, |(job, answer)| (answer.session, *job));
        self.store_at = now + OFFER_AGAIN;
    }

    /// Keeps results for another try: the store could not be asked for their jobs.
    pub(super) fn keep_unleased(&mut self, now: Instant, results: Vec<UnleasedResult>) {
        keep_once(&mut self.unleased, results, |result| (result.session, result.job));
        self.store_at = now + OFFER_AGAIN;
    }

    /// Takes the kept answers and results if another try is due.
    pub(super) fn take_due(
        &mut self,
        now: Instant,
    ) -> (Vec<(JobId, JobAnswer)>, Vec<UnleasedResult>) {
        match self.store_at <= now {
            true => (std::mem::take(&mut self.unstored), std::mem::take(&mut self.unleased)),
            false => (Vec::new(), Vec::new()),
        }
    }

    /// Drops the kept answers of a worker; returns the jobs that have no other kept answer.
    pub(super) fn drop_unstored(&mut self, worker: WorkerId) -> Vec<JobId> {
        let of_worker = |(_, answer): &mut (JobId, JobAnswer)| answer.result.worker == worker;
        let gone: Vec<_> = self.unstored.extract_if(.., of_worker).map(|(job, _)| job).collect();
        let is_kept = |job: &JobId| self.unstored.iter().any(|(other, _)| other == job);
        gone.into_iter().filter(|job| !is_kept(job)).collect()
    }

    /// Returns the number of kept answers.
    #[cfg(test)]
    pub(super) fn n_unstored(&self) -> usize {
        self.unstored.len()
    }

    /// Closes the run.
    pub(super) fn close(self) -> ClosedRun {
        let Self { notify, jobs, unstored, unleased, enqueue_requests, .. } = self;
        ClosedRun { notify, jobs, unstored, unleased, enqueue_requests }
    }

    /// Returns its request for a share, of at most `most` places.
    pub(super) fn claim(&self, most: usize) -> ShareRequest<'_> {
        let RunScheduling { user, priority, .. } = &self.open.scheduling;
        let (held, served) = (self.n_executions, self.served);
        ShareRequest { user, priority: *priority, held, most, served }
    }

    /// Records the run's turn, as a count of the assignments of all runs.
    pub(super) fn note_turn(&mut self, served: u64) {
        self.served = served;
    }

    /// Returns its limit on slots, if it has one, as of the last assignments.
    pub(super) fn slot_limit(&self) -> Option<SlotLimit> {
        self.slot_limit
    }

    /// Sets its limit on slots before jobs are assigned.
    pub(super) fn limit_slots(&mut self, limit: SlotLimit) {
        self.slot_limit = Some(limit);
    }

    /// Decides how another job of a class uses a worker with these `slots` that holds the jobs
    /// `held` of the run, and counts that use; `None` if the worker may not have the job.
    pub(super) fn use_slot(
        &mut self,
        held: HeldOfRun,
        slots: WorkerSlots,
        class: SeriesClass,
    ) -> Option<SlotUse> {
        let Some(limit) = &mut self.slot_limit else { return Some(SlotUse::Another) };
        limit.take(held, slots, class)
    }

    /// Returns whether its jobs with pooled trials are known to be short.
    pub(super) fn is_short(&self) -> bool {
        self.pooled.are_short()
    }

    /// Returns the most jobs of the run that workers here may hold.
    pub(super) fn most_jobs(&self) -> usize {
        let per_slot = if self.is_short() { CREDITS_PER_SLOT } else { 1 };
        self.slot_limit.map_or(usize::MAX, |limit| limit.most_jobs(per_slot))
    }

    /// Returns the sessions that compute its jobs.
    pub(super) fn sessions(&self) -> BTreeSet<SessionId> {
        let executions = self.jobs.values().flat_map(TrackedJob::executions);
        executions.map(JobExecution::session).collect()
    }

    /// Returns the duration after which a job is late. `None` for jobs with a long trial while no
    /// such job has ended: a long trial may take any time.
    pub(super) fn late(&self, class: SeriesClass) -> Option<Duration> {
        match class {
            SeriesClass::Alone => self.alone.late(),
            SeriesClass::Pooled => Some(self.pooled.late().unwrap_or(LATE_AT_LEAST)),
        }
    }

    /// Takes note of the duration of a job.
    pub(super) fn observe(&mut self, class: SeriesClass, took: Duration) {
        match class {
            SeriesClass::Alone => self.alone.observe(took),
            SeriesClass::Pooled => self.pooled.observe(took),
        }
    }

    /// Returns the long trials in progress at workers here, in millionths of a trial. Each trial
    /// counts by the share that is done.
    pub(super) fn in_progress_ppm(&self) -> u64 {
        let alone = self.jobs.values().filter(|leased| leased.class() == SeriesClass::Alone);
        let furthest =
            |leased: &TrackedJob| leased.executions().iter().map(JobExecution::share_ppm).max();
        alone.filter_map(furthest).map(u64::from).sum()
    }
}

/// Adds results to `kept`, the results that wait for the store. A second result of the same session
/// for the same job is dropped: a worker may repeat a result while the store does not answer.
fn keep_once<T>(kept: &mut Vec<T>, results: Vec<T>, source: impl Fn(&T) -> (SessionId, JobId)) {
    let mut known: BTreeSet<_> = kept.iter().map(&source).collect();
    kept.extend(results.into_iter().filter(|result| known.insert(source(result))));
}
