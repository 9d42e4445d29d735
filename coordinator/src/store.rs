//! Where runs live: the trait that all stores implement, and its contract.
//!
//! A store keeps, for each run: an immutable record, a *position* (generation, cursor, folded), the
//! jobs of the current generation that are not folded yet, their results, one checkpoint, one
//! record per folded generation, blobs addressed by their hash, and events. Records, checkpoints,
//! tables, events, attempts and blobs are opaque bytes to it. The other half of a store, who works
//! on the runs, is the [`Roster`].
//!
//! ```text
//!                 enqueue            lease               complete               fold
//!   (not there) ----------> READY ----------> LEASED ----------------> DONE ----------> (gone)
//!                            ^ ^ ^               |   \     any time      |
//!                            | | +--- release ---+    \ park             |
//!                            | +------ retry ------ PARKED               |
//!                            +----------------- disown ------------------+
//!
//!   indices of a generation:  0 ....... folded ....... cursor ....... end of the generation
//!                             resolved, | READY, LEASED | not there yet: memory stays
//!                             forgotten | PARKED, DONE  | O(cursor - folded)
//! ```
//!
//! # Contract
//! `conformance` checks every point on every store.
//!
//! 1. **Each operation is atomic and durable.** It happens as a whole or not at all; once it has
//!    returned `Ok` it outlives the process. An `Err` may mean either (the answer was lost), so
//!    every operation can be repeated: the second time it changes nothing. Only `lead` and what
//!    leases give something else each time, and `append_event` may append twice.
//! 2. **A job's effect happens once.** Of all results for a job exactly one is `Accepted`, and that
//!    one is what `results` returns until it is folded or disowned.
//! 3. **Only the last leader writes.** `lead` gives a new [`Lead`], and so does `begin`; writes under an older one fail
//!    with [`StoreError::Fenced`] and change nothing, and so does `standing`.
//! 4. `enqueue` appends consecutive jobs at the cursor; jobs below the cursor are left alone, and
//!    so is the table if no job is new.
//! 5. `lease` hands each READY job to one consumer, lowest index first; only its holder can
//!    release, renew or park it. A lease that was neither renewed nor given back for [`LEASE_TTL`]
//!    may end, which makes the job READY; `adopt` ends it at once. A lease binds nobody else:
//!    `complete` takes a result from anyone.
//! 6. `fold` removes exactly the jobs below its new `folded`, all of which must be DONE; it moves
//!    to the next generation only when no job of this one is unresolved. One that is in effect
//!    already (same generation, `folded`, checkpoint and record) is a repeat.
//! 7. A run that has ended (`Done`, `Failed`, `Cancelled`) hands out no job and takes no result;
//!    a paused one hands out no job. `steer` says which changes a person can make: a failed or
//!    cancelled run that is resumed has everything it had.
//! 8. A PARKED job is unresolved, is handed to nobody, and becomes READY by `retry` alone; a result
//!    for it is taken as for any other, and `skip` is how its leader gives it one. Its attempts are kept until it is DONE or retried, or its
//!    generation ends.
//! 9. `disown` makes the DONE jobs of one worker READY again; `rewind` goes back to the beginning
//!    of a generation, as if nothing had come after it.

#[cfg(feature = "conformance")]
pub mod conformance;
mod embedded;
pub(crate) mod metered;
mod redis;

pub use embedded::EmbeddedStore;
pub use redis::RedisStore;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use hatchery_core::Digest;
use ulid::Ulid;

use crate::roster::Roster;

/// How long a lease lasts unless it is renewed.
pub const LEASE_TTL: Duration = Duration::from_secs(12);

/// The most attempts that a store keeps of one job; later ones are dropped.
pub const MAX_ATTEMPTS: usize = 32;

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
    /// Raised by one by each write of a leader that changes something but blobs.
    pub revision: u64,
    /// The current generation.
    pub generation: u32,
    /// The index of the next job to enqueue.
    pub cursor: u64,
    /// All jobs below this index are folded into the checkpoint.
    pub folded: u64,
}

impl Position {
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

/// A run that was made together with its first jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The right to write, of whoever made it.
    pub lead: Lead,
    /// The jobs that are LEASED to him, with their bytes.
    pub leased: Vec<(JobId, Vec<u8>)>,
}

/// Consecutive jobs at the cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enqueue {
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

/// What a person can do to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steer {
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

/// What a leader reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harvest {
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
pub struct Parked {
    /// Which.
    pub job: JobId,
    /// The job.
    pub bytes: Vec<u8>,
    /// What was tried, in the order of the attempts' ids.
    pub attempts: Vec<Vec<u8>>,
}

/// Where runs live. See the [module](self) for the contract.
#[async_trait]
pub trait Store: Roster + Send + Sync + fmt::Debug + 'static {
    /// Makes a run at generation 0 with an immutable `record` and a first `checkpoint`; an existing
    /// run is left as it is.
    async fn create(&self, run: RunId, record: &[u8], checkpoint: &[u8]) -> Result<(), StoreError>;

    /// As `create`, and then, for `coordinator`, as `claim`, `lead`, and `enqueue_and_lease` of the
    /// first jobs: those of generation 0 from index 0 on. Nothing of it if the run is there: then
    /// `None`.
    async fn begin(
        &self,
        run: RunId,
        record: &[u8],
        checkpoint: &[u8],
        coordinator: u128,
        first: Enqueue,
        most: usize,
    ) -> Result<Option<Begun>, StoreError>;

    /// The run that `key` stands for: `run`, unless the key was given before with another.
    async fn run_for(&self, key: Digest, run: RunId) -> Result<RunId, StoreError>;

    /// Removes all that the store has of a run; one that is not there is none.
    async fn delete(&self, run: RunId) -> Result<(), StoreError>;

    /// All runs, oldest first.
    async fn runs(&self) -> Result<Vec<RunId>, StoreError>;

    /// The run's record.
    async fn record(&self, run: RunId) -> Result<Vec<u8>, StoreError>;

    /// Where the run stands.
    async fn position(&self, run: RunId) -> Result<Position, StoreError>;

    /// Where the run stands, if `lead` is its last one: what differs from what its leader wrote then
    /// is no other leader's doing.
    async fn standing(&self, lead: &Lead) -> Result<Position, StoreError>;

    /// The run's checkpoint.
    async fn checkpoint(&self, run: RunId) -> Result<Vec<u8>, StoreError>;

    /// Takes the lead of a run.
    async fn lead(&self, run: RunId) -> Result<Led, StoreError>;

    /// Makes jobs READY.
    async fn enqueue(&self, lead: &Lead, enqueue: Enqueue) -> Result<(), StoreError> {
        self.enqueue_and_lease(lead, enqueue, 0, 0).await.map(drop)
    }

    /// As `enqueue`, and then as `lease`.
    async fn enqueue_and_lease(
        &self,
        lead: &Lead,
        enqueue: Enqueue,
        consumer: u128,
        most: usize,
    ) -> Result<Vec<(JobId, Vec<u8>)>, StoreError>;

    /// Up to `most` READY jobs, now LEASED to `consumer`.
    async fn lease(
        &self,
        run: RunId,
        consumer: u128,
        most: usize,
    ) -> Result<Vec<(JobId, Vec<u8>)>, StoreError>;

    /// Makes those of `jobs` READY that are LEASED to `consumer`, whether the run goes on or not.
    async fn release(&self, run: RunId, consumer: u128, jobs: &[JobId]) -> Result<(), StoreError>;

    /// Renews the leases of `consumer` on `jobs`; returns those that are not LEASED to it any more.
    async fn renew(
        &self,
        run: RunId,
        consumer: u128,
        jobs: &[JobId],
    ) -> Result<Vec<JobId>, StoreError>;

    /// Makes those of `jobs` that are READY, or LEASED to anyone, LEASED to `consumer`, and returns
    /// them with their bytes: its workers are at them already. None in a run that is not active.
    async fn adopt(
        &self,
        run: RunId,
        consumer: u128,
        jobs: &[JobId],
    ) -> Result<Vec<(JobId, Vec<u8>)>, StoreError>;

    /// The bytes of each job of the current generation that is not folded; `None` for others.
    async fn jobs(&self, run: RunId, jobs: &[JobId]) -> Result<Vec<Option<Vec<u8>>>, StoreError>;

    /// Keeps an attempt at a job, and returns all of them in the order of their ids; none if the
    /// job is not there or DONE. An id that is there already changes nothing.
    async fn attempt(
        &self,
        run: RunId,
        job: JobId,
        id: u128,
        attempt: &[u8],
    ) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Makes a job PARKED that is LEASED to `consumer`; leaves others alone.
    async fn park(&self, run: RunId, consumer: u128, job: JobId) -> Result<(), StoreError>;

    /// The PARKED jobs, lowest index first, from index `from` on, at most `most`.
    async fn parked(&self, run: RunId, from: u64, most: usize) -> Result<Vec<Parked>, StoreError>;

    /// Makes those of `jobs` READY that are PARKED, without their attempts; returns how many.
    async fn retry(&self, run: RunId, jobs: &[JobId]) -> Result<u64, StoreError>;

    /// Offers results; one verdict for each, in order.
    async fn complete(
        &self,
        run: RunId,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<Vec<Verdict>, StoreError>;

    /// The results of the current generation from index `from` on, up to the first job that is not
    /// DONE, at most `most` of them; none if `from` is folded already. They stay when a run ends.
    async fn results(&self, run: RunId, from: u64, most: usize) -> Result<Harvest, StoreError>;

    /// Moves the checkpoint on.
    async fn fold(&self, lead: &Lead, fold: Fold) -> Result<(), StoreError>;

    /// Gives the PARKED ones of these jobs of a run that goes on their results; leaves others alone.
    async fn skip(&self, lead: &Lead, results: Vec<(JobId, JobResult)>) -> Result<(), StoreError>;

    /// Makes all DONE jobs of `worker` that are not folded READY again; returns how many.
    async fn disown(&self, lead: &Lead, worker: u128) -> Result<u64, StoreError>;

    /// Goes back to the beginning of a generation of an active run: its jobs, results and attempts
    /// are gone, and so are its record and those of later ones.
    async fn rewind(&self, lead: &Lead, rewind: Rewind) -> Result<(), StoreError>;

    /// Makes an active run `Paused`; leaves others alone.
    async fn pause(&self, lead: &Lead) -> Result<(), StoreError>;

    /// Ends a run that goes on as `Failed`; jobs, leases and results stay.
    async fn fail(&self, lead: &Lead, reason: &str) -> Result<(), StoreError>;

    /// Changes the run's state if `steer` starts from the one it has, and returns the state that it
    /// has then.
    async fn steer(&self, run: RunId, steer: Steer) -> Result<RunState, StoreError>;

    /// The records of the folded generations, from generation `from` on.
    async fn generations(&self, run: RunId, from: u32) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Appends an event of the run.
    async fn append_event(&self, run: RunId, event: &[u8]) -> Result<(), StoreError>;

    /// The events of the run from number `from` (counted from 0) on.
    async fn events(&self, run: RunId, from: u64) -> Result<Vec<Vec<u8>>, StoreError>;

    /// The run's blob with this hash.
    async fn blob(&self, run: RunId, hash: Digest) -> Result<Option<Vec<u8>>, StoreError>;
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
    /// The server behind the store is set up in a way that would lose data or can't work.
    #[error("{place} can't hold runs: {what}")]
    Unsuitable {
        /// Where the store is.
        place: String,
        /// What is wrong, and what would be right.
        what: String,
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
