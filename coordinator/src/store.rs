//! Where runs live: the trait that all stores implement, and its contract.
//!
//! A store keeps, for each run: an immutable record, a *position* (generation, cursor, folded), the
//! jobs of the current generation that are not folded yet, their results, one checkpoint, one
//! record per folded generation, blobs addressed by their hash, and events. Records, checkpoints,
//! tables, events, attempts and blobs are opaque bytes to it. The other half of a store, who works
//! on the runs, is the [`Membership`].
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
//! 3. **Only the last leader writes.** `lead` gives a new [`LeaderToken`]; writes under an older
//!    one fail with [`StoreError::Fenced`] and change nothing, and so does `standing`.
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
//!    for it is taken as for any other, and `skip` is how its leader gives it one. Its attempts are
//!    kept until it is DONE or retried, or its generation ends.
//! 9. `disown` makes the DONE jobs of one worker READY again; `rewind` goes back to the beginning
//!    of a generation, as if nothing had come after it.

#[cfg(feature = "conformance")]
pub mod conformance;
mod embedded;
mod error;
mod ids;
pub mod membership;
pub(crate) mod metered;
mod redis;
mod types;

pub use embedded::EmbeddedStore;
pub use error::StoreError;
pub use ids::{JobId, RunId};
pub use redis::RedisStore;
pub use types::{
    AfterFold, DeadJobRecord, EnqueueBatch, FoldCommit, JobResult, LeaderState, LeaderToken,
    ResultPage, Rewind, RunPosition, RunState, SteerAction, StoreVerdict,
};

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use hatchery_core::Digest;

use membership::Membership;

/// How long a lease lasts unless it is renewed.
pub const LEASE_TTL: Duration = Duration::from_secs(12);

/// The most attempts that a store keeps of one job; later ones are dropped.
pub const MAX_ATTEMPTS: usize = 32;

/// Where runs live. See the [module](self) for the contract.
#[async_trait]
pub trait Store: Membership + Send + Sync + fmt::Debug + 'static {
    /// Makes a run at generation 0 with an immutable `record` and a first `checkpoint`; an existing
    /// run is left as it is.
    async fn create(&self, run: RunId, record: &[u8], checkpoint: &[u8]) -> Result<(), StoreError>;

    /// The run that `key` stands for: `run`, unless the key was given before with another.
    async fn run_for(&self, key: Digest, run: RunId) -> Result<RunId, StoreError>;

    /// Removes all that the store has of a run; one that is not there is none.
    async fn delete(&self, run: RunId) -> Result<(), StoreError>;

    /// All runs, oldest first.
    async fn runs(&self) -> Result<Vec<RunId>, StoreError>;

    /// The run's record.
    async fn record(&self, run: RunId) -> Result<Vec<u8>, StoreError>;

    /// Where the run stands.
    async fn position(&self, run: RunId) -> Result<RunPosition, StoreError>;

    /// Where the run stands, if `lead` is its last one: what differs from what its leader wrote
    /// then is no other leader's doing.
    async fn standing(&self, lead: &LeaderToken) -> Result<RunPosition, StoreError>;

    /// The run's checkpoint.
    async fn checkpoint(&self, run: RunId) -> Result<Vec<u8>, StoreError>;

    /// Takes the lead of a run.
    async fn lead(&self, run: RunId) -> Result<LeaderState, StoreError>;

    /// Makes jobs READY.
    async fn enqueue(&self, lead: &LeaderToken, enqueue: EnqueueBatch) -> Result<(), StoreError> {
        self.enqueue_and_lease(lead, enqueue, 0, 0).await.map(drop)
    }

    /// As `enqueue`, and then as `lease`.
    async fn enqueue_and_lease(
        &self,
        lead: &LeaderToken,
        enqueue: EnqueueBatch,
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
    async fn parked(
        &self,
        run: RunId,
        from: u64,
        most: usize,
    ) -> Result<Vec<DeadJobRecord>, StoreError>;

    /// Makes those of `jobs` READY that are PARKED, without their attempts; returns how many.
    async fn retry(&self, run: RunId, jobs: &[JobId]) -> Result<u64, StoreError>;

    /// Offers results; one verdict for each, in order.
    async fn complete(
        &self,
        run: RunId,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<Vec<StoreVerdict>, StoreError>;

    /// The results of the current generation from index `from` on, up to the first job that is not
    /// DONE, at most `most` of them; none if `from` is folded already. They stay when a run ends.
    async fn results(&self, run: RunId, from: u64, most: usize) -> Result<ResultPage, StoreError>;

    /// Moves the checkpoint on.
    async fn fold(&self, lead: &LeaderToken, fold: FoldCommit) -> Result<(), StoreError>;

    /// Gives the PARKED ones of these jobs of a run that goes on their results; leaves others
    /// alone.
    async fn skip(
        &self,
        lead: &LeaderToken,
        results: Vec<(JobId, JobResult)>,
    ) -> Result<(), StoreError>;

    /// Makes all DONE jobs of `worker` that are not folded READY again; returns how many.
    async fn disown(&self, lead: &LeaderToken, worker: u128) -> Result<u64, StoreError>;

    /// Goes back to the beginning of a generation of an active run: its jobs, results and attempts
    /// are gone, and so are its record and those of later ones.
    async fn rewind(&self, lead: &LeaderToken, rewind: Rewind) -> Result<(), StoreError>;

    /// Makes an active run `Paused`; leaves others alone.
    async fn pause(&self, lead: &LeaderToken) -> Result<(), StoreError>;

    /// Ends a run that goes on as `Failed`; jobs, leases and results stay.
    async fn fail(&self, lead: &LeaderToken, reason: &str) -> Result<(), StoreError>;

    /// Changes the run's state if `steer` starts from the one it has, and returns the state that it
    /// has then.
    async fn steer(&self, run: RunId, steer: SteerAction) -> Result<RunState, StoreError>;

    /// The records of the folded generations, from generation `from` on.
    async fn generations(&self, run: RunId, from: u32) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Appends an event of the run.
    async fn append_event(&self, run: RunId, event: &[u8]) -> Result<(), StoreError>;

    /// The events of the run from number `from` (counted from 0) on.
    async fn events(&self, run: RunId, from: u64) -> Result<Vec<Vec<u8>>, StoreError>;

    /// The run's blob with this hash.
    async fn blob(&self, run: RunId, hash: Digest) -> Result<Option<Vec<u8>>, StoreError>;
}
