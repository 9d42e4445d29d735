//! Checks whether a result can be the result of its job.

use hatchery_core::erased::AnySimulation;
use hatchery_proto::MAX_JOB_PARTS;
use hatchery_proto::v1::{self, JobFailure, JobOutput, result};
use hatchery_store::{JobId, JobResult, WorkerId};
use prost::Message;

use super::job::TrialRange;
use crate::run::machine::RunFailure;
use crate::run::record::{OutputPart, StoredOutput};

/// The outcome of a check.
pub(super) enum CheckedResult {
    /// Well-formed: one tally for each segment of the job.
    Good(JobResult),
    /// The report of a trial that failed.
    Failed(RunFailure),
    /// The report that the trials return too much to be sent.
    TooLarge(RunFailure),
    /// Malformed: not a result of this job.
    Malformed(RunFailure),
}

/// Checks `result` of `worker` against the job's `ranges`.
pub(super) fn check(
    simulation: &dyn AnySimulation,
    job: JobId,
    ranges: &[TrialRange],
    worker: WorkerId,
    result: v1::Result,
) -> CheckedResult {
    let v1::Result { outcome, cost, .. } = result;
    let cost = cost.unwrap_or_default();
    let output = match outcome {
        Some(result::Outcome::Output(bytes)) => bytes,
        Some(result::Outcome::Failure(failure)) if failure.too_large => {
            return CheckedResult::TooLarge(reported(job, failure));
        }
        Some(result::Outcome::Failure(failure)) => {
            return CheckedResult::Failed(reported(job, failure));
        }
        None => return CheckedResult::Malformed(malformed(job, "no outcome")),
    };
    let Ok(JobOutput { tallies }) = JobOutput::decode(output.as_slice()) else {
        return CheckedResult::Malformed(malformed(job, "no job output"));
    };
    if tallies.len() != ranges.len() {
        return CheckedResult::Malformed(malformed(job, "not one tally for each segment"));
    }
    let checks = tallies.iter().zip(ranges);
    let parts = checks.map(|(tally, range)| simulation.check_tally(tally, range.n_trials).ok());
    let Some(parts) = parts.collect::<Option<Vec<_>>>() else {
        return CheckedResult::Malformed(malformed(job, "a malformed tally"));
    };
    let parts = parts.concat();
    if MAX_JOB_PARTS < parts.len() {
        return CheckedResult::Malformed(malformed(job, "names of too many parts"));
    }
    let output = stored_output(ranges, tallies);
    CheckedResult::Good(JobResult { worker, output, cost: cost.encode_to_vec(), parts })
}

/// Encodes the tallies of a job for the store, together with the trials of each tally.
pub(super) fn stored_output(ranges: &[TrialRange], tallies: Vec<Vec<u8>>) -> Vec<u8> {
    let parts = ranges.iter().zip(tallies).map(|(range, tally)| {
        let TrialRange { series, first_trial, n_trials } = *range;
        OutputPart { series, n_trials, tally, first_trial }
    });
    StoredOutput { parts: parts.collect(), ..StoredOutput::default() }.encode_to_vec()
}

/// Returns whether the stored `output` has the tallies of exactly these trials: not the tallies of
/// another cut, and not missing trials.
pub(super) fn is_of(output: &[u8], ranges: &[TrialRange]) -> bool {
    let Ok(StoredOutput { parts, n_missing: 0, .. }) = StoredOutput::decode(output) else {
        return false;
    };
    let trials = parts.iter().map(|part| {
        let &OutputPart { series, first_trial, n_trials, .. } = part;
        TrialRange { series, first_trial, n_trials }
    });
    trials.eq(ranges.iter().copied())
}

fn reported(job: JobId, failure: JobFailure) -> RunFailure {
    let trial = failure
        .trial
        .map(|trial| format!("{}/{}/{}", job.generation, trial.subject_idx, trial.trial));
    RunFailure { message: failure.message, trial }
}

fn malformed(job: JobId, what: &str) -> RunFailure {
    let JobId { generation, index } = job;
    let message = format!("a worker's result of job {index} of generation {generation} has {what}");
    RunFailure { message, trial: None }
}

#[cfg(test)]
mod tests {
    use hatchery_core::erased;
    use hatchery_pig::Pig;

    use super::*;

    /// A tally of Pig, as a worker may write it.
    #[derive(Clone, PartialEq, Message)]
    struct Tally {
        #[prost(uint64, tag = "1")]
        games: u64,
        #[prost(uint64, tag = "2")]
        turns: u64,
    }

    fn is_good(games: u64, turns: u64) -> bool {
        let tally = Tally { games, turns }.encode_length_delimited_to_vec();
        let output = JobOutput { tallies: vec![tally] }.encode_to_vec();
        let outcome = Some(result::Outcome::Output(output));
        let result = v1::Result { outcome, ..v1::Result::default() };
        let ranges = [TrialRange { series: 0, first_trial: 4, n_trials: 8 }];
        let job = JobId { generation: 0, index: 1 };
        let simulation = erased::<Pig>().simulation();
        matches!(check(simulation, job, &ranges, WorkerId(1), result), CheckedResult::Good(_))
    }

    #[test]
    fn a_tally_of_other_trials_or_of_impossible_counts_is_malformed() {
        assert!(is_good(8, 80));
        for (games, turns) in [(7, 80), (9, 80), (u64::MAX, u64::MAX), (8, u64::MAX), (8, 7)] {
            assert!(!is_good(games, turns), "{games} games, {turns} turns");
        }
    }
}
