//! Dead jobs: the reason of their failure, and the results that stand for them when they are
//! skipped.

use hatchery_proto::v1::{Job, JobCost};
use prost::Message;

use super::failure::RunFailure;
use crate::record::{FailedAttempt, OutputPart, StoredOutput};
use crate::store::{DeadJobRecord, JobResult};

/// The reporter of a result that stands for missing trials; no worker has this id.
pub(crate) const NOBODY: u128 = 0;

/// Returns the reason why the job is dead, from its last attempt.
pub(super) fn cause(parked: &DeadJobRecord) -> RunFailure {
    let attempts: Vec<_> =
        parked.attempts.iter().filter_map(|a| FailedAttempt::decode(a.as_slice()).ok()).collect();
    let Some(last) = attempts.iter().max_by_key(|attempt| attempt.unix_ms) else {
        return RunFailure { message: "a job is dead".to_owned(), trial: None };
    };
    let trial = Some(last.trial.clone()).filter(|trial| !trial.is_empty());
    let message = match attempts.len() {
        1 => last.message.clone(),
        n => format!("{n} attempts failed; the last: {}", last.message),
    };
    RunFailure { message, trial }
}

/// Returns the number of trials of an encoded job.
pub(crate) fn n_trials(job: &[u8]) -> u64 {
    Job::decode(job).map_or(0, |job| job.n_trials())
}

/// Returns the result that stands for a job whose trials are missing.
pub(crate) fn missing(parked: &DeadJobRecord) -> JobResult {
    let segments = Job::decode(parked.bytes.as_slice()).map(|job| job.segments).unwrap_or_default();
    let parts = segments.iter().map(|segment| OutputPart {
        series: segment.subject_idx,
        first_trial: segment.first_trial,
        n_trials: segment.n_trials,
        tally: Vec::new(),
    });
    let output = StoredOutput { parts: parts.collect(), n_missing: n_trials(&parked.bytes) };
    JobResult {
        worker: NOBODY,
        output: output.encode_to_vec(),
        cost: JobCost::default().encode_to_vec(),
    }
}
