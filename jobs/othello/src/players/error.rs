//! Settings of agents that are out of range.

use hatchery_core::InvalidValue;
use hatchery_search::{SearchError, playouts_text};

/// Returns the error of a search as that of a setting.
pub(crate) fn refused_search(error: SearchError) -> InvalidValue {
    match error {
        SearchError::DepthOutOfRange { found, max } => {
            InvalidValue::out_of_range("depth", &found, &1, &max)
        }
        SearchError::PlayoutsOutOfRange { found, max } => {
            InvalidValue::out_of_range("search.playouts", &found, &1, &max)
        }
        SearchError::ExplorationOutOfRange { found } => {
            InvalidValue::new("search.exploration", &found, "a finite number, at least 0")
        }
        SearchError::DoublingOutOfRange { found } => {
            InvalidValue::out_of_range("search.plies_per_doubling", &found, &0.001, &1000)
        }
        SearchError::GrownBudgetOutOfRange { depth, found, max } => {
            let playouts = playouts_text(found);
            let expected = format!(
                "one whose budget is at most {max} playouts: with `growing-budget`, it has \
                 {playouts}"
            );
            InvalidValue::new("depth", &depth, expected)
        }
        // Errors of positions, which no settings have.
        SearchError::GameOver | SearchError::TooManyMoves { .. } => {
            InvalidValue::new("search", &error, "one of a position with moves")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_beyond_all_bounds_are_not_written_out() {
        let check = |found: f64, expected: &str| {
            let error = SearchError::GrownBudgetOutOfRange { depth: 60, found, max: 1_000_000 };
            let text = format!(
                "depth is 60, but must be one whose budget is at most 1000000 playouts: with \
                 `growing-budget`, it has {expected}"
            );
            assert_eq!(refused_search(error).to_string(), text);
        };
        check(1_048_576.4, "1048576");
        check(1e300, "more than 1e12");
        check(f64::INFINITY, "more than 1e12");
    }
}
