//! Where runs live: the trait that all stores implement, and its contract.
//!
//! A store keeps, for each run: an immutable record, a *position* (generation, cursor, folded), the
//! unresolved jobs of the current generation, the results that are not folded yet, one checkpoint,
//! one record per folded generation, and events; and, for all runs together, blobs addressed by
//! their hash. Records, checkpoints, tables and events are opaque bytes to it.
//!
//! ```text
//!                 enqueue            lease               complete               fold
//!   (not there) ----------> READY ----------> LEASED ----------------> DONE ----------> (gone)
//!                             ^                  |        any time, leased or not
//!                             +---- release -----+
//!
//!   indices of a generation:  0 ....... folded ....... cursor ....... end of the generation
//!                             resolved, | READY, LEASED | not there yet: memory stays
//!                             forgotten | or DONE       | O(cursor - folded)
//! ```
//!
//! # Contract
//! `conformance` checks every point on every store.
//!
//! 1. **Each operation is atomic and durable.** It happens as a whole or not at all; once it has
//!    returned `Ok` it outlives the process. An `Err` may mean either (the answer was lost), so
//!    every operation can be repeated: the second time it changes nothing. Only `lead` and `lease`
//!    give something else each time, and `append_event` may append twice.
//! 2. **A job's effect happens once.** Of all results for a job exactly one is `Accepted`, and that
//!    one is what `results` returns until it is folded.
//! 3. **Only the last leader writes.** `lead` gives a new [`Lead`]; writes under an older one fail
//!    with [`StoreError::Fenced`] and change nothing.
//! 4. `enqueue` appends consecutive jobs at the cursor; jobs below the cursor are left alone, and
//!    so is the table if no job is new.
//! 5. `lease` hands each READY job to one consumer, lowest index first; only its holder can
//!    release it. Leases end with the store's process at the latest, and bind nobody else:
//!    `complete` takes a result from anyone.
//! 6. `fold` removes exactly the results below its new `folded`, all of which must be DONE; it
//!    moves to the next generation only when no job of this one is unresolved. One that is in
//!    effect already (same generation, `folded`, checkpoint and record) is a repeat.
//! 7. A run that has ended (`Done`, `Failed`, `Cancelled`) hands out no job and takes no result;
//!    `reopen` makes a failed or cancelled one active again, with everything it had.

#[cfg(feature = "conformance")]
pub mod conformance;
mod embedded;

pub use embedded::EmbeddedStore;

use std::fmt;

use async_trait::async_trait;
use hatchery_core::Digest;
use ulid::Ulid;

/// The id of a run: a ULID, so ids sort by the time of their making.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub Ulid);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Which job of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId {
    /// The generation, counted from 0.
    pub generation: u32,
    /// The job's index in its generation, counted from 0.
    pub index: u64,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Whether it goes on.
    pub state: RunState,
    /// Raised by one by each write of a leader that changes something.
    pub revision: u64,
    /// The current generation.
    pub generation: u32,
    /// The index of the next job to enqueue.
    pub cursor: u64,
    /// All jobs below this index are folded into the checkpoint.
    pub folded: u64,
}

/// Whether a run goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunState {
    /// It goes on.
    Active,
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
pub struct Lead {
    /// The run.
    pub run: RunId,
    /// A counter and a random incarnation: unique although a counter may be rolled back.
    pub token: (u64, u128),
}

/// What a leader starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Led {
    /// The right to write.
    pub lead: Lead,
    /// Where the run stands.
    pub position: Position,
    /// The last checkpoint.
    pub checkpoint: Vec<u8>,
    /// How this generation was cut so far; empty before its first job.
    pub table: Vec<u8>,
}

/// Consecutive jobs at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enqueue {
    /// The current generation.
    pub generation: u32,
    /// The index of the first of `jobs`.
    pub first_index: u64,
    /// The jobs.
    pub jobs: Vec<Vec<u8>>,
    /// How the generation is cut up to and including these jobs.
    pub table: Vec<u8>,
}

/// A step of the leader: results that are now in the checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The current generation.
    pub generation: u32,
    /// All jobs below this index are in `checkpoint`.
    pub folded: u64,
    /// The checkpoint.
    pub checkpoint: Vec<u8>,
    /// Whether the generation ends.
    pub then: Then,
}

/// What comes after a fold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
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

/// What a job came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobResult {
    /// What the job computed: the same bytes from whoever computes it.
    pub output: Vec<u8>,
    /// What it took: kept with the output, but differs from one execution to the next, so it is
    /// never compared.
    pub cost: Vec<u8>,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the job's result now.
    Accepted,
    /// The job was resolved before, with the same output or too long ago to compare.
    Duplicate,
    /// The job was resolved before with another output: somebody computes wrong.
    Mismatch,
    /// There is no such job: never enqueued, of another generation, or of a run that has ended.
    Unknown,
}

/// Where runs live. See the [module](self) for the contract.
#[async_trait]
pub trait Store: Send + Sync + fmt::Debug + 'static {
    /// Makes a run at generation 0 with an immutable `record` and a first `checkpoint`; an existing
    /// run is left as it is.
    async fn create(&self, run: RunId, record: &[u8], checkpoint: &[u8]) -> Result<(), StoreError>;

    /// All runs, oldest first.
    async fn runs(&self) -> Result<Vec<RunId>, StoreError>;

    /// The run's record.
    async fn record(&self, run: RunId) -> Result<Vec<u8>, StoreError>;

    /// Where the run stands.
    async fn position(&self, run: RunId) -> Result<Position, StoreError>;

    /// The run's checkpoint.
    async fn checkpoint(&self, run: RunId) -> Result<Vec<u8>, StoreError>;

    /// Takes the lead of a run.
    async fn lead(&self, run: RunId) -> Result<Led, StoreError>;

    /// Makes jobs READY.
    async fn enqueue(&self, lead: &Lead, enqueue: Enqueue) -> Result<(), StoreError>;

    /// Up to `most` READY jobs, now LEASED to `consumer`.
    async fn lease(
        &self,
        run: RunId,
        consumer: u128,
        most: usize,
    ) -> Result<Vec<(JobId, Vec<u8>)>, StoreError>;

    /// Makes those of `jobs` READY that are LEASED to `consumer`, whether the run goes on or not.
    async fn release(&self, run: RunId, consumer: u128, jobs: &[JobId]) -> Result<(), StoreError>;

    /// Offers results; one verdict for each, in order.
    async fn complete(
        &self,
        run: RunId,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<Vec<Verdict>, StoreError>;

    /// The results of the current generation from index `from` on, up to the first job that is not
    /// DONE, at most `most` of them; none if `from` is folded already. They stay when a run ends.
    async fn results(
        &self,
        run: RunId,
        from: u64,
        most: usize,
    ) -> Result<Vec<JobResult>, StoreError>;

    /// Moves the checkpoint on.
    async fn fold(&self, lead: &Lead, fold: Fold) -> Result<(), StoreError>;

    /// Ends an active run as `Failed` or `Cancelled`, and no other way; jobs, leases and results
    /// stay for `reopen`.
    async fn end(&self, lead: &Lead, state: RunState) -> Result<(), StoreError>;

    /// Makes a failed or cancelled run active again; leaves others as they are.
    async fn reopen(&self, lead: &Lead) -> Result<(), StoreError>;

    /// The records of the folded generations, from generation `from` on.
    async fn generations(&self, run: RunId, from: u32) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Appends an event of the run.
    async fn append_event(&self, run: RunId, event: &[u8]) -> Result<(), StoreError>;

    /// The events of the run from number `from` (counted from 0) on.
    async fn events(&self, run: RunId, from: u64) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Keeps a blob, and says under which hash.
    async fn put_blob(&self, blob: &[u8]) -> Result<Digest, StoreError>;

    /// The blob with this hash.
    async fn blob(&self, hash: Digest) -> Result<Option<Vec<u8>>, StoreError>;
}

/// Why a store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else leads the run now.
    #[error("the lead of run {run} has passed on")]
    Fenced {
        /// The run.
        run: RunId,
    },
    /// There is no such run.
    #[error("no run {run} in the store")]
    NoRun {
        /// The run.
        run: RunId,
    },
    /// What was asked contradicts where the run stands: a bug in the leader.
    #[error("run {run} is at {position:?}, which does not allow {operation}")]
    OutOfStep {
        /// The run.
        run: RunId,
        /// Where it stands.
        position: Box<Position>,
        /// What was asked.
        operation: &'static str,
    },
    /// Another process has the store open.
    #[error("{place} is in use by another process")]
    Locked {
        /// Where the store is.
        place: String,
    },
    /// The store was written by another version of hatchery.
    #[error("{place} has store format {found}, but this build reads format {expected}")]
    WrongFormat {
        /// Where the store is.
        place: String,
        /// The format found.
        found: u32,
        /// The format that this build reads.
        expected: u32,
    },
    /// The store is damaged: truncated, overwritten, or not a store at all.
    #[error("{place} is damaged or no store: {what}")]
    Damaged {
        /// Where the store is.
        place: String,
        /// What was found.
        what: String,
    },
    /// The store can't be written or read now: disk full, no permission, connection lost. Nothing
    /// that was acknowledged is lost.
    #[error("{place} can't be used now; nothing that was acknowledged is lost")]
    Unavailable {
        /// Where the store is.
        place: String,
        /// What happened.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
