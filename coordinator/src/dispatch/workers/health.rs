//! The health of workers: the jobs that they complete and fail, and the pauses of a worker that
//! fails jobs which other workers complete.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use hatchery_store::{AttemptId, JobKey, RunId, WorkerId};
use tokio::time::Instant;

use crate::run::record::{AttemptKind, FailedAttempt};

/// The pauses of a worker that fails again after each pause. The last pause is repeated.
const PAUSES: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(25),
    Duration::from_secs(125),
    Duration::from_secs(300),
];

/// The number of failures in a row after which a worker gets one job at a time, and is paused if
/// other workers complete the failed jobs. A single failure may be chance.
const MAX_FAILURES: u32 = 2;

/// The number of malformed results, for jobs that other workers completed, after which a worker is
/// quarantined.
const MAX_MALFORMED: u32 = 3;

/// The time for which a worker that left is remembered: it may come back.
const REMEMBERED: Duration = Duration::from_secs(600);

/// The interval at which the store is asked about a job that failed here and was released.
/// `MAX_ASKED` is the most jobs that the store is asked about at a time.
const ASK_EVERY: Duration = Duration::from_secs(2);
const MAX_ASKED: usize = 4;

/// A number that orders completions and failures by the time at which they were recorded.
type Moment = u64;

/// The most times of failed attempts that are kept for a job.
const MAX_TIMES: usize = 16;

/// The kind of failure of a worker at a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// The worker reported an error, or nothing in time.
    NoResult,
    /// The worker reported that the job's trials return too much to be sent.
    TooLarge,
    /// The worker reported a malformed result.
    Malformed,
    /// The worker was lost. That also happens to good workers whose network fails.
    Lost,
    /// The worker answered, but the coordinator could not confirm the answer, which may be right.
    Unconfirmed,
}

/// The consequences of a completed job for a worker that had failed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WorkerSanction {
    /// Pause the worker.
    Pause {
        /// The worker.
        worker: WorkerId,
        /// The duration of its pause.
        pause: Duration,
    },
    /// Quarantine the worker for its malformed results.
    Quarantine {
        /// The worker.
        worker: WorkerId,
        /// Its malformed results.
        n_malformed: u32,
    },
}

/// The number of jobs that a worker may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobAllowance {
    /// As many as it has credits for.
    Full,
    /// One at a time: its last jobs failed.
    One,
    /// None: it is paused.
    Paused,
}

/// The failures of a worker at a job that has no result yet.
#[derive(Clone, Copy, Debug)]
struct OpenFailure {
    n_attempts: u32,
    /// The number of failures that may be the worker's own fault.
    n_own: u32,
    n_malformed: u32,
    /// The first and the last failure.
    first: Moment,
    last: Moment,
    at: Instant,
}

/// The failed attempts at a job that has no result yet, and the workers that gave the job back.
#[derive(Debug, Default)]
struct FailedJob {
    workers: BTreeMap<WorkerId, OpenFailure>,
    /// All workers that have tried it, at any coordinator, and the workers that gave it back here.
    tried: BTreeSet<WorkerId>,
    /// The times at which it failed or was given back last, the latest last.
    times: VecDeque<Instant>,
    /// The last failure as recorded in the store, and the time at which the store was last asked
    /// about it.
    recorded: Option<(AttemptId, FailedAttempt, Instant)>,
}

impl FailedJob {
    fn note_time(&mut self, now: Instant) {
        self.times.push_back(now);
        if MAX_TIMES < self.times.len() {
            self.times.pop_front();
        }
    }
}

/// The health of a worker at the jobs of one experiment.
#[derive(Debug, Default)]
struct WorkerHealth {
    /// Failures since its last completion.
    n_since_completion: u32,
    /// Failures at jobs that other workers then completed.
    n_blamed: u32,
    n_pauses: usize,
    completed_at: Moment,
    paused_until: Option<Instant>,
    n_malformed: u32,
    changed_at: Option<Instant>,
}

/// The health of all workers, from the completions and failures at this coordinator.
#[derive(Debug, Default)]
pub(crate) struct HealthTable {
    /// The health of each worker, by experiment.
    workers: BTreeMap<WorkerId, BTreeMap<String, WorkerHealth>>,
    failures: BTreeMap<JobKey, FailedJob>,
    /// The last completion of each worker, by run.
    completions: BTreeMap<RunId, BTreeMap<WorkerId, Moment>>,
    last: Moment,
}

impl HealthTable {
    /// Records that a worker failed a job of `experiment`.
    pub(crate) fn record_failure(
        &mut self,
        now: Instant,
        experiment: &str,
        key: JobKey,
        worker: WorkerId,
        kind: FailureKind,
    ) {
        self.last += 1;
        let last = self.last;
        let job = self.failures.entry(key).or_default();
        job.note_time(now);
        let failure = job.workers.entry(worker).or_insert(OpenFailure {
            n_attempts: 0,
            n_own: 0,
            n_malformed: 0,
            first: last,
            last,
            at: now,
        });
        let is_own = !matches!(kind, FailureKind::Lost | FailureKind::Unconfirmed);
        failure.n_attempts += 1;
        failure.n_own += u32::from(is_own);
        failure.n_malformed += u32::from(kind == FailureKind::Malformed);
        (failure.last, failure.at) = (last, now);
        if is_own {
            let health = self.health(worker, experiment);
            health.n_since_completion = health.n_since_completion.saturating_add(1);
            health.changed_at = Some(now);
        }
    }

    /// Records that a worker, of whichever coordinator, has tried a job that has failed here.
    pub(crate) fn record_tried(&mut self, key: JobKey, worker: WorkerId) {
        if let Some(job) = self.failures.get_mut(&key) {
            job.tried.insert(worker);
        }
    }

    /// Records that `worker` gave the job back, such as a worker whose line is too slow for the
    /// job's result: other workers come first now.
    pub(crate) fn record_returned(&mut self, now: Instant, key: JobKey, worker: WorkerId) {
        let job = self.failures.entry(key).or_default();
        job.tried.insert(worker);
        job.note_time(now);
    }

    /// Records that `worker`, or the coordinator if it is `None`, completed a job of `experiment`.
    /// Returns the consequences for the workers that had failed the job.
    pub(crate) fn record_completion(
        &mut self,
        now: Instant,
        experiment: &str,
        key: JobKey,
        worker: Option<WorkerId>,
    ) -> Vec<WorkerSanction> {
        self.last += 1;
        let last = self.last;
        if let Some(worker) = worker {
            self.completions.entry(key.run).or_default().insert(worker, last);
            let health = self.workers.get_mut(&worker).and_then(|of| of.get_mut(experiment));
            if let Some(health) = health {
                health.recover(now, last);
            }
        }
        let failures = self.failures.remove(&key).unwrap_or_default().workers.into_iter();
        failures
            .filter(|&(failed, _)| Some(failed) != worker)
            .filter_map(|(failed, failure)| {
                self.health(failed, experiment).blame(now, failed, failure)
            })
            .collect()
    }

    fn health(&mut self, worker: WorkerId, experiment: &str) -> &mut WorkerHealth {
        let experiments = self.workers.entry(worker).or_default();
        experiments.entry(experiment.to_owned()).or_default()
    }

    /// Returns the number of jobs of `experiment` that a worker may hold.
    pub(crate) fn allowance(
        &self,
        now: Instant,
        worker: WorkerId,
        experiment: &str,
    ) -> JobAllowance {
        match self.workers.get(&worker).and_then(|of| of.get(experiment)) {
            Some(health) if health.paused_until.is_some_and(|until| now < until) => {
                JobAllowance::Paused
            }
            Some(health) if MAX_FAILURES <= health.n_since_completion => JobAllowance::One,
            Some(_) | None => JobAllowance::Full,
        }
    }

    /// Returns the longest remaining pause of a worker, if it is paused.
    pub(crate) fn pause(&self, now: Instant, worker: WorkerId) -> Option<Duration> {
        let experiments = self.workers.get(&worker)?.values();
        experiments
            .filter_map(|health| health.paused_until?.checked_duration_since(now))
            .filter(|pause| !pause.is_zero())
            .max()
    }

    /// Returns the workers that are paused.
    pub(crate) fn paused(&self, now: Instant) -> BTreeSet<WorkerId> {
        let workers = self.workers.keys().copied();
        workers.filter(|&worker| self.pause(now, worker).is_some()).collect()
    }

    /// Returns the number of failures of a worker at a job that has no result.
    pub(crate) fn n_failures(&self, key: JobKey, worker: WorkerId) -> u32 {
        let Some(job) = self.failures.get(&key) else { return 0 };
        let elsewhere = u32::from(job.tried.contains(&worker));
        job.workers.get(&worker).map_or(elsewhere, |failure| failure.n_attempts)
    }

    /// Returns whether some worker has failed the job, which has no result yet.
    pub(crate) fn has_failures(&self, key: JobKey) -> bool {
        self.failures.contains_key(&key)
    }

    /// Returns whether the worker has completed a job of the run.
    pub(crate) fn has_completed(&self, run: RunId, worker: WorkerId) -> bool {
        self.completions.get(&run).is_some_and(|of| of.contains_key(&worker))
    }

    /// Returns whether the failed attempt speaks against the job rather than against its worker:
    /// the worker completes other jobs of the run. A lost worker cannot complete more jobs, so its
    /// earlier completions count.
    pub(crate) fn is_evidence(
        &self,
        key: JobKey,
        worker: WorkerId,
        attempt: &FailedAttempt,
    ) -> bool {
        let completions = self.completions.get(&key.run);
        let Some(completed) = completions.and_then(|of| of.get(&worker)) else { return false };
        let failure = self.failures.get(&key).and_then(|job| job.workers.get(&worker));
        match attempt.kind() {
            AttemptKind::Lost => true,
            AttemptKind::Error | AttemptKind::Timeout => {
                failure.is_some_and(|failure| failure.first < *completed)
            }
        }
    }

    /// Returns the time of the failed attempt that has `n - 1` later attempts at its job, or of the
    /// first known attempt.
    pub(crate) fn nth_last_failure(&self, key: JobKey, n: usize) -> Option<Instant> {
        let times = &self.failures.get(&key)?.times;
        times.get(times.len().saturating_sub(n)).copied()
    }

    /// Keeps a failed attempt as it was recorded in the store.
    pub(crate) fn keep_attempt(
        &mut self,
        now: Instant,
        key: JobKey,
        id: AttemptId,
        attempt: FailedAttempt,
    ) {
        if let Some(job) = self.failures.get_mut(&key) {
            job.recorded = Some((id, attempt, now));
        }
    }

    /// Returns recorded attempts at jobs that this coordinator does not hold any more. The caller
    /// records them again: the store's answer shows whether another coordinator's workers have
    /// completed the job.
    pub(crate) fn attempts_elsewhere(
        &mut self,
        now: Instant,
        is_here: impl Fn(JobKey) -> bool,
    ) -> Vec<(JobKey, AttemptId, FailedAttempt)> {
        let mut due = Vec::new();
        for (&key, job) in &mut self.failures {
            if let Some((id, attempt, asked)) = &mut job.recorded
                && due.len() < MAX_ASKED
                && ASK_EVERY <= now - *asked
                && !is_here(key)
            {
                *asked = now;
                due.push((key, *id, attempt.clone()));
            }
        }
        due
    }

    /// Forgets the failures at a dead job.
    pub(crate) fn remove_job(&mut self, key: JobKey) {
        self.failures.remove(&key);
    }

    /// Forgets the failures and completions in a run.
    pub(crate) fn remove_run(&mut self, run: RunId) {
        self.completions.remove(&run);
        self.failures.retain(|key, _| key.run != run);
    }

    /// Forgets workers that are not connected and have not been heard of for long.
    pub(crate) fn prune(&mut self, now: Instant, is_connected: impl Fn(WorkerId) -> bool) {
        let is_recent = |health: &WorkerHealth| {
            health.changed_at.is_some_and(|changed_at| now < changed_at + REMEMBERED)
        };
        self.workers.retain(|&worker, of| is_connected(worker) || of.values().any(is_recent));
        // Jobs that were only given back may be done elsewhere.
        self.failures.retain(|_, job| {
            let last = job.times.back();
            !job.workers.is_empty() || last.is_some_and(|&last| now < last + REMEMBERED)
        });
        // Those of other workers matter only for jobs that they have failed.
        let has_failed = |run, worker| {
            let failed = |(key, job): (&JobKey, &FailedJob)| {
                key.run == run && job.workers.contains_key(&worker)
            };
            self.failures.iter().any(failed)
        };
        for (&run, of) in &mut self.completions {
            of.retain(|&worker, _| is_connected(worker) || has_failed(run, worker));
        }
    }
}

impl WorkerHealth {
    fn recover(&mut self, now: Instant, at: Moment) {
        (self.n_since_completion, self.n_blamed, self.n_pauses) = (0, 0, 0);
        (self.completed_at, self.paused_until, self.changed_at) = (at, None, Some(now));
    }

    /// Blames the worker for failing a job that another has completed.
    fn blame(
        &mut self,
        now: Instant,
        worker: WorkerId,
        failure: OpenFailure,
    ) -> Option<WorkerSanction> {
        self.changed_at = Some(now);
        self.n_malformed = self.n_malformed.saturating_add(failure.n_malformed);
        if failure.n_malformed != 0 && MAX_MALFORMED <= self.n_malformed {
            let n_malformed = self.n_malformed;
            return Some(WorkerSanction::Quarantine { worker, n_malformed });
        }
        // A failure before its last completion is not one in a row; one before the end of its last
        // pause has been paid for by that pause.
        let paid = self.paused_until.is_some_and(|until| failure.at < until);
        if failure.n_own == 0 || failure.last < self.completed_at || paid {
            return None;
        }
        self.n_blamed = self.n_blamed.saturating_add(failure.n_own);
        if self.n_blamed < MAX_FAILURES {
            return None;
        }
        let pause = PAUSES[self.n_pauses.min(PAUSES.len() - 1)];
        self.n_pauses += 1;
        self.paused_until = Some(now + pause);
        Some(WorkerSanction::Pause { worker, pause })
    }
}
