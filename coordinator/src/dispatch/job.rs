//! A job leased by this coordinator: its executions and its answers so far.

use std::time::Duration;

use hatchery_core::SeriesClass;
use hatchery_proto::v1;
use hatchery_store::{JobResult, SessionId, WorkerId};
use prost::Message;
use tokio::time::Instant;

use crate::base::opinions::OpinionSource;

/// The session of answers that no worker reported: answers of the store and of the coordinator.
pub(super) const NO_SESSION: SessionId = SessionId(0);

/// A leased job with its executions.
#[derive(Debug)]
pub(super) struct TrackedJob {
    bytes: Vec<u8>,
    /// The class of its trials.
    class: SeriesClass,
    /// Its trials.
    ranges: Vec<TrialRange>,
    /// The sessions that compute it.
    executions: Vec<JobExecution>,
    /// The earliest time to assign it; `None` for at once.
    not_before: Option<Instant>,
    /// The time since which no worker computes it.
    idle_since: Instant,
    stage: JobStage,
    /// The worker that got its backup copy, if it has had one.
    backup: Option<WorkerId>,
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
    /// Returns whether workers may compute the job. In the other stages no worker may begin it.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Compute | Self::Audit)
    }
}

/// A session's execution of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobExecution {
    session: SessionId,
    worker: WorkerId,
    since: Instant,
    /// The number of signs of progress, once the worker has begun, and the time of the last one.
    progress: Option<(u64, Instant)>,
    /// The share of the job's single trial that is done, in millionths. 0 if the trial does not
    /// report its share, or the job has several trials.
    share_ppm: u32,
}

impl JobExecution {
    /// Returns an execution that begins now.
    pub(super) fn new(session: SessionId, worker: WorkerId, now: Instant) -> Self {
        Self { session, worker, since: now, progress: None, share_ppm: 0 }
    }

    /// Returns the session.
    pub(super) fn session(&self) -> SessionId {
        self.session
    }

    /// Returns the time since which the session computes the job.
    pub(super) fn since(&self) -> Instant {
        self.since
    }

    /// Returns the time of the last sign of progress, once the worker has begun.
    pub(super) fn last_progress_at(&self) -> Option<Instant> {
        self.progress.map(|(_, at)| at)
    }

    /// Returns the share of the trial that is done, in millionths; 0 if the share is not known.
    pub(super) fn share_ppm(&self) -> u32 {
        self.share_ppm
    }
}

/// A worker's answer: its result for a job.
#[derive(Clone, Debug)]
pub(crate) struct JobAnswer {
    /// The session that reported it.
    pub(crate) session: SessionId,
    /// The worker's name.
    pub(crate) name: String,
    /// The trust in the worker at the time of the answer: its session may be gone when that
    /// matters.
    pub(crate) trust_level: TrustLevel,
    /// The source of the opinion: its session may be gone when that matters.
    pub(crate) source: OpinionSource,
    /// The experiment, and the number of trials of the job. The run may have ended when the answer
    /// is counted, so both are filled in before the answer is offered to the store.
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

    /// Returns the encoded job.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the class of its trials.
    pub(super) fn class(&self) -> SeriesClass {
        self.class
    }

    /// Returns its trials.
    pub(super) fn ranges(&self) -> &[TrialRange] {
        &self.ranges
    }

    /// Returns the executions at workers.
    pub(super) fn executions(&self) -> &[JobExecution] {
        &self.executions
    }

    /// Returns its stage.
    pub(super) fn stage(&self) -> JobStage {
        self.stage
    }

    /// Returns the worker that got its backup copy, if it has had one.
    pub(super) fn backup(&self) -> Option<WorkerId> {
        self.backup
    }

    /// Returns whether no worker computes the job and a worker may begin it.
    pub(super) fn is_idle(&self) -> bool {
        self.executions.is_empty() && self.stage.is_open()
    }

    /// Returns whether it has waited for a worker for the time `least` since it was due.
    pub(super) fn has_waited(&self, now: Instant, least: Duration) -> bool {
        self.is_due(now) && least <= now - self.idle_since
    }

    fn is_due(&self, now: Instant) -> bool {
        self.not_before.is_none_or(|at| at <= now)
    }

    /// Returns whether a worker should get it now.
    pub(super) fn is_wanted(&self, now: Instant) -> bool {
        self.is_due(now) && self.is_idle()
    }

    /// Returns whether the worker computes it.
    pub(super) fn is_computed_by(&self, worker: WorkerId) -> bool {
        self.executions.iter().any(|execution| execution.worker == worker)
    }

    /// Adds an execution that a worker has begun by itself.
    pub(super) fn take_up(&mut self, execution: JobExecution) {
        self.executions.push(execution);
    }

    /// Adds an execution. If another execution is under way, this one is the backup copy.
    pub(super) fn assign(&mut self, execution: JobExecution) {
        if !self.executions.is_empty() {
            self.backup = Some(execution.worker);
        }
        self.executions.push(execution);
    }

    /// Takes note of a session's report; returns whether it is a sign of progress.
    pub(super) fn report(
        &mut self,
        now: Instant,
        session: SessionId,
        n_signs: u64,
        share_ppm: u32,
    ) -> bool {
        let mut executions = self.executions.iter_mut();
        let Some(execution) = executions.find(|execution| execution.session == session) else {
            return false;
        };
        let is_progress = execution.progress.is_none_or(|(known, _)| known < n_signs);
        if is_progress {
            (execution.progress, execution.share_ppm) = (Some((n_signs, now)), share_ppm);
        }
        is_progress
    }

    /// Moves to another stage.
    pub(super) fn enter(&mut self, stage: JobStage) {
        self.stage = stage;
    }

    /// Moves the job to another stage, where it waits from `now` on.
    pub(super) fn wait_in(&mut self, stage: JobStage, now: Instant) {
        (self.stage, self.idle_since) = (stage, now);
    }

    /// Begins to record a failed attempt, unless others still compute the job.
    pub(super) fn begin_noting(&mut self) {
        if self.is_idle() {
            self.stage = JobStage::Noting;
        }
    }

    /// Has the job computed again in `stage` after `wait`, unless an answer came while the attempt
    /// was recorded.
    pub(super) fn retry(&mut self, stage: JobStage, now: Instant, wait: Duration) {
        if self.stage == JobStage::Noting {
            self.wait_in(stage, now + wait);
            self.not_before = Some(now + wait);
        }
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

/// Consecutive trials in one series.
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
