//! A job leased by this coordinator: its executions and its answers so far.

use hatchery_core::SeriesClass;
use hatchery_proto::v1;
use hatchery_store::{JobResult, SessionId, WorkerId};
use prost::Message;
use tokio::time::Instant;

use crate::base::opinions::OpinionSource;

/// The session of answers that no worker reported: those of the store and of the coordinator.
pub(super) const NO_SESSION: SessionId = SessionId(0);

/// A leased job with its executions.
#[derive(Debug)]
pub(super) struct TrackedJob {
    pub(super) bytes: Vec<u8>,
    /// The class of its trials.
    pub(super) class: SeriesClass,
    /// Its trials.
    pub(super) ranges: Vec<TrialRange>,
    /// The sessions that compute it.
    pub(super) executions: Vec<JobExecution>,
    /// The earliest time to assign it; `None` for at once.
    pub(super) not_before: Option<Instant>,
    /// The time since which no worker computes it.
    pub(super) idle_since: Instant,
    pub(super) stage: JobStage,
    /// The worker that got its backup copy, if it has had one.
    pub(super) backup: Option<WorkerId>,
}

/// The stage of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobStage {
    /// One worker computes it.
    Compute,
    /// Two workers compute it.
    Audit,
    /// A failed attempt is being recorded.
    Noting,
    /// Its answer waits until another job has checked its worker.
    Withheld,
    /// Its answers differ and are being arbitrated.
    Arbitrating,
    /// Its answer is being stored.
    Storing,
}

impl JobStage {
    /// Returns whether workers may compute the job; in the other stages none may begin.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Compute | Self::Audit)
    }
}

/// A session's execution of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobExecution {
    pub(super) session: SessionId,
    pub(super) worker: WorkerId,
    pub(super) since: Instant,
    /// The number of signs of progress, once the worker has begun, and the time of the last one.
    pub(super) progress: Option<(u64, Instant)>,
    /// The share of its trial that is done, in millionths, if the job has a single one that tells.
    pub(super) share_ppm: u32,
}

impl JobExecution {
    /// Returns an execution that begins now.
    pub(super) fn new(session: SessionId, worker: WorkerId, now: Instant) -> Self {
        Self { session, worker, since: now, progress: None, share_ppm: 0 }
    }
}

/// A worker's answer: its result for a job.
#[derive(Clone, Debug)]
pub(crate) struct JobAnswer {
    /// The session that reported it.
    pub(crate) session: SessionId,
    /// The worker's name.
    pub(crate) name: String,
    /// The trust in the worker when it reported this: its session may be gone when that matters.
    pub(crate) trust_level: TrustLevel,
    /// The source of the opinion: its session may be gone when that matters.
    pub(crate) source: OpinionSource,
    /// The experiment, and the number of trials of the job: the run may have ended when its answer
    /// is counted. Known at the latest when the answer is offered to the store.
    pub(crate) experiment: Box<str>,
    pub(crate) n_trials: u32,
    /// The result for the store, with the id of the worker.
    pub(crate) result: JobResult,
}

/// The trust in a worker that reported an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrustLevel {
    /// Not checked yet.
    Unchecked,
    /// Checked: an earlier result was right.
    Checked,
}

impl JobAnswer {
    /// Creates an answer that no session reported.
    pub(super) fn own(name: String, result: JobResult) -> Self {
        let source = OpinionSource::Worker(result.worker);
        Self {
            session: NO_SESSION,
            name,
            trust_level: TrustLevel::Checked,
            source,
            experiment: Box::default(),
            n_trials: 0,
            result,
        }
    }
}

impl TrackedJob {
    /// Decodes a job from the store; `None` if it is malformed.
    pub(super) fn new(bytes: Vec<u8>, now: Instant, stage: JobStage) -> Option<Self> {
        let job = v1::Job::decode(bytes.as_slice()).ok()?;
        Some(Self {
            bytes,
            class: if job.alone { SeriesClass::Alone } else { SeriesClass::Pooled },
            ranges: ranges_of(&job),
            executions: Vec::new(),
            not_before: None,
            idle_since: now,
            stage,
            backup: None,
        })
    }

    /// Returns whether a worker should get it now.
    pub(super) fn is_wanted(&self, now: Instant) -> bool {
        let due = self.not_before.is_none_or(|at| at <= now);
        due && self.stage.is_open() && self.executions.is_empty()
    }

    /// Returns whether the worker computes it.
    pub(super) fn is_computed_by(&self, worker: WorkerId) -> bool {
        self.executions.iter().any(|execution| execution.worker == worker)
    }

    /// Removes and returns the session's execution.
    pub(super) fn drop_execution(
        &mut self,
        session: SessionId,
        now: Instant,
    ) -> Option<JobExecution> {
        let idx = self.executions.iter().position(|execution| execution.session == session)?;
        if self.executions.len() == 1 {
            self.idle_since = now;
        }
        Some(self.executions.swap_remove(idx))
    }
}

/// Consecutive trials of one series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TrialRange {
    pub(super) series: u32,
    pub(super) first_trial: u32,
    pub(super) n_trials: u32,
}

/// Returns the trials of an encoded job; `None` if it is malformed.
pub(super) fn ranges(job: &[u8]) -> Option<Vec<TrialRange>> {
    Some(ranges_of(&v1::Job::decode(job).ok()?))
}

/// Returns the number of trials in `ranges`.
pub(super) fn n_trials(ranges: &[TrialRange]) -> u32 {
    ranges.iter().fold(0, |sum, range| sum.saturating_add(range.n_trials))
}

fn ranges_of(job: &v1::Job) -> Vec<TrialRange> {
    let ranges = job.segments.iter().map(|segment| TrialRange {
        series: segment.subject_idx,
        first_trial: segment.first_trial,
        n_trials: segment.n_trials,
    });
    ranges.collect()
}
