//! The store of a farm: its runs, jobs and results, in a file or in Redis.
//!
//! [`Store`] is a handle to a [`StoreBackend`]: an [`EmbeddedStore`] for one coordinator, or a
//! [`RedisStore`] for several. A [`RoutedStore`] has a store for each run. Backends that wrap
//! another backend count its calls ([`metered`]), record them or break them.
//! ```
//! use hatchery_store::operation::{CreateRun, ListRuns};
//! use hatchery_store::{EmbeddedStore, RunId, Store, StoreError};
//!
//! async fn create(folder: &std::path::Path) -> Result<(), StoreError> {
//!     let store = Store::new(EmbeddedStore::open(&folder.join("run.redb"))?);
//!     let run = RunId(ulid::Ulid::generate());
//!     let (record, checkpoint, summary) = (b"record".to_vec(), vec![], vec![]);
//!     let create = CreateRun { run, record, checkpoint, summary, parts: vec![] };
//!     assert!(store.execute(create).await?);
//!     assert_eq!(store.execute(ListRuns).await?, [run]);
//!     Ok(())
//! }
//! # let folder = tempfile::tempdir().unwrap();
//! # let runtime = tokio::runtime::Runtime::new().unwrap();
//! # runtime.block_on(create(folder.path())).unwrap();
//! ```
//!
//! # Operations
//! An operation is a value such as [`operation::LeaseJobs`]; [`Store::execute`] gives it to the
//! [`StoreBackend`] and returns its answer. The contract calls it by its name in metrics: `lease`.
//! A part of a coordinator borrows a [`StoreView`], which executes only that part's operations.
//!
//! A store keeps, for each run: an immutable record, a *position* (generation, cursor, folded), the
//! jobs of the current generation that are not folded yet, their results, one checkpoint, one
//! record per folded generation, [`parts`] under their hashes, events, and a summary for lists.
//! Records, checkpoints, tables, events, attempts, parts and summaries are opaque bytes to it.
//! The other half of a store is the [`membership`]: which coordinators and workers there are.
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
//! 2. **A job's effect happens once.** Exactly one result for a job is `Accepted`, and that result
//!    is what `results` returns until it is folded or invalidated (`disown`).
//! 3. **Only the last leader writes.** `lead` gives a new [`LeaderToken`]; writes under an older
//!    one fail with [`StoreError::Fenced`] and change nothing, and so does `standing`.
//! 4. `enqueue_and_lease` appends consecutive jobs at the cursor; jobs below the cursor are left
//!    alone, and so is the table if no job is new.
//! 5. `lease` hands each READY job to one consumer, lowest index first; only its holder can
//!    release, renew or park it. A lease that was neither renewed nor given back for [`LEASE_TTL`]
//!    may end, which makes the job READY; `adopt` ends it at once. A lease binds only its holder:
//!    `complete` takes a result from any worker.
//! 6. `fold` removes exactly the jobs below its new `folded`; these jobs must be DONE; it moves to
//!    the next generation only when no job of this one is unresolved. One that is in effect already
//!    (same generation, `folded`, checkpoint and record) is a repeat.
//! 7. A run that has ended (`Done`, `Failed`, `Cancelled`) hands out no job and takes no result; a
//!    paused one hands out no job. `steer` makes the changes that a person can ask for: a failed or
//!    cancelled run that is resumed has everything it had.
//! 8. A PARKED job (dead) is unresolved, is not leased, and becomes READY by `retry` alone; a
//!    result for it is taken as for any other, and its leader resolves it with `skip`. Its attempts
//!    are kept until it is DONE or retried, or its generation ends. `attempt` names who resolved a
//!    job with failed attempts, until the generation after the job's ends or the run is rewound.
//! 9. `disown` makes a worker's DONE jobs READY again; `rewind` goes back to the beginning of a
//!    generation, as if nothing had come after it.
//! 10. A *part* is bytes behind their hash, in chunks of at most 256 KiB. `write_part` writes a
//!     chunk, which is durable once the part is finished, and may be lost before; `finish_part`
//!     makes the part *whole*. Only then it can be read, and it changes no more. The store does not
//!     check the hash: writers do, before they finish a part. Small parts come whole with `create`,
//!     `enqueue_and_lease` and `fold`. A run that has ended gets no new part.
//! 11. Parts may be written for a run that is not created yet, which keeps them when it is. If it
//!     is not, they are gone after an hour, or when the store is opened the next time.
//! 12. `complete` takes a result only if the run has all parts that it names, whole and as long as
//!     it says; else the verdict is `PartsMissing`. Existence of the job, and an earlier
//!     resolution, are judged first.
//! 13. Parts stay until the run is deleted, or a `fold` or a `rewind` removes them, whole or not. A
//!     `rewind` may name the parts to keep; a `fold` may name the parts to keep or the parts to
//!     drop ([`PartRetention`]), and its own parts stay in any case. A repeat removes nothing.

mod backend;
#[cfg(feature = "conformance")]
pub mod conformance;
mod embedded;
mod error;
mod ids;
pub mod membership;
pub mod metered;
pub mod operation;
pub mod outage;
mod overview;
mod part_codec;
mod part_directory;
pub mod parts;
mod redis;
mod routed;
mod types;
mod view;

pub use backend::{Store, StoreBackend};
pub use embedded::EmbeddedStore;
pub use error::{DAMAGED_RUN_REMEDY, StoreError};
pub use ids::{
    AttemptId, CoordinatorId, FencingNonce, FencingToken, JobId, JobKey, RunId, SessionId, WorkerId,
};
pub use operation::{StoreAnswer, StoreCall, StoreOperation};
pub use overview::RunOverview;
pub use redis::{PartDirectoryOptions, RedisOptions, RedisStore};
pub use routed::RoutedStore;
pub use types::{
    AfterFold, AttemptedJob, DeadJobRecord, EnqueueBatch, FoldCommit, INLINE_PART_BYTES, JobResult,
    LEASE_TTL, LeaderState, LeaderToken, LeasedJob, MAX_ATTEMPTS, MAX_RESOLVERS, PartRetention,
    ResultPage, RunPosition, RunState, SteerAction, StoreMemory, StoreVerdict,
};
pub use view::StoreView;
