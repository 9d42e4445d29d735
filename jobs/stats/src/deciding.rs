//! The samples that a decision still takes.

use hatchery_core::IntervalEstimate;
use hatchery_core::text::rounded;

use crate::normal;

/// The probability that [`further_samples`] decide.
const DECIDING_POWER: f64 = 0.8;

/// Returns the probability that [`further_samples`] decide, in words for after a verb:
/// `with a probability of 80 %`.
#[must_use]
pub fn deciding_chance() -> String {
    format!("with a probability of {} %", rounded(100.0 * DECIDING_POWER, 0))
}

/// Returns the further samples after which the interval of an estimate ends short of `threshold`
/// with a probability of 80 %, if the true value is as estimated and the interval
/// shrinks with the root of the number of samples; 0 if the threshold is outside already. `None` if
/// that is more than 1,000 times the samples so far, or the estimate is no interval.
///
/// The new estimate scatters about the true value, so that its interval has to leave room: the
/// distance to the threshold is the reach of the interval and the quantile of the power, both in
/// standard errors (the sample size of a one-sided z test, with the interval as the test).
#[must_use]
pub fn further_samples(estimate: &IntervalEstimate, threshold: f64) -> Option<u64> {
    let IntervalEstimate { mean, low, high, n, confidence } = *estimate;
    if ![low, mean, high].is_sorted() || !threshold.is_finite() {
        return None;
    }
    if threshold < low || high < threshold {
        return Some(0);
    }
    // The end on the threshold's side has to come nearer.
    let reach = if mean < threshold { high - mean } else { mean - low };
    let errors_reached = normal::quantile(f64::midpoint(1.0, confidence));
    let room = 1.0 + normal::quantile(DECIDING_POWER) / errors_reached;
    let ratio = room * reach / (threshold - mean).abs();
    let times = ratio * ratio;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let further = libm::ceil((times - 1.0) * crate::count::to_f64(n)) as u64;
    (times <= MOST_TIMES).then_some(further)
}

/// The largest multiple of the samples that [`further_samples`] returns.
const MOST_TIMES: f64 = 1_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mean: f64, low: f64, high: f64) -> IntervalEstimate {
        IntervalEstimate { mean, low, high, n: 100, confidence: 0.95 }
    }

    /// Half the reach takes four times as many samples, and the room (1.960 + 0.842) / 1.960
    /// squared, 2.04, times as many again.
    #[test]
    fn the_end_on_the_side_of_the_threshold_counts() {
        let skewed = estimate(3.0, 2.0, 7.0);
        assert_eq!(further_samples(&skewed, 5.0), Some(718));
        assert_eq!(further_samples(&skewed, 2.5), Some(718));
        assert_eq!(further_samples(&skewed, 7.5), Some(0));
        assert_eq!(further_samples(&skewed, 1.5), Some(0));
        assert_eq!(further_samples(&skewed, 7.0), Some(105));
    }

    #[test]
    fn what_no_number_of_samples_decides_has_none() {
        let even = estimate(3.0, 1.0, 5.0);
        for threshold in [3.0, 3.01, f64::NAN] {
            assert_eq!(further_samples(&even, threshold), None, "{threshold}");
        }
        assert_eq!(further_samples(&estimate(3.0, 4.0, 5.0), 4.5), None);
        assert_eq!(further_samples(&estimate(f64::NAN, 1.0, 5.0), 2.0), None);
    }
}
