//! Selectors: how a person may name a run.

/// The selector of the latest run.
pub(crate) const LAST: &str = "last";

/// The shortest part of an id that names a run: a shorter one is more likely a misspelt name.
pub(crate) const MIN_PART: usize = 4;

/// Returns the positions of the `runs` that `selector` names: the runs with this name or, if there
/// are none, the runs with this part in their id. `has_part` gets the part in upper case.
pub(crate) fn select<R>(
    runs: &[R],
    selector: &str,
    is_called: impl Fn(&R) -> bool,
    has_part: impl Fn(&R, &str) -> bool,
) -> Vec<usize> {
    let positions = |matches: &dyn Fn(&R) -> bool| {
        (0..runs.len()).filter(|&idx| matches(&runs[idx])).collect::<Vec<_>>()
    };
    let called = positions(&is_called);
    if !called.is_empty() || selector.len() < MIN_PART {
        return called;
    }
    let part = selector.to_uppercase();
    positions(&|run| has_part(run, &part))
}
