//! The values that a store takes and returns.

use std::collections::BTreeSet;
use std::time::Duration;

use hatchery_core::{Digest, Part};

use super::ids::{FencingToken, JobId, RunId, WorkerId};

/// The lifetime of a lease that is not renewed.
pub const LEASE_TTL: Duration = Duration::from_secs(12);

/// The most attempts that a store keeps for a job; later attempts are dropped.
pub const MAX_ATTEMPTS: usize = 32;

/// The most failed jobs of a run whose resolvers a store remembers. A store may count jobs with
/// unresolved attempts, too. A worker that fails more jobs has been paused for the first jobs.
pub const MAX_RESOLVERS: usize = 1024;

/// The most bytes of the parts that travel with an operation. Larger parts are written beforehand,
/// chunk by chunk, so that no other call waits for them.
pub const INLINE_PART_BYTES: usize = 1 << 20;

/// The position of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPosition {
    /// The state of the run.
    pub state: RunState,
    /// Raised by one by each write of a leader that changes something but parts.
    pub revision: u64,
    /// The current generation.
    pub generation: u32,
    /// The index of the next job to enqueue.
    pub cursor: u64,
    /// All jobs below this index are folded into the checkpoint.
    pub folded: u64,
}

impl RunPosition {
    /// The position of a new run.
    pub const FIRST: Self =
        Self { state: RunState::Active, revision: 0, generation: 0, cursor: 0, folded: 0 };

    /// Returns the number of folded generations.
    #[must_use]
    pub fn n_folded(&self) -> u32 {
        match self.state {
            RunState::Done => self.generation.saturating_add(1),
            RunState::Active | RunState::Paused | RunState::Failed { .. } | RunState::Cancelled => {
                self.generation
            }
        }
    }
}

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Jobs are handed out and results taken.
    Active,
    /// No job is handed out until it is resumed.
    Paused,
    /// The run has its result.
    Done,
    /// The run ended without a result.
    Failed {
        /// The reason, for a person: the failure and its remedy.
        reason: String,
    },
    /// A person cancelled the run.
    Cancelled,
}

/// The fencing token of a leader: the right to write to a run. The last token given wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaderToken {
    /// The run.
    pub run: RunId,
    /// The token that each write shows.
    pub token: FencingToken,
}

/// The state that a leader starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderState {
    /// The right to write.
    pub lead: LeaderToken,
    /// The position of the run.
    pub position: RunPosition,
    /// The last checkpoint.
    pub checkpoint: Vec<u8>,
    /// The cuts of this generation so far; empty before its first job.
    pub table: Vec<u8>,
}

/// Consecutive jobs at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnqueueBatch {
    /// The current generation.
    pub generation: u32,
    /// The index of the first of `jobs`.
    pub first_index: u64,
    /// The jobs.
    pub jobs: Vec<Vec<u8>>,
    /// The cuts of the generation up to and including these jobs.
    pub table: Vec<u8>,
    /// Parts that the run keeps from now on, even if no job is new: [`INLINE_PART_BYTES`] together.
    pub parts: Vec<Vec<u8>>,
}

/// A step of the leader: results that are now in the checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldCommit {
    /// The current generation.
    pub generation: u32,
    /// All jobs below this index are in `checkpoint`.
    pub folded: u64,
    /// The checkpoint.
    pub checkpoint: Vec<u8>,
    /// The run's summary from now on.
    pub summary: Vec<u8>,
    /// Parts that the run keeps from now on: [`INLINE_PART_BYTES`] together.
    pub parts: Vec<Vec<u8>>,
    /// The retention of the parts that the run has besides `parts`, which stay in any case.
    pub retention: PartRetention,
    /// The step that follows.
    pub then: AfterFold,
}

impl FoldCommit {
    /// Returns `retention` as it applies to all parts, including the parts of the commit.
    pub(crate) fn full_retention(&self) -> PartRetention {
        let own = || self.parts.iter().map(|bytes| Digest::of(bytes));
        match &self.retention {
            PartRetention::All => PartRetention::All,
            PartRetention::Keep(kept) => {
                PartRetention::Keep(kept.iter().copied().chain(own()).collect())
            }
            PartRetention::Drop(dropped) => {
                let own: BTreeSet<_> = own().collect();
                let gone = dropped.iter().copied().filter(|hash| !own.contains(hash));
                PartRetention::Drop(gone.collect())
            }
        }
    }
}

/// The parts of a run that stay, by their hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartRetention {
    /// All parts.
    All,
    /// Only these parts: all other parts are removed, whole or not.
    Keep(Vec<Digest>),
    /// All but these, which are removed, whole or not. Missing parts do not matter.
    Drop(Vec<Digest>),
}

/// The step after a fold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterFold {
    /// More jobs of this generation.
    SameGeneration,
    /// The next generation, its cursor at 0; `record` describes the generation that ends.
    NextGeneration {
        /// The record of the generation.
        record: Vec<u8>,
    },
    /// Nothing: the run is done; `record` describes its last generation.
    Done {
        /// The record of the generation.
        record: Vec<u8>,
    },
}

/// The memory of a store that keeps its data there, with all that its server uses besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreMemory {
    /// The bytes in use.
    pub used_bytes: u64,
    /// The most bytes that the store may use, never 0; `None` if it has no limit.
    pub limit_bytes: Option<u64>,
}

/// An action of a person on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteerAction {
    /// `Active` to `Paused`.
    Pause,
    /// `Paused`, `Failed` or `Cancelled` to `Active`.
    Resume,
    /// `Active` or `Paused` to `Cancelled`.
    Cancel,
}

/// A job that is leased to a consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasedJob {
    /// Its id.
    pub id: JobId,
    /// The encoded job.
    pub bytes: Vec<u8>,
}

/// The result of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobResult {
    /// The id of the worker that computed it.
    pub worker: WorkerId,
    /// The output: the same bytes from every worker.
    pub output: Vec<u8>,
    /// The cost, kept with the output. It differs between executions and is never compared.
    pub cost: Vec<u8>,
    /// The parts that the output names.
    pub parts: Vec<Part>,
}

/// The verdict on an offered result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreVerdict {
    /// The result is now the job's result.
    Accepted,
    /// The job was resolved before, with the same output or too long ago to compare.
    Duplicate,
    /// The job was resolved before with another output: one of the two workers computes wrong
    /// results.
    Mismatch,
    /// There is no such job: never enqueued, of another generation, or of a run that has ended.
    Unknown,
    /// The job is not resolved, and the run lacks parts that the result names.
    PartsMissing,
}

/// A job that somebody has failed, as the store answers a failed attempt at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptedJob {
    /// The job is not resolved: its attempts, in the order of their ids.
    Unresolved(Vec<Vec<u8>>),
    /// This worker, or the coordinator with this id, has completed the job.
    Completed(WorkerId),
    /// The leader skipped the job: nobody has completed it.
    Skipped,
    /// The job is gone, and the store does not know who resolved it: the run was rewound, or the
    /// job's generation ended before the current one began, or nobody had failed the job when it
    /// was completed and folded.
    Gone,
}

impl AttemptedJob {
    /// Returns a resolved job. [`WorkerId::NOBODY`] stands for the leader that skipped it.
    pub(crate) fn resolved_by(worker: WorkerId) -> Self {
        if worker == WorkerId::NOBODY { Self::Skipped } else { Self::Completed(worker) }
    }
}

/// A page of results, as a leader reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultPage {
    /// Whether the run is active.
    pub state: RunState,
    /// Results in job order.
    pub results: Vec<JobResult>,
    /// The number of jobs of the generation that are READY, LEASED or PARKED.
    pub n_unresolved: u64,
    /// The number of PARKED jobs among them.
    pub n_parked: u64,
}

/// A dead job (PARKED in the store).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadJobRecord {
    /// Its address.
    pub job: JobId,
    /// The encoded job.
    pub bytes: Vec<u8>,
    /// Its failed attempts, in the order of their ids.
    pub attempts: Vec<Vec<u8>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_commit_stay() {
        let [first, second] = [b"first", b"other"].map(|bytes| Digest::of(bytes));
        let full = |retention| {
            let fold = FoldCommit {
                generation: 0,
                folded: 0,
                checkpoint: vec![],
                summary: vec![],
                parts: vec![b"first".to_vec()],
                retention,
                then: AfterFold::SameGeneration,
            };
            fold.full_retention()
        };
        assert_eq!(full(PartRetention::All), PartRetention::All);
        let kept = full(PartRetention::Keep(vec![second]));
        assert_eq!(kept, PartRetention::Keep(vec![second, first]));
        let dropped = full(PartRetention::Drop(vec![first, second]));
        assert_eq!(dropped, PartRetention::Drop(vec![second]));
    }

    #[test]
    fn a_done_run_has_folded_its_last_generation() {
        let at = |state| RunPosition { state, generation: 3, ..RunPosition::FIRST };
        assert_eq!(at(RunState::Active).n_folded(), 3);
        assert_eq!(at(RunState::Cancelled).n_folded(), 3);
        assert_eq!(at(RunState::Done).n_folded(), 4);
    }
}
