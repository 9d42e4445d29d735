//! The difference of two independent estimates, with an interval.

use hatchery_core::IntervalEstimate;

/// Returns the first of two independent estimates minus the second, with an interval of the lower
/// of their confidences; its n is the total of both. `None` if a number is not finite, or an
/// interval does not contain its estimate.
///
/// The ends follow MOVER (Zou & Donner, "Construction of confidence limits about effect measures: a
/// general approach", Statistics in Medicine 27, 2008). They need nothing but the two intervals,
/// and keep the skewness of these. Of two shares with Wilson's intervals, this is method 10 of
/// Newcombe, "Interval estimation for the difference between independent proportions", Statistics
/// in Medicine 17, 1998.
#[must_use]
pub fn estimate_difference(pair: [IntervalEstimate; 2]) -> Option<IntervalEstimate> {
    let is_usable = |it: &IntervalEstimate| {
        let parts = [it.low, it.mean, it.high];
        parts.iter().all(|part| part.is_finite()) && parts.is_sorted()
    };
    if !pair.iter().all(is_usable) {
        return None;
    }
    let [low, high] = difference_ends(pair.map(|it| [it.low, it.mean, it.high]));
    let [first, second] = pair;
    Some(IntervalEstimate {
        mean: first.mean - second.mean,
        low,
        high,
        n: first.n.saturating_add(second.n),
        confidence: first.confidence.min(second.confidence),
    })
}

/// Returns the lower and the upper end of the interval of a - b by MOVER, from two independent
/// estimates, each given as lower end, estimate and upper end.
///
/// The lower end is a - b - sqrt((a - a.low)^2 + (b.high - b)^2), and the upper one the other way
/// around.
pub(crate) fn difference_ends([[a_low, a, a_high], [b_low, b, b_high]]: [[f64; 3]; 2]) -> [f64; 2] {
    let [below, above] = [libm::hypot(a - a_low, b_high - b), libm::hypot(a_high - a, b - b_low)];
    [a - b - below, a - b + above]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorRate;
    use crate::proportion::wilson_interval;

    fn estimate([low, mean, high]: [f64; 3]) -> IntervalEstimate {
        IntervalEstimate { mean, low, high, n: 10, confidence: 0.95 }
    }

    fn check(a: [f64; 3], b: [f64; 3], expected: [f64; 3]) {
        let found = estimate_difference([a, b].map(estimate)).unwrap();
        let parts = [found.low, found.mean, found.high];
        let is_close = parts.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(is_close && found.n == 20, "{found:?} instead of {expected:?}");
    }

    /// By hand: sqrt(3^2 + 4^2) = 5 below, and sqrt(12^2 + 5^2) = 13 above.
    #[test]
    fn each_end_has_the_half_lengths_that_face_it() {
        check([7.0, 10.0, 22.0], [-3.0, 2.0, 6.0], [3.0, 8.0, 21.0]);
        check([-3.0, 2.0, 6.0], [7.0, 10.0, 22.0], [-21.0, -8.0, -3.0]);
        // An exact number adds nothing.
        check([7.0, 10.0, 22.0], [4.0; 3], [3.0, 6.0, 18.0]);
    }

    /// Newcombe 1998, table II, method 10.
    #[test]
    fn differences_of_shares_are_the_published_ones() {
        for (a, b, expected) in [
            ([56, 70], [48, 80], [0.0524, 0.3339]),
            ([9, 10], [3, 10], [0.1705, 0.8090]),
            ([10, 10], [0, 10], [0.6075, 1.0]),
            ([0, 10], [0, 10], [-0.2775, 0.2775]),
        ] {
            let pair = [a, b].map(|[successes, n]| {
                wilson_interval(successes, n, ErrorRate::FIVE_PERCENT).unwrap()
            });
            let found = estimate_difference(pair).unwrap();
            let ends = [found.low, found.high];
            let is_close = ends.iter().zip(expected).all(|(a, b)| (a - b).abs() < 6e-5);
            assert!(is_close, "{ends:?} instead of {expected:?}");
        }
    }

    #[test]
    fn what_is_no_interval_of_its_estimate_is_refused() {
        let one = estimate([0.5, 1.0, 2.0]);
        for parts in [[2.0, 1.0, 3.0], [0.0, 1.0, 0.5], [0.0, 1.0, f64::INFINITY], [f64::NAN; 3]] {
            assert_eq!(estimate_difference([one, estimate(parts)]), None, "{parts:?}");
            assert_eq!(estimate_difference([estimate(parts), one]), None, "{parts:?}");
        }
    }

    #[test]
    fn the_confidence_is_the_lower_one() {
        let sure = IntervalEstimate { confidence: 0.99, ..estimate([0.5, 1.0, 2.0]) };
        let found = estimate_difference([sure, estimate([0.5, 1.0, 2.0])]).unwrap();
        assert!((found.confidence - 0.95).abs() < 1e-12);
    }
}
