//! The samples that a decision still takes.

use hatchery_core::IntervalEstimate;

/// Returns the further samples after which the interval of `estimate` would end short of
/// `threshold`, if the estimate stays where it is and the interval shrinks with the root of the
/// number of samples; 0 if the threshold is outside already. `None` if that is more than 1,000
/// times the samples so far, or the estimate is no interval.
#[must_use]
pub fn further_samples(estimate: &IntervalEstimate, threshold: f64) -> Option<u64> {
    let IntervalEstimate { mean, low, high, n, confidence: _ } = *estimate;
    if ![low, mean, high].is_sorted() || !threshold.is_finite() {
        return None;
    }
    if threshold < low || high < threshold {
        return Some(0);
    }
    // The end on the threshold's side has to come nearer.
    let reach = if mean < threshold { high - mean } else { mean - low };
    let ratio = reach / (threshold - mean).abs();
    let times = ratio * ratio;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let further = libm::ceil((times - 1.0) * crate::count::to_f64(n)) as u64;
    (times <= MOST_TIMES).then_some(further)
}

/// The most times as many samples that [`further_samples`] tells.
const MOST_TIMES: f64 = 1_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mean: f64, low: f64, high: f64) -> IntervalEstimate {
        IntervalEstimate { mean, low, high, n: 100, confidence: 0.95 }
    }

    /// Half the reach takes four times as many samples.
    #[test]
    fn the_end_on_the_side_of_the_threshold_counts() {
        let skewed = estimate(3.0, 2.0, 7.0);
        assert_eq!(further_samples(&skewed, 5.0), Some(300));
        assert_eq!(further_samples(&skewed, 2.5), Some(300));
        assert_eq!(further_samples(&skewed, 7.5), Some(0));
        assert_eq!(further_samples(&skewed, 1.5), Some(0));
        assert_eq!(further_samples(&skewed, 7.0), Some(0));
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
