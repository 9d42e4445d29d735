//! Whether a result can be the result of its job.

use hatchery_core::erased::AnySimulation;
use hatchery_proto::v1::{self, JobFailure, JobOutput, result};
use prost::Message;

use super::job::TrialRange;
use crate::machine::Failure;
use crate::record::{OutputPart, StoredOutput};
use crate::store::{JobId, JobResult};

/// What a result turned out to be.
pub(super) enum Checked {
    /// Well-formed: one tally for each segment of the job.
    Good(JobResult),
    /// The report of a trial that failed.
    Failed(Failure),
    /// No result of this job.
    Malformed(Failure),
}

/// Checks `result` of `worker` against the job's `ranges`.
pub(super) fn check(
    simulation: &dyn AnySimulation,
    job: JobId,
    ranges: &[TrialRange],
    worker: u128,
    result: v1::Result,
) -> Checked {
    let v1::Result { outcome, cost, .. } = result;
    let cost = cost.unwrap_or_default();
    let output = match outcome {
        Some(result::Outcome::Output(bytes)) => bytes,
        Some(result::Outcome::Failure(failure)) => return Checked::Failed(reported(job, failure)),
        None => return Checked::Malformed(malformed(job, "no outcome")),
    };
    let Ok(JobOutput { tallies }) = JobOutput::decode(output.as_slice()) else {
        return Checked::Malformed(malformed(job, "no job output"));
    };
    if tallies.len() != ranges.len() {
        return Checked::Malformed(malformed(job, "not one tally for each segment"));
    }
    if tallies.iter().any(|tally| simulation.work(tally).is_err()) {
        return Checked::Malformed(malformed(job, "a malformed tally"));
    }
    let output = stored_output(ranges, tallies);
    Checked::Good(JobResult { worker, output, cost: cost.encode_to_vec() })
}

/// The tallies of a job as the store has them: with the places where they belong.
pub(super) fn stored_output(ranges: &[TrialRange], tallies: Vec<Vec<u8>>) -> Vec<u8> {
    let parts = ranges.iter().zip(tallies).map(|(range, tally)| {
        let TrialRange { series, first_trial, n_trials } = *range;
        OutputPart { series, n_trials, tally, first_trial }
    });
    StoredOutput { parts: parts.collect(), n_missing: 0 }.encode_to_vec()
}

/// Whether `output`, as the store has it, is the tallies of exactly these trials: not those of
/// another cut, and nothing that stands for trials that are missing.
pub(super) fn is_of(output: &[u8], ranges: &[TrialRange]) -> bool {
    let Ok(StoredOutput { parts, n_missing: 0 }) = StoredOutput::decode(output) else {
        return false;
    };
    let trials = parts.iter().map(|part| {
        let &OutputPart { series, first_trial, n_trials, .. } = part;
        TrialRange { series, first_trial, n_trials }
    });
    trials.eq(ranges.iter().copied())
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
