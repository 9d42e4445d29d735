//! Whether a result can be the result of its job.

use hatchery_core::erased::Procedure;
use hatchery_proto::v1::{self, JobFailure, JobOutput, result};
use prost::Message;

use super::sessions::Held;
use crate::machine::{Accepted, Failure};
use crate::record::{OutputPart, StoredOutput};
use crate::store::{JobId, JobResult};

/// What a result turned out to be.
pub(super) enum Checked {
    /// Well-formed: one tally for each segment of the job.
    Good {
        /// For the store.
        result: JobResult,
        /// For the machine, should the store accept it.
        accepted: Accepted,
    },
    /// For a job that its worker does not hold.
    Unknown,
    /// The trial failed, or the result is malformed.
    Bad(Failure),
}

/// Checks `result` against the job that was `held`.
pub(super) fn check(
    procedure: &dyn Procedure,
    job: JobId,
    held: &Held,
    result: v1::Result,
) -> Checked {
    let v1::Result { outcome, cost, .. } = result;
    let cost = cost.unwrap_or_default();
    let output = match outcome {
        Some(result::Outcome::Output(bytes)) => bytes,
        Some(result::Outcome::Failure(failure)) => return Checked::Bad(reported(job, failure)),
        None => return Checked::Bad(malformed(job, "no outcome")),
    };
    let Ok(JobOutput { tallies }) = JobOutput::decode(output.as_slice()) else {
        return Checked::Bad(malformed(job, "no job output"));
    };
    if tallies.len() != held.segments.len() {
        return Checked::Bad(malformed(job, "not one tally for each segment"));
    }
    if tallies.iter().any(|tally| procedure.work(tally).is_err()) {
        return Checked::Bad(malformed(job, "a malformed tally"));
    }
    let accepted = Accepted {
        n_jobs: 1,
        n_trials: held.segments.iter().map(|&(_, n_trials)| u64::from(n_trials)).sum(),
        cpu_ns: cost.cpu_ns,
        n_bytes: output.len(),
    };
    let parts = held.segments.iter().zip(tallies);
    let parts = parts.map(|(&(series, n_trials), tally)| OutputPart { series, n_trials, tally });
    let output = StoredOutput { parts: parts.collect() }.encode_to_vec();
    Checked::Good { result: JobResult { output, cost: cost.encode_to_vec() }, accepted }
}

fn reported(job: JobId, failure: JobFailure) -> Failure {
    let trial = failure
        .trial
        .map(|trial| format!("{}/{}/{}", job.generation, trial.subject_idx, trial.trial));
    Failure { message: failure.message, trial }
}

fn malformed(job: JobId, what: &str) -> Failure {
    let JobId { generation, index } = job;
    let message = format!("a worker's result of job {index} of generation {generation} has {what}");
    Failure { message, trial: None }
}
