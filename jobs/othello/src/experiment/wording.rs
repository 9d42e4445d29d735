//! Numbers and settings in the words of reports.

use hatchery_core::IntervalEstimate;

use crate::players::{DepthReading, SearchSettings};

/// Returns an estimate and its interval with this number of decimal places.
pub(super) fn interval(it: IntervalEstimate, digits: usize) -> String {
    format!("{:.digits$} ({:.digits$} to {:.digits$})", it.mean, it.low, it.high)
}

/// Returns an Elo difference and its interval in whole points, with their signs.
pub(super) fn elo(it: IntervalEstimate) -> String {
    format!("{:+.0} ({:+.0} to {:+.0})", it.mean, it.low, it.high)
}

/// Returns `items` as a list: "a, b and c".
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Describes the search of agents that differ in depth.
pub(super) fn search(settings: &SearchSettings) -> String {
    let SearchSettings { playouts, reading, plies_per_doubling, exploration } = *settings;
    let ends = match reading {
        DepthReading::TreeCap => {
            format!("reading A: {playouts} playouts a move, and the tree ends at the depth")
        }
        DepthReading::DepthReached => format!(
            "reading B: a search ends when a leaf at the depth is reached, or after {playouts} \
             playouts"
        ),
        DepthReading::Horizon => {
            format!("reading C: {playouts} playouts a move, and tree and playouts end at the depth")
        }
        DepthReading::GrowingBudget => format!(
            "reading D: {playouts} playouts a move at depth 5, twice as many with every \
             {plies_per_doubling} plies more, and the tree ends at the depth"
        ),
    };
    format!("{ends}; exploration {exploration:.4}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_joined_by_commas_and_one_and() {
        let check = |n: usize, expected: &str| {
            let items = ["5", "10", "15"].map(str::to_owned);
            assert_eq!(list(&items[..n]), expected);
        };
        check(0, "");
        check(1, "5");
        check(2, "5 and 10");
        check(3, "5, 10 and 15");
    }
}
