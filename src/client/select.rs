//! Finding the run that a selector names.

use hatchery_proto::v1::RunStatus;
use ulid::{ULID_LEN, Ulid};

use crate::error::SelectionError;
use crate::selector::{LAST, select};
use crate::terminal::{escape_controls, print_status};

/// The number of runs that an error lists.
const MAX_LISTED: usize = 5;

/// The runs of a farm that a selector names.
pub(crate) enum SelectedRuns {
    One(Box<RunStatus>),
    /// A sweep: its name, and its runs, the oldest first.
    Sweep(String, Vec<RunStatus>),
}

/// Returns `selector` as a run's id if it is a complete one.
pub(super) fn full_id(selector: &str) -> Option<String> {
    let whole = selector.len() == ULID_LEN;
    whole.then(|| Ulid::from_string(selector).ok()).flatten().map(|id| id.to_string())
}

/// Returns the run among `runs` (oldest first) that `selector` names.
pub(super) fn choose(
    mut runs: Vec<RunStatus>,
    selector: &str,
) -> Result<RunStatus, SelectionError> {
    if selector == LAST {
        let last = runs.pop().ok_or(SelectionError::NoRuns)?;
        print_status(&format!("{LAST} is {}", line(&last)));
        return Ok(last);
    }
    let has_part =
        |run: &RunStatus, part: &str| run.run.starts_with(part) || run.run.ends_with(part);
    let found = select(&runs, selector, |run| run.name == selector, has_part);
    let selector = selector.to_owned();
    match found.as_slice() {
        &[only] => Ok(runs.swap_remove(only)),
        [] => Err(SelectionError::UnknownRun { selector, known: lines(runs.iter()) }),
        several => Err(SelectionError::AmbiguousRun {
            selector,
            n_matches: several.len(),
            matches: lines(several.iter().map(|&idx| &runs[idx])),
        }),
    }
}

/// Returns lines about the latest of `runs`, for an error.
fn lines<'a>(runs: impl DoubleEndedIterator<Item = &'a RunStatus>) -> Vec<String> {
    runs.rev().take(MAX_LISTED).map(line).collect()
}

/// Returns a run's id and its name.
fn line(run: &RunStatus) -> String {
    let name = escape_controls(&run.name).replace('\n', " ");
    format!("{} {name}", run.run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CommandError;

    const IDS: [&str; 3] =
        ["01M7YH3Q6F4BFRQE644ZH5B8FZ", "01M7YH3Q6G0000000000000QRS", "01M8000000000000000000ABCD"];

    fn runs() -> Vec<RunStatus> {
        let run = |(id, name): (&str, &str)| RunStatus {
            run: id.to_owned(),
            name: name.to_owned(),
            ..RunStatus::default()
        };
        IDS.into_iter().zip(["pig-quick", "pig-quick", "last-week"]).map(run).collect()
    }

    fn check(selector: &str, expected: Result<usize, &str>) {
        match (choose(runs(), selector), expected) {
            (Ok(run), Ok(idx)) => assert_eq!(run.run, IDS[idx], "{selector}"),
            (Err(error), Err(start)) => {
                let text = error.to_string();
                assert!(text.starts_with(start), "{text}");
                assert_eq!(CommandError::from(error).exit_code(), 2);
            }
            (outcome, _) => panic!("{selector}: {outcome:?}"),
        }
    }

    #[test]
    fn a_run_is_named_by_its_name_or_a_part_of_its_id() {
        check("last", Ok(2));
        check("last-week", Ok(2));
        check("h5b8fz", Ok(0));
        check("H5B8FZ", Ok(0));
        check("01M8", Ok(2));
        check("01m7yh3q6g", Ok(1));
        check("pig-quick", Err("2 runs match \"pig-quick\""));
        check("01M7YH", Err("2 runs match"));
        check("abc", Err("the farm has no run \"abc\""));
        check("", Err("the farm has no run \"\""));
        check("nothing", Err("the farm has no run"));
        assert_eq!(full_id(&IDS[0].to_lowercase()).as_deref(), Some(IDS[0]));
        assert_eq!(full_id(&IDS[0][1..]), None);
        assert!(choose(Vec::new(), "last").is_err());
    }
}
