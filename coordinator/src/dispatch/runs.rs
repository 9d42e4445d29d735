//! An open run: its leased jobs and what waits for the store.

pub(super) mod fair;
pub(super) mod job_durations;
mod queue_latency;
pub(super) mod retry;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hatchery_core::SeriesClass;
use hatchery_store::{JobId, SessionId};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::effect::UnleasedResult;
use super::job::{JobAnswer, TrackedJob};
use super::message::{EnqueueRequest, KnownJobs, LeaderNotice, OpenRun};
use super::workers::sessions::CREDITS_PER_SLOT;
use super::workers::slot_limit::SlotLimit;
use job_durations::{JobDurations, LATE_AT_LEAST};
use queue_latency::QueueLatency;

/// The interval at which the store is polled for jobs without a notification.
pub(super) const POLL: Duration = Duration::from_secs(1);

/// The time for which ready jobs are left to other coordinators, after one that their workers have
/// not tried was released: long enough for them to lease it.
const YIELD: Duration = Duration::from_secs(1);

/// An open run.
#[derive(Debug)]
pub(super) struct DispatchedRun {
    pub(super) open: OpenRun,
    pub(super) notify: Option<mpsc::UnboundedSender<LeaderNotice>>,
    /// The time from which the store may have ready jobs.
    pub(super) ready_at: Instant,
    /// A lease request is under way.
    pub(super) leasing: bool,
    /// Jobs were announced since the request.
    pub(super) said_ready: bool,
    /// The time until which jobs are left to other coordinators.
    yields_until: Option<Instant>,
    pub(super) jobs: BTreeMap<JobId, TrackedJob>,
    /// The jobs that no worker computes.
    pub(super) idle: BTreeSet<JobId>,
    /// The number of executions at workers.
    pub(super) n_executions: usize,
    /// Its limit on slots, if it has one, as of the last assignments.
    pub(super) slot_limit: Option<SlotLimit>,
    /// The time of its last assignment, as a count of all assignments.
    pub(super) served: u64,
    /// Answers that the store did not take yet, with the time of the next try.
    pub(super) unstored: Vec<(JobId, JobAnswer)>,
    pub(super) store_at: Instant,
    /// Results of jobs not leased here, while the store cannot be read.
    pub(super) unleased: Vec<UnleasedResult>,
    /// The last durations of jobs with pooled trials, and of those with a long one.
    pooled: JobDurations,
    alone: JobDurations,
    pub(super) waits: QueueLatency,
    /// The jobs that its leader in this process enqueues.
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
            yields_until: None,
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
        self.yields_until = Some(now + YIELD);
    }

    /// Returns whether jobs may be leased now.
    pub(super) fn may_lease(&self, now: Instant) -> bool {
        self.ready_at <= now && self.yields_until.is_none_or(|until| until <= now)
    }

    /// Handles that the store has ready jobs.
    pub(super) fn ready(&mut self, now: Instant) {
        (self.ready_at, self.said_ready) = (now, true);
    }

    /// Adds a leased job.
    pub(super) fn insert(&mut self, job: JobId, leased: TrackedJob) {
        if leased.executions.is_empty() && leased.stage.is_open() {
            self.idle.insert(job);
        }
        self.n_executions += leased.executions.len();
        self.jobs.insert(job, leased);
    }

    /// Changes a job and updates the counts.
    pub(super) fn change<T>(
        &mut self,
        job: JobId,
        change: impl FnOnce(&mut TrackedJob) -> T,
    ) -> Option<T> {
        let leased = self.jobs.get_mut(&job)?;
        let before = leased.executions.len();
        let changed = change(leased);
        self.n_executions = self.n_executions + leased.executions.len() - before;
        if leased.executions.is_empty() && leased.stage.is_open() {
            self.idle.insert(job);
        } else {
            self.idle.remove(&job);
        }
        Some(changed)
    }

    pub(super) fn remove(&mut self, job: JobId) -> Option<TrackedJob> {
        self.idle.remove(&job);
        let leased = self.jobs.remove(&job)?;
        self.n_executions -= leased.executions.len();
        Some(leased)
    }

    /// Returns whether its jobs with pooled trials are known to be short.
    pub(super) fn is_short(&self) -> bool {
        self.pooled.are_short()
    }

    /// Returns the most of its jobs that workers here may hold.
    pub(super) fn most_jobs(&self) -> usize {
        let per_slot = if self.is_short() { CREDITS_PER_SLOT } else { 1 };
        self.slot_limit.map_or(usize::MAX, |limit| limit.most_jobs(per_slot))
    }

    /// Returns the sessions that compute its jobs.
    pub(super) fn sessions(&self) -> BTreeSet<SessionId> {
        let executions = self.jobs.values().flat_map(|leased| &leased.executions);
        executions.map(|execution| execution.session).collect()
    }

    /// Returns the duration after which a job is late; `None` while it is unknown how long such
    /// jobs take, for those that may take any time.
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

    /// Returns its long trials in progress at workers here, each counted by the share that is done,
    /// in millionths of a trial.
    pub(super) fn in_progress_ppm(&self) -> u64 {
        let alone = self.jobs.values().filter(|leased| leased.class == SeriesClass::Alone);
        let furthest = |leased: &TrackedJob| leased.executions.iter().map(|it| it.share_ppm).max();
        alone.filter_map(furthest).map(u64::from).sum()
    }
}
