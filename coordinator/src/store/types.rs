//! The values that a store takes and gives.

use super::ids::{JobId, RunId};

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPosition {
    /// Whether it goes on.
    pub state: RunState,
    /// Raised by one by each write of a leader that changes something but blobs.
    pub revision: u64,
    /// The current generation.
    pub generation: u32,
    /// The index of the next job to enqueue.
    pub cursor: u64,
    /// All jobs below this index are folded into the checkpoint.
    pub folded: u64,
}

impl RunPosition {
    /// Where a run stands that was just made.
    pub const FIRST: Self =
        Self { state: RunState::Active, revision: 0, generation: 0, cursor: 0, folded: 0 };
}

/// Whether a run goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// It goes on.
    Active,
    /// A person halted it; nothing is handed out until it is resumed.
    Paused,
    /// It has a result.
    Done,
    /// It can't go on; `reason` says why, for a person.
    Failed {
        /// What went wrong and what to do.
        reason: String,
    },
    /// A person ended it.
    Cancelled,
}

/// The right to write to a run: the last one given wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderToken {
    /// The run.
    pub run: RunId,
    /// A counter and a random incarnation: unique although a counter may be rolled back.
    pub token: (u64, u128),
}

/// What a leader starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderState {
    /// The right to write.
    pub lead: LeaderToken,
    /// Where the run stands.
    pub position: RunPosition,
    /// The last checkpoint.
    pub checkpoint: Vec<u8>,
    /// How this generation was cut so far; empty before its first job.
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
    /// How the generation is cut up to and including these jobs.
    pub table: Vec<u8>,
    /// What the run keeps under the hashes of these bytes from now on, whether any job is new or
    /// not.
    pub blobs: Vec<Vec<u8>>,
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
    /// Whether the generation ends.
    pub then: AfterFold,
}

/// What comes after a fold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterFold {
    /// More jobs of this generation.
    SameGeneration,
    /// The next generation, its cursor at 0; `record` describes the one that ends.
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

/// What a person can do to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteerAction {
    /// `Active` to `Paused`.
    Pause,
    /// `Paused`, `Failed` or `Cancelled` to `Active`.
    Resume,
    /// `Active` or `Paused` to `Cancelled`.
    Cancel,
}

/// The way back to the beginning of a generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewind {
    /// The generation: the current one or one before it.
    pub generation: u32,
    /// The checkpoint at its beginning.
    pub checkpoint: Vec<u8>,
}

/// What a job came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobResult {
    /// Who computed it: the worker's incarnation.
    pub worker: u128,
    /// What the job computed: the same bytes from whoever computes it.
    pub output: Vec<u8>,
    /// What it took: kept with the output, but differs from one execution to the next, so it is
    /// never compared.
    pub cost: Vec<u8>,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreVerdict {
    /// It is the job's result now.
    Accepted,
    /// The job was resolved before, with the same output or too long ago to compare.
    Duplicate,
    /// The job was resolved before with another output: somebody computes wrong.
    Mismatch,
    /// There is no such job: never enqueued, of another generation, or of a run that has ended.
    Unknown,
}

/// What a leader reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultPage {
    /// Whether the run goes on.
    pub state: RunState,
    /// Results in job order.
    pub results: Vec<JobResult>,
    /// How many jobs of the generation are READY, LEASED or PARKED.
    pub n_unresolved: u64,
    /// How many of them are PARKED.
    pub n_parked: u64,
}

/// A job that nobody is handed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadJobRecord {
    /// Which.
    pub job: JobId,
    /// The job.
    pub bytes: Vec<u8>,
    /// What was tried, in the order of the attempts' ids.
    pub attempts: Vec<Vec<u8>>,
}
