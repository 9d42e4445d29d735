//! The mean of a positive quantity over a few replicates, with an interval.

use hatchery_core::IntervalEstimate;

use crate::error::CONFIDENCE;
use crate::normal;

/// The fewest replicates that give an interval: with fewer, the approximation of Student's quantile
/// is off by more than a thousandth.
pub const MIN_REPLICATES: usize = 6;

/// Returns the mean of `values`, each an independent and unbiased estimate of the same positive
/// quantity, with an interval that is symmetric on the logarithmic scale: the standard error of
/// log(mean) is cv / sqrt(n) (delta method), multiplied by Student's quantile of n - 1 degrees of
/// freedom.
///
/// Estimates of rare events spread widely upwards, and their mean cannot be below 0; on the
/// logarithmic scale neither is a problem, and the interval of the reciprocal is the reciprocal
/// interval. With fewer than [`MIN_REPLICATES`] values, or if all are 0, the interval is as wide as
/// possible: from 0 to infinity.
#[must_use]
pub fn replicates_estimate(values: &[f64]) -> IntervalEstimate {
    #[expect(clippy::cast_precision_loss, reason = "a few replicates")]
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let estimate = |low, high| IntervalEstimate {
        mean,
        low,
        high,
        n: values.len() as u64,
        confidence: CONFIDENCE,
    };
    if values.len() < MIN_REPLICATES || mean <= 0.0 {
        return estimate(0.0, f64::INFINITY);
    }
    let deviations: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let cv = libm::sqrt(deviations / (n - 1.0)) / mean;
    let half = student_quantile(n - 1.0) * cv / libm::sqrt(n);
    estimate(mean * libm::exp(-half), mean * libm::exp(half))
}

/// Returns the mean of `values`, which are independent, with Student's interval: mean -+ t s /
/// sqrt(n). With fewer than [`MIN_REPLICATES`] values the interval is as wide as possible.
#[must_use]
pub fn student_estimate(values: &[f64]) -> IntervalEstimate {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand replicates")]
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let half = if values.len() < MIN_REPLICATES {
        f64::INFINITY
    } else {
        let deviations: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        student_quantile(n - 1.0) * libm::sqrt(deviations / (n - 1.0) / n)
    };
    let (low, high, n) = (mean - half, mean + half, values.len() as u64);
    IntervalEstimate { mean, low, high, n, confidence: CONFIDENCE }
}

/// Returns Student's t quantile at the upper end of an interval of [`CONFIDENCE`]: the
/// Cornish-Fisher expansion (Abramowitz & Stegun 26.7.5), within 0.1 % from 5 degrees of freedom
/// on.
fn student_quantile(degrees: f64) -> f64 {
    let z = normal::quantile((1.0 + CONFIDENCE) / 2.0);
    let z2 = z * z;
    let first = (z2 + 1.0) * z / 4.0;
    let second = ((5.0 * z2 + 16.0) * z2 + 3.0) * z / 96.0;
    let third = (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) * z / 384.0;
    z + (first + (second + third / degrees) / degrees) / degrees
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_students() {
        // Mean 3.5, s^2 = 3.5; t of 5 degrees of freedom is 2.570_6: 2.570_6 sqrt(3.5 / 6).
        let found = student_estimate(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!((found.high - found.mean - 1.963_3).abs() < 0.003, "{found:?}");
        assert!((found.mean - 3.5).abs() < 1e-12 && (found.low + found.high - 7.0).abs() < 1e-9);
        assert!(student_estimate(&[1.0, 2.0]).low.is_infinite());
    }

    #[test]
    fn quantiles_are_those_of_the_table() {
        // Abramowitz & Stegun, table 26.10.
        for (degrees, t) in [(5.0, 2.571), (7.0, 2.365), (10.0, 2.228), (30.0, 2.042)] {
            let got = student_quantile(degrees);
            assert!((got / t - 1.0).abs() < 2e-3, "{got} instead of {t}");
        }
    }

    #[test]
    fn few_replicates_give_no_bounds() {
        for values in [&[][..], &[1.0; 5], &[0.0; 9]] {
            let IntervalEstimate { low, high, .. } = replicates_estimate(values);
            assert!(low <= 0.0 && high.is_infinite());
        }
        let IntervalEstimate { low, mean, high, .. } = replicates_estimate(&[3.0; 9]);
        assert!((low, high) == (mean, mean), "{low} to {high}");
    }
}
