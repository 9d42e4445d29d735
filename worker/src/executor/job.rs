//! The outcomes of jobs.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hatchery_core::PartSet;
use hatchery_proto::v1::{JobCost, JobFailure};

/// The longest message of a failure.
const MAX_FAILURE_BYTES: usize = 4096;

/// The outcome of an execution.
#[derive(Debug)]
pub enum JobOutcome {
    /// The job is computed.
    Output(ComputedOutput),
    /// The job cannot be computed here.
    Failed(JobFailure),
    /// The job was cancelled.
    Cancelled,
}

/// The output of a computed job.
#[derive(Debug, Default)]
pub struct ComputedOutput {
    /// The encoded [`JobOutput`](hatchery_proto::v1::JobOutput).
    pub output: Vec<u8>,
    /// The parts that its trials wrote.
    pub parts: PartSet,
    /// The time that it took.
    pub cost: JobCost,
}

/// Returns the failure of a job as a whole, with a message that is cut off if it is too long.
#[must_use]
pub(crate) fn job_failure(mut message: String) -> JobFailure {
    message.truncate(message.floor_char_boundary(MAX_FAILURE_BYTES));
    JobFailure { message, trial: None, too_large: false }
}

/// Runs `act` and turns a panic into a failure. A panic outside of a trial is a bug, but must not
/// end the process, as it would in a pool.
pub(super) fn catch_worker_panic<T>(act: impl FnOnce() -> T) -> Result<T, JobFailure> {
    let outcome = catch_unwind(AssertUnwindSafe(act));
    outcome.map_err(|_| job_failure("the worker panicked outside of a trial".to_owned()))
}

/// An early end of an execution.
#[derive(Debug)]
pub(super) enum JobAbort {
    Cancelled,
    Failed(JobFailure),
}
