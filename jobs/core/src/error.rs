//! Errors for people.

use std::error::Error;

/// Returns `error` and its causes in one line: `cannot open the run: file not found`.
#[must_use]
pub fn error_chain(error: &dyn Error) -> String {
    let chain = std::iter::successors(Some(error), |&error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::error_chain;
    use crate::erased::ExperimentError;
    use crate::invalid_value::InvalidValue;

    #[test]
    fn causes_follow_the_error() {
        let cause = InvalidValue::new("games", &5, "even");
        assert_eq!(error_chain(&cause), "games is 5, but must be even");
        let error = ExperimentError::from(cause);
        assert_eq!(error_chain(&error), "parameters refused: games is 5, but must be even");
    }
}
