//! The ratio of two independent estimates, with an interval.

use hatchery_core::IntervalEstimate;

use crate::estimate_difference::difference_ends;

/// Returns how many times the first of two independent estimates of positive quantities is the
/// second, with an interval of the lower of their confidences; its n is the total of both. `None`
/// if an estimate or an end of its interval is not positive and finite.
///
/// The ends come from the difference of the logarithms by MOVER, as in
/// [`estimate_difference`](crate::estimate_difference()), which keeps the skewness of any
/// intervals.
#[must_use]
pub fn mean_ratio(pair: [IntervalEstimate; 2]) -> Option<IntervalEstimate> {
    let logs = pair.map(|it| {
        let parts = [it.low, it.mean, it.high];
        parts.iter().all(|part| 0.0 < *part && part.is_finite()).then(|| parts.map(libm::log))
    });
    let [Some(a), Some(b)] = logs else { return None };
    let [low, high] = difference_ends([a, b]).map(libm::exp);
    let [first, second] = pair;
    Some(IntervalEstimate {
        mean: first.mean / second.mean,
        low,
        high,
        n: first.n + second.n,
        confidence: first.confidence.min(second.confidence),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate([low, mean, high]: [f64; 3]) -> IntervalEstimate {
        IntervalEstimate { mean, low, high, n: 10, confidence: 0.95 }
    }

    /// Half-lengths of log 2 and 0 give the half-length of the ratio; of log 2 twice, sqrt(2) times
    /// as much.
    #[test]
    fn half_lengths_add_up_in_squares() {
        let [wide, exact] = [[50.0, 100.0, 200.0], [20.0; 3]].map(estimate);
        let found = mean_ratio([wide, exact]).unwrap();
        assert!((found.mean - 5.0).abs() < 1e-12 && (found.low - 2.5).abs() < 1e-9, "{found:?}");
        assert!((found.high - 10.0).abs() < 1e-9 && found.n == 20, "{found:?}");
        let found = mean_ratio([wide, wide]).unwrap();
        assert!((found.high - libm::exp2(libm::sqrt(2.0))).abs() < 1e-9, "{found:?}");
        assert!((found.low * found.high - 1.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn quantities_without_a_logarithm_have_no_ratio() {
        let one = estimate([0.5, 1.0, 2.0]);
        for parts in [[0.0, 0.0, 1.0], [0.0, 1.0, 2.0], [0.5, 1.0, f64::INFINITY], [f64::NAN; 3]] {
            assert_eq!(mean_ratio([one, estimate(parts)]), None);
            assert_eq!(mean_ratio([estimate(parts), one]), None);
        }
    }
}
