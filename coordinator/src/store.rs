//! Stores of runs: the trait that all stores implement, and its contract.
//!
//! A store keeps, for each run: an immutable record, a *position* (generation, cursor, folded), the
//! jobs of the current generation that are not folded yet, their results, one checkpoint, one
//! record per folded generation, blobs addressed by their hash, events, and a summary for lists.
//! Records, checkpoints, tables, events, attempts, blobs and summaries are opaque bytes to it. The
//! other half of a store, which coordinators and workers there are, is the [`Membership`].
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
//!    one is what `results` returns until it is folded or invalidated (`disown`).
//! 3. **Only the last leader writes.** `lead` gives a new [`LeaderToken`]; writes under an older
//!    one fail with [`StoreError::Fenced`] and change nothing, and so does `standing`.
//! 4. `enqueue` appends consecutive jobs at the cursor; jobs below the cursor are left alone, and
//!    so is the table if no job is new.
//! 5. `lease` hands each READY job to one consumer, lowest index first; only its holder can
//!    release, renew or park it. A lease that was neither renewed nor given back for [`LEASE_TTL`]
//!    may end, which makes the job READY; `adopt` ends it at once. A lease binds only its holder:
//!    `complete` takes a result from any worker.
//! 6. `fold` removes exactly the jobs below its new `folded`, all of which must be DONE; it moves
//!    to the next generation only when no job of this one is unresolved. One that is in effect
//!    already (same generation, `folded`, checkpoint and record) is a repeat.
//! 7. A run that has ended (`Done`, `Failed`, `Cancelled`) hands out no job and takes no result; a
//!    paused one hands out no job. `steer` makes the changes that a person can ask for: a failed or
//!    cancelled run that is resumed has everything it had.
//! 8. A PARKED job (dead) is unresolved, is not leased, and becomes READY by `retry` alone; a
//!    result for it is taken as for any other, and its leader resolves it with `skip`. Its attempts
//!    are kept until it is DONE or retried, or its generation ends.
//! 9. `disown` makes the DONE jobs of one worker READY again; `rewind` goes back to the beginning
//!    of a generation, as if nothing had come after it.

#[cfg(feature = "conformance")]
pub mod conformance;
mod embedded;
mod error;
mod ids;
pub mod membership;
pub(crate) mod metered;
pub(crate) mod outage;
mod overview;
mod redis;
mod types;

pub use embedded::EmbeddedStore;
pub use error::StoreError;
pub use ids::{
    AttemptId, CoordinatorId, FencingNonce, FencingToken, JobId, JobKey, RunId, SessionId, WorkerId,
};
pub use overview::RunOverview;
pub use redis::RedisStore;
pub use types::{
    AfterFold, DeadJobRecord, EnqueueBatch, FoldCommit, JobResult, LeaderState, LeaderToken,
    LeasedJob, ResultPage, Rewind, RunPosition, RunState, SteerAction, StoreVerdict,
};

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use hatchery_core::Digest;

use membership::Membership;

/// The lifetime of a lease that is not renewed.
pub const LEASE_TTL: Duration = Duration::from_secs(12);

/// The most attempts that a store keeps of one job; later ones are dropped.
pub const MAX_ATTEMPTS: usize = 32;

/// A store of runs. See the [module](self) for the contract.
#[async_trait]
pub trait Store: Membership + Send + Sync + fmt::Debug + 'static {
    /// Creates a run at generation 0 with an immutable `record`, a first `checkpoint` and a first
    /// `summary`, and returns `true`; leaves an existing run as it is, and returns `false`.
    async fn create(
        &self,
        run: RunId,
        record: &[u8],
        checkpoint: &[u8],
        summary: &[u8],
    ) -> Result<bool, StoreError>;

    /// Returns the run that `key` stands for: `run`, unless the key was given before with another.
    async fn run_for(&self, key: Digest, run: RunId) -> Result<RunId, StoreError>;

    /// Deletes a run. Deleting an unknown run is a no-op.
    async fn delete(&self, run: RunId) -> Result<(), StoreError>;

    /// Returns all runs, oldest first.
    async fn runs(&self) -> Result<Vec<RunId>, StoreError>;

    /// Returns an overview of each of `runs`, in order; `None` for a run that does not exist.
    async fn overviews(&self, runs: &[RunId]) -> Result<Vec<Option<RunOverview>>, StoreError>;

    /// Replaces the run's summary, which the next fold replaces again.
    async fn summarize(&self, run: RunId, summary: &[u8]) -> Result<(), StoreError>;

    /// Returns the run's record.
    async fn record(&self, run: RunId) -> Result<Vec<u8>, StoreError>;

    /// Returns the run's position.
    async fn position(&self, run: RunId) -> Result<RunPosition, StoreError>;

    /// Returns the run's position if `lead` is its last token: a difference from what the leader
    /// wrote is then not another leader's doing.
    async fn standing(&self, lead: &LeaderToken) -> Result<RunPosition, StoreError>;

    /// Returns the run's checkpoint.
    async fn checkpoint(&self, run: RunId) -> Result<Vec<u8>, StoreError>;

    /// Takes the lead of a run and returns its state with a new token.
    async fn lead(&self, run: RunId) -> Result<LeaderState, StoreError>;

    /// Enqueues jobs: makes them READY.
    async fn enqueue(&self, lead: &LeaderToken, enqueue: EnqueueBatch) -> Result<(), StoreError> {
        self.enqueue_and_lease(lead, enqueue, CoordinatorId(0), 0).await.map(drop)
    }

    /// Enqueues jobs, then leases up to `most` of them to `consumer`, in one call.
    async fn enqueue_and_lease(
        &self,
        lead: &LeaderToken,
        enqueue: EnqueueBatch,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError>;

    /// Leases up to `most` READY jobs to `consumer`, and returns them with their bytes.
    async fn lease(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError>;

    /// Makes those of `jobs` READY that are LEASED to `consumer`, whatever the state of the run.
    async fn release(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<(), StoreError>;

    /// Renews the leases of `consumer` on `jobs`; returns those that are not LEASED to it any more.
    async fn renew(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<Vec<JobId>, StoreError>;

    /// Makes those of `jobs` that are READY, or LEASED to anyone, LEASED to `consumer`, and returns
    /// them with their bytes: its workers already compute them. None in a run that is not active.
    async fn adopt(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<Vec<LeasedJob>, StoreError>;

    /// Returns the bytes of each job of the current generation that is not folded; `None` for
    /// others.
    async fn jobs(&self, run: RunId, jobs: &[JobId]) -> Result<Vec<Option<Vec<u8>>>, StoreError>;

    /// Records a failed attempt at a job, and returns all of them in the order of their ids; none
    /// if the job does not exist or is DONE. A known id changes nothing.
    async fn attempt(
        &self,
        run: RunId,
        job: JobId,
        id: AttemptId,
        attempt: &[u8],
    ) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Makes a job PARKED that is LEASED to `consumer`; leaves others alone.
    async fn park(&self, run: RunId, consumer: CoordinatorId, job: JobId)
    -> Result<(), StoreError>;

    /// Returns the PARKED jobs, lowest index first, from index `from` on, at most `most`.
    async fn parked(
        &self,
        run: RunId,
        from: u64,
        most: usize,
    ) -> Result<Vec<DeadJobRecord>, StoreError>;

    /// Makes those of `jobs` READY that are PARKED, without their attempts; returns their number.
    async fn retry(&self, run: RunId, jobs: &[JobId]) -> Result<u64, StoreError>;

    /// Offers results; returns one verdict for each, in order.
    async fn complete(
        &self,
        run: RunId,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<Vec<StoreVerdict>, StoreError>;

    /// Returns the results of the current generation from index `from` on, up to the first job that
    /// is not DONE, at most `most` of them; none if `from` is folded already. They stay when a run
    /// ends.
    async fn results(&self, run: RunId, from: u64, most: usize) -> Result<ResultPage, StoreError>;

    /// Replaces the checkpoint with one that includes more results.
    async fn fold(&self, lead: &LeaderToken, fold: FoldCommit) -> Result<(), StoreError>;

    /// Resolves those of these jobs that are PARKED, in a run that has not ended; leaves others
    /// alone.
    async fn skip(
        &self,
        lead: &LeaderToken,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<(), StoreError>;

    /// Makes all DONE jobs of `worker` that are not folded READY again; returns their number.
    async fn disown(&self, lead: &LeaderToken, worker: WorkerId) -> Result<u64, StoreError>;

    /// Rewinds an active run to the beginning of a generation: its jobs, results and attempts
    /// are gone, and so are its record and those of later ones.
    async fn rewind(&self, lead: &LeaderToken, rewind: Rewind) -> Result<(), StoreError>;

    /// Makes an active run `Paused`; leaves others alone.
    async fn pause(&self, lead: &LeaderToken) -> Result<(), StoreError>;

    /// Ends an active or paused run as `Failed`; jobs, leases and results stay.
    async fn fail(&self, lead: &LeaderToken, reason: &str) -> Result<(), StoreError>;

    /// Changes the run's state if `steer` applies to its current one, and returns the new state.
    async fn steer(&self, run: RunId, steer: SteerAction) -> Result<RunState, StoreError>;

    /// Returns the records of the folded generations, from generation `from` on.
    async fn generations(&self, run: RunId, from: u32) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Appends an event of the run.
    async fn append_event(&self, run: RunId, event: &[u8]) -> Result<(), StoreError>;

    /// Returns the events of the run from number `from` (counted from 0) on.
    async fn events(&self, run: RunId, from: u64) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Returns the run's blob with this hash.
    async fn blob(&self, run: RunId, hash: Digest) -> Result<Option<Vec<u8>>, StoreError>;
}
