//! Parameters of matches that several experiments have.

use hatchery_core::InvalidParam;
use hatchery_stats::error::ErrorRate;

/// The most pairs of games of a generation: results are a byte for each.
const MAX_PAIRS: u64 = 20_000_000;

/// The default error rate.
pub(super) fn standard_error_rate() -> f64 {
    ErrorRate::FIVE_PERCENT.get()
}

/// Returns the error rate `value` of the parameter `key`.
///
/// # Errors
/// If it is out of range.
pub(super) fn error_rate(key: &str, value: f64) -> Result<ErrorRate, InvalidParam> {
    ErrorRate::new(value).map_err(|_| InvalidParam::new(key, &value, "above 0 and at most 0.5"))
}

/// Checks that a generation with `pairs` pairs of games of each of `n_matches` matches is not too
/// large.
///
/// # Errors
/// If it is.
pub(super) fn check_pairs(pairs: u32, n_matches: usize) -> Result<(), InvalidParam> {
    let factors = [(pairs.into(), "pairs"), (n_matches as u64, "matches")];
    InvalidParam::check_product("pairs", &factors, "pairs in a generation", MAX_PAIRS)
}
