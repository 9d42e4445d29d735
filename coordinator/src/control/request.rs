//! Parses fields of requests into valid values.

use hatchery_proto::v1::Act;
use hatchery_store::{RunId, SteerAction};
use tonic::Status;
use ulid::{ULID_LEN, Ulid};

use super::refusal;

/// The default and the largest number of runs in a list.
const DEFAULT_RUNS: u32 = 100;
const MAX_RUNS: u32 = 1000;

/// The most dead jobs that one request can retry by index.
const MAX_INDICES: usize = 10_000;

/// Parses a run id.
pub(super) fn run_id(text: &str) -> Result<RunId, Status> {
    let ulid = (text.len() == ULID_LEN).then(|| Ulid::from_string(text).ok()).flatten();
    ulid.map(RunId).ok_or_else(|| {
        let shown: String = text.chars().take(2 * ULID_LEN).collect();
        refusal::invalid(&format!("{shown:?} is no run's id: a ULID of {ULID_LEN} characters"))
    })
}

/// Checks the wanted length of a list of runs.
pub(super) fn most_runs(most: u32) -> Result<usize, Status> {
    match most {
        0 => Ok(DEFAULT_RUNS as usize),
        1..=MAX_RUNS => Ok(most as usize),
        _ => Err(refusal::invalid(&format!("a list of {most} runs, but at most {MAX_RUNS}"))),
    }
}

/// Parses the action on a run.
pub(super) fn steer(act: Act) -> Result<SteerAction, Status> {
    match act {
        Act::Unspecified => Err(refusal::invalid("an unknown act: one of pause, resume, cancel")),
        Act::Pause => Ok(SteerAction::Pause),
        Act::Resume => Ok(SteerAction::Resume),
        Act::Cancel => Ok(SteerAction::Cancel),
    }
}

/// Returns the state of a run after `steer`, in one word.
pub(super) fn word(steer: SteerAction) -> &'static str {
    match steer {
        SteerAction::Pause => "paused",
        SteerAction::Resume => "resumed",
        SteerAction::Cancel => "cancelled",
    }
}

/// Checks the number of listed jobs.
pub(super) fn indices(indices: &[u64]) -> Result<(), Status> {
    match indices.len() <= MAX_INDICES {
        true => Ok(()),
        false => Err(refusal::invalid(&format!(
            "{} jobs in a request, but at most {MAX_INDICES} are allowed; none stands for all",
            indices.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/REFERENCE.md states this number.
    #[test]
    fn a_page_has_100_runs_unless_another_number_is_wanted() {
        assert_eq!(most_runs(0).unwrap(), 100);
        assert_eq!(most_runs(1000).unwrap(), 1000);
        assert_eq!(most_runs(1001).unwrap_err().code(), tonic::Code::InvalidArgument);
    }

    #[test]
    fn a_run_is_named_by_its_ulid() {
        let run = RunId(Ulid::generate());
        assert_eq!(run_id(&run.to_string()).unwrap(), run);
        assert_eq!(run_id(&run.to_string().to_lowercase()).unwrap(), run);
        let long = "0".repeat(1 << 20);
        for bad in ["", "last", "01M7YH3Q6F4BFRQE644ZH5B8F", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ!", &long] {
            let status = run_id(bad).unwrap_err();
            assert_eq!(status.code(), tonic::Code::InvalidArgument);
            assert!(status.message().len() < 200, "{status:?}");
        }
    }

    #[test]
    fn counts_have_limits() {
        assert_eq!(most_runs(0).unwrap(), 100);
        assert_eq!(most_runs(1000).unwrap(), 1000);
        assert!(most_runs(1001).unwrap_err().message().contains("1001"));
        assert!(indices(&vec![0; MAX_INDICES]).is_ok());
        assert!(indices(&vec![0; MAX_INDICES + 1]).is_err());
        assert!(steer(Act::Unspecified).is_err());
    }
}
