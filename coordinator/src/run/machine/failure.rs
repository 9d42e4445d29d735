//! Failures of a run, in words for a person.

use hatchery_core::error_chain;

/// The reason why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFailure {
    /// The reason, for a person.
    pub message: String,
    /// The trial that failed, as `GENERATION/SUBJECT/TRIAL`.
    pub trial: Option<String>,
}

impl RunFailure {
    /// Returns the failure that `error` and its causes describe.
    pub fn of(error: &dyn std::error::Error) -> Self {
        Self { message: error_chain(error), trial: None }
    }
}
