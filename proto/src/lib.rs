//! The messages and services between workers, coordinators and clients.
//!
//! The `.proto` files beside this crate are the protocol's documentation. A worker and a
//! coordinator work together if their [`PROTOCOL`] is equal and the worker has the version of the
//! experiment; minor additions keep the number.

mod identity;
pub mod v1;

use std::time::Duration;

pub use identity::{PROOF_BYTES, WorkerProof, is_proven_id};

/// The version of the protocol, raised when an older peer would misunderstand.
pub const PROTOCOL: u32 = 3;

/// The metadata key of a refusal for the milliseconds until the next try, as in gRPC.
pub const RETRY_PUSHBACK: &str = "grpc-retry-pushback-ms";

/// The largest message on a session. Decoding can take many times a message's size in memory, so
/// it stays small; larger values travel as parts, and by calls of their own.
pub const MAX_SESSION_MESSAGE_BYTES: usize = 1 << 20;

/// The bytes of a part in one message, and the most of any other value in pieces.
pub const PART_CHUNK_BYTES: usize = 255 << 10;

/// The largest part.
pub const MAX_PART_BYTES: usize = 64 << 20;

/// The most parts that the trials of a job may read, and the most that they may write.
pub const MAX_JOB_PARTS: usize = 4096;

/// The most bytes of the parts that the trials of a job read: a worker has them in memory.
pub const MAX_JOB_INPUT_BYTES: usize = 512 << 20;

/// The most bytes of the parts that the trials of a job write: a worker has them in memory.
pub const MAX_JOB_PART_BYTES: usize = 512 << 20;

/// The largest result: a coordinator has it in memory.
pub const MAX_RESULT_BYTES: usize = 128 << 20;

/// The most jobs, results or verdicts in one message.
pub const MAX_BATCH_ITEMS: usize = 128;

/// The most bytes of jobs or results in one message: half of the largest message, so that the rest
/// of the message always fits.
pub const MAX_BATCH_BYTES: usize = MAX_SESSION_MESSAGE_BYTES / 2;

/// The most subjects in one job.
pub const MAX_JOB_SEGMENTS: usize = 1024;

/// The most trials in one job.
pub const MAX_JOB_TRIALS: u64 = 65_536;

/// The most slots that a worker may offer.
pub const MAX_SLOTS: u32 = 4096;

/// The most jobs that a worker can name as its own: two jobs for every slot.
pub const MAX_HELD_JOBS: usize = 16_384;

/// The bytes of a ticket.
pub const TICKET_BYTES: usize = 32;

/// The longest name of a run.
pub const MAX_RUN_NAME_BYTES: usize = 128;

/// The most bytes of a worker's name.
pub const MAX_WORKER_NAME_BYTES: usize = 256;

/// The longest idempotency key of a submission.
pub const MAX_IDEMPOTENCY_KEY_BYTES: usize = 256;

/// The longest name of a user.
pub const MAX_USER_BYTES: usize = 64;

/// The shortest time without progress after which a job can count as hanging: workers report
/// progress every 2 seconds.
pub const MIN_STALL: Duration = Duration::from_secs(12);

/// The longest such time: waiting for more than a month is waiting forever.
pub const MAX_STALL: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl v1::Job {
    /// Returns the job's number of trials.
    #[must_use]
    pub fn n_trials(&self) -> u64 {
        self.segments.iter().map(|segment| u64::from(segment.n_trials)).sum()
    }
}
