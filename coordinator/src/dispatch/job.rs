//! A job that this coordinator has leased: who is at it, and what came of it so far.

use std::collections::BTreeSet;

use hatchery_proto::v1;
use prost::Message;
use tokio::time::Instant;

use super::message::SessionId;
use crate::store::JobResult;

/// Whose answers no worker brought: those of the store and of the coordinator.
pub(super) const NO_SESSION: SessionId = 0;

/// A leased job.
#[derive(Debug)]
pub(super) struct Leased {
    pub(super) bytes: Vec<u8>,
    /// Its trials.
    pub(super) ranges: Vec<TrialRange>,
    /// The sessions that are at it.
    pub(super) copies: Vec<Execution>,
    /// Not to be assigned before; `None` for at once.
    pub(super) not_before: Option<Instant>,
    /// Workers that must not get it (again).
    pub(super) tried: BTreeSet<u128>,
    /// Since when nobody is at it.
    pub(super) idle_since: Instant,
    pub(super) stage: Stage,
    /// The worker that got its backup copy, if it has had one.
    pub(super) backup: Option<u128>,
}

/// What is to be done with a job.
#[derive(Debug)]
pub(super) enum Stage {
    /// Some worker computes it.
    Compute,
    /// It is computed twice: these are the answers so far, each by another worker.
    Audit(Vec<Answer>),
    /// A failed attempt is being noted.
    Noting,
    /// There is an answer that waits for its worker to be checked by another job.
    Withheld,
    /// Answers differ: which are right is being found out.
    Judging,
    /// An answer is on its way into the store.
    Storing,
}

impl Stage {
    /// Whether somebody may be at the job; nobody is to begin with it in the other stages.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Compute | Self::Audit(_))
    }
}

/// Who is at a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Execution {
    pub(super) session: SessionId,
    pub(super) worker: u128,
    pub(super) since: Instant,
    /// Whether the worker has begun, how far it is, and when it got there.
    pub(super) progress: Option<(u64, Instant)>,
}

/// A worker's result for a job.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// Whose session brought it.
    pub(crate) session: SessionId,
    /// The worker's name.
    pub(crate) name: String,
    /// Whether the worker had been right before when it brought this: its session may be gone when
    /// that matters.
    pub(crate) standing: Standing,
    /// For the store; says which worker it is.
    pub(crate) result: JobResult,
}

/// What is known of a worker that brought an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing yet.
    Unchecked,
    /// It was right before.
    Checked,
}

impl Answer {
    /// An answer that no session brought.
    pub(super) fn own(name: String, result: JobResult) -> Self {
        Self { session: NO_SESSION, name, standing: Standing::Checked, result }
    }
}

impl Leased {
    /// A job as it comes from the store; `None` if it is no job.
    pub(super) fn new(bytes: Vec<u8>, now: Instant, stage: Stage) -> Option<Self> {
        let ranges = ranges(&bytes)?;
        Some(Self {
            bytes,
            ranges,
            copies: Vec::new(),
            not_before: None,
            tried: BTreeSet::new(),
            idle_since: now,
            stage,
            backup: None,
        })
    }

    /// Whether somebody should get it now.
    pub(super) fn is_wanted(&self, now: Instant) -> bool {
        let due = self.not_before.is_none_or(|at| at <= now);
        due && self.stage.is_open() && self.copies.is_empty()
    }

    /// Whether the worker may get it.
    pub(super) fn suits(&self, worker: u128) -> bool {
        !self.tried.contains(&worker)
            && !self.copies.iter().any(|copy| copy.worker == worker)
            && match &self.stage {
                Stage::Audit(answers) => answers.iter().all(|a| a.result.worker != worker),
                _ => true,
            }
    }

    /// Takes the session's copy away; whether it had one.
    pub(super) fn drop_copy(&mut self, session: SessionId, now: Instant) -> Option<Execution> {
        let idx = self.copies.iter().position(|copy| copy.session == session)?;
        if self.copies.len() == 1 {
            self.idle_since = now;
        }
        Some(self.copies.swap_remove(idx))
    }
}

/// Consecutive trials of one series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TrialRange {
    pub(super) series: u32,
    pub(super) first_trial: u32,
    pub(super) n_trials: u32,
}

/// The trials of an encoded job; `None` if it is no job.
pub(super) fn ranges(job: &[u8]) -> Option<Vec<TrialRange>> {
    let job = v1::Job::decode(job).ok()?;
    let ranges = job.segments.iter().map(|segment| TrialRange {
        series: segment.subject_idx,
        first_trial: segment.first_trial,
        n_trials: segment.n_trials,
    });
    Some(ranges.collect())
}
