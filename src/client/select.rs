//! Which run a person means.

use hatchery_proto::v1::RunStatus;
use ulid::{ULID_LEN, Ulid};

use crate::failure::Failure;
use crate::terminal::escape_controls;

/// The shortest part of an id that names a run: shorter ones are rather a name that is wrong.
const MIN_PART: usize = 4;

/// How many runs an error names.
const NAMED_RUNS: usize = 5;

/// `selector` as a run's id, if it is a whole one.
pub(super) fn full_id(selector: &str) -> Option<String> {
    let whole = selector.len() == ULID_LEN;
    whole.then(|| Ulid::from_string(selector).ok()).flatten().map(|id| id.to_string())
}

/// The one of `runs` (oldest first) that `selector` means.
pub(super) fn choose(mut runs: Vec<RunStatus>, selector: &str) -> Result<RunStatus, Failure> {
    if selector == "last" {
        return runs.pop().ok_or_else(|| Failure::Refused("the farm has no run yet".to_owned()));
    }
    let mut found = positions(&runs, |run| run.name == selector);
    if found.is_empty() && MIN_PART <= selector.len() {
        let part = selector.to_uppercase();
        found = positions(&runs, |run| run.run.starts_with(&part) || run.run.ends_with(&part));
    }
    match found.as_slice() {
        &[only] => Ok(runs.swap_remove(only)),
        [] => Err(Failure::Refused(format!(
            "the farm has no run {selector:?}: give an id, its beginning or end, a name, or `last`{}",
            named(runs.iter())
        ))),
        several => Err(Failure::Refused(format!(
            "{} runs are meant by {selector:?}: give an id{}",
            several.len(),
            named(several.iter().map(|&idx| &runs[idx]))
        ))),
    }
}

fn positions(runs: &[RunStatus], is_meant: impl Fn(&RunStatus) -> bool) -> Vec<usize> {
    (0..runs.len()).filter(|&idx| is_meant(&runs[idx])).collect()
}

/// The latest of `runs`, for an error.
fn named<'a>(runs: impl DoubleEndedIterator<Item = &'a RunStatus>) -> String {
    let named = runs.rev().take(NAMED_RUNS).map(|run| {
        let name = escape_controls(&run.name).replace('\n', " ");
        format!("\n  {} {name}", run.run)
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (Err(failure), Err(start)) => {
                let text = failure.to_string();
                assert!(text.starts_with(start), "{text}");
                assert_eq!(failure.exit_code(), 2);
            }
            (outcome, _) => panic!("{selector}: {outcome:?}"),
        }
    }

    #[test]
    fn a_run_is_meant_by_name_or_a_part_of_its_id() {
        check("last", Ok(2));
        check("last-week", Ok(2));
        check("h5b8fz", Ok(0));
        check("H5B8FZ", Ok(0));
        check("01M8", Ok(2));
        check("01m7yh3q6g", Ok(1));
        check("pig-quick", Err("2 runs are meant by \"pig-quick\""));
        check("01M7YH", Err("2 runs are meant"));
        check("abc", Err("the farm has no run \"abc\""));
        check("", Err("the farm has no run \"\""));
        check("nothing", Err("the farm has no run"));
        assert_eq!(full_id(&IDS[0].to_lowercase()).as_deref(), Some(IDS[0]));
        assert_eq!(full_id(&IDS[0][1..]), None);
        assert!(choose(Vec::new(), "last").is_err());
    }
}
