//! Conversion of counts.

/// Converts a count of at most 2^53, which every valid one is, exactly.
#[expect(clippy::cast_precision_loss, reason = "counts are at most 2^53")]
pub(crate) fn to_f64(count: u64) -> f64 {
    count as f64
}
