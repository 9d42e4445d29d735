//! The mean of a positive quantity over a few replicates, with an interval.

use hatchery_core::IntervalEstimate;

use crate::error::CONFIDENCE;
use crate::student;

/// The fewest replicates that give an interval: with fewer, it would be of little use.
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
    let half =
        student::quantile((1.0 + CONFIDENCE) / 2.0, values.len() as u64 - 1) * cv / libm::sqrt(n);
    estimate(mean * libm::exp(-half), mean * libm::exp(half))
}

#[cfg(test)]
mod tests {
    use super::*;

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
