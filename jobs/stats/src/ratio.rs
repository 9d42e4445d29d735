//! The ratio of two sums over independent groups, with an interval.

use hatchery_core::IntervalEstimate;

use crate::error::{ErrorRate, StatsError};
use crate::normal;

/// Returns the sum of the first numbers over the `groups` divided by the sum of the second numbers,
/// such as playouts per search over games, with its normal interval; its n is the number of groups.
///
/// Groups, such as games, are independent; what happens within one need not be. With the numbers y
/// and x of n groups, and the ratio R of their sums, the standard error of R is
/// sqrt(sum of (y - R x)^2 / (n (n - 1))) / mean x (Cochran, *Sampling Techniques*, 3rd edition,
/// 1977, §2.11). The approximation is good from some 30 groups on; the interval of two or three is
/// much too short. It contains no negative number.
///
/// # Errors
/// If there are fewer than two groups, or the sum of the second numbers is 0.
pub fn ratio_interval(
    groups: &[[u64; 2]],
    error_rate: ErrorRate,
) -> Result<IntervalEstimate, StatsError> {
    if groups.len() < 2 {
        return Err(StatsError::TooFewGroups { n: groups.len() });
    }
    let sum = |of: usize| groups.iter().map(|group| u128::from(group[of])).sum::<u128>();
    let (total, size) = (to_f64(sum(0)), to_f64(sum(1)));
    if size <= 0.0 {
        let (name, range) = ("sum of the second numbers", "above 0");
        return Err(StatsError::OutOfRange { name, value: size, range });
    }
    let mean = total / size;
    let squared = |&[y, x]: &[u64; 2]| {
        let deviation = to_f64(y.into()) - mean * to_f64(x.into());
        deviation * deviation
    };
    let squares: f64 = groups.iter().map(squared).sum();
    let n = groups.len() as u64;
    let count = to_f64(n.into());
    // The mean of x is size / n.
    let standard_error = libm::sqrt(squares * count / (count - 1.0)) / size;
    let half = normal::quantile(1.0 - error_rate.per_side().get()) * standard_error;
    let confidence = 1.0 - error_rate.get();
    Ok(IntervalEstimate { mean, low: (mean - half).max(0.0), high: mean + half, n, confidence })
}

#[expect(clippy::cast_precision_loss, reason = "a relative error of 2^-53 is meant")]
fn to_f64(sum: u128) -> f64 {
    sum as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(groups: &[[u64; 2]], mean: f64, standard_error: f64) {
        let got = ratio_interval(groups, ErrorRate::FIVE_PERCENT).unwrap();
        let half = 1.959_963_985 * standard_error;
        let found = [got.mean, got.low, got.high];
        let expected = [mean, mean - half, mean + half];
        let is_close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(is_close && got.n == groups.len() as u64, "{got:?} instead of {expected:?}");
    }

    /// Deviations 0, -1 and 1 from 3 x; sqrt(2 / (3 x 2)) / 2.
    #[test]
    fn standard_errors_are_those_of_the_formula() {
        check(&[[3, 1], [5, 2], [10, 3]], 3.0, 0.288_675_135);
        // Groups of one: the mean of 1, 2, 3, 4 and its standard error, sqrt(5 / 3) / 2.
        check(&[[1, 1], [2, 1], [3, 1], [4, 1]], 2.5, 0.645_497_224);
        // Groups that differ in size only.
        check(&[[7, 1], [70, 10], [0, 0]], 7.0, 0.0);
    }

    #[test]
    fn what_has_no_ratio_is_refused() {
        for groups in [&[][..], &[[3, 1]], &[[0, 0], [0, 0]], &[[1, 0], [2, 0]]] {
            assert!(ratio_interval(groups, ErrorRate::FIVE_PERCENT).is_err(), "{groups:?}");
        }
        let most = [[u64::MAX; 2]; 3];
        let got = ratio_interval(&most, ErrorRate::FIVE_PERCENT).unwrap();
        assert!((got.mean - 1.0).abs() < 1e-12 && got.high.is_finite(), "{got:?}");
        let uneven = [[0, 10], [10, 10]];
        assert!(ratio_interval(&uneven, ErrorRate::FIVE_PERCENT).unwrap().low >= 0.0);
    }
}
