//! Settings of agents that are out of range.

use std::fmt::Display;
use std::ops::RangeInclusive;

use hatchery_search::{SearchError, playouts_text};

/// A setting of an agent that is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {found}, but must be {expected}")]
pub struct AgentError {
    /// The setting, as specs name it.
    pub field: &'static str,
    /// Its value.
    pub found: String,
    /// A description of the values allowed.
    pub expected: String,
}

impl AgentError {
    /// Returns the error for `field` holding `found` where `expected` would be right.
    pub(super) fn new(
        field: &'static str,
        found: &(impl Display + ?Sized),
        expected: impl Into<String>,
    ) -> Self {
        Self { field, found: found.to_string(), expected: expected.into() }
    }

    /// Checks that a number is in a range.
    pub(super) fn check<T: Copy + Display + PartialOrd>(
        field: &'static str,
        value: T,
        range: &RangeInclusive<T>,
    ) -> Result<(), Self> {
        if range.contains(&value) {
            return Ok(());
        }
        let expected = format!("from {} to {}", range.start(), range.end());
        Err(Self::new(field, &value, expected))
    }
}

impl From<SearchError> for AgentError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::DepthOutOfRange { found, max } => {
                Self::new("depth", &found, format!("from 1 to {max}"))
            }
            SearchError::PlayoutsOutOfRange { found, max } => {
                Self::new("search.playouts", &found, format!("from 1 to {max}"))
            }
            SearchError::ExplorationOutOfRange { found } => {
                Self::new("search.exploration", &found, "a finite number, at least 0")
            }
            SearchError::DoublingOutOfRange { found } => {
                Self::new("search.plies_per_doubling", &found, "from 0.001 to 1000")
            }
            SearchError::GrownBudgetOutOfRange { depth, found, max } => Self::new(
                "depth",
                &depth,
                format!(
                    "one whose budget is at most {max} playouts: with `growing-budget`, it has {}",
                    playouts_text(found)
                ),
            ),
            // Errors of positions, which no settings have.
            SearchError::GameOver | SearchError::TooManyMoves { .. } => {
                Self::new("search", &error, "one of a position with moves")
            }
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
            assert_eq!(AgentError::from(error).to_string(), text);
        };
        check(1_048_576.4, "1048576");
        check(1e300, "more than 1e12");
        check(f64::INFINITY, "more than 1e12");
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        let check = |value, expected: Option<&str>| {
            let error = AgentError::check("rule.z", value, &(-2.0..=2.0)).err();
            assert_eq!(error.map(|error| error.to_string()).as_deref(), expected);
        };
        check(-2.0, None);
        check(2.0, None);
        check(2.5, Some("rule.z is 2.5, but must be from -2 to 2"));
        check(f64::NAN, Some("rule.z is NaN, but must be from -2 to 2"));
    }
}
