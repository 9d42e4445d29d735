//! Bisection for the point where a monotone condition becomes true.

/// Returns the smallest number between `low` and `high` for which `reached` holds, to the last
/// bits.
pub(crate) fn bisect(mut low: f64, mut high: f64, reached: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..100 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || high <= middle {
            break;
        }
        if reached(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Like [`bisect`], but without a known upper end: doubles `first` until the condition holds.
pub(crate) fn bisect_upwards(low: f64, first: f64, reached: impl Fn(f64) -> bool) -> f64 {
    let mut high = first;
    while high < f64::MAX / 4.0 && !reached(high) {
        high *= 2.0;
    }
    bisect(low, high, reached)
}
