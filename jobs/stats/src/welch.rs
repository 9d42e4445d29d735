//! The difference of two means whose samples spread differently.

use hatchery_core::IntervalEstimate;

use crate::error::ErrorRate;
use crate::student;

/// A mean's standard error, and the degrees of freedom behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandardError {
    /// The standard error, at least 0.
    pub value: f64,
    /// The number of samples minus 1, at least 1.
    pub degrees: u64,
}

/// The difference of two independent means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanDifference {
    /// The difference.
    pub mean: f64,
    /// Its standard error.
    pub error: StandardError,
}

impl MeanDifference {
    /// Returns the difference `mean` of two means with these standard errors a and b.
    ///
    /// Its degrees of freedom are (a^2 + b^2)^2 / (a^4 / n_a + b^4 / n_b), rounded down (Welch,
    /// "The generalization of Student's problem", Biometrika 34, 1947; Satterthwaite 1946).
    #[must_use]
    pub fn new(mean: f64, errors: [StandardError; 2]) -> Self {
        let squared = errors.map(|it| it.value * it.value);
        let sum = squared[0] + squared[1];
        let parts = errors.iter().zip(squared);
        let parts: f64 = parts.map(|(it, square)| square * square / to_f64(it.degrees)).sum();
        let [a, b] = errors.map(|it| it.degrees.max(1));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between the numbers of degrees of freedom and their sum"
        )]
        let degrees = if 0.0 < parts { libm::floor(sum * sum / parts) as u64 } else { a.min(b) };
        let degrees = degrees.clamp(a.min(b), a.saturating_add(b));
        Self { mean, error: StandardError { value: libm::sqrt(sum), degrees } }
    }

    /// Returns the difference with Student's interval of `error_rate`, from `n` samples.
    #[must_use]
    pub fn interval(&self, error_rate: ErrorRate, n: u64) -> IntervalEstimate {
        let StandardError { value, degrees } = self.error;
        let half = student::quantile(1.0 - error_rate.per_side().get(), degrees) * value;
        let (mean, confidence) = (self.mean, 1.0 - error_rate.get());
        IntervalEstimate { mean, low: mean - half, high: mean + half, n, confidence }
    }

    /// Returns the probability of a difference at least as large, in any direction, if there is
    /// none; 1 if nothing varies.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        let StandardError { value, degrees } = self.error;
        if value <= 0.0 {
            return 1.0;
        }
        (2.0 * student::cdf(-(self.mean / value).abs(), degrees)).clamp(0.0, 1.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "degrees of freedom are far below 2^53")]
fn to_f64(degrees: u64) -> f64 {
    degrees.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Welch's degrees of freedom by hand: (4 + 1)^2 / (16 / 9 + 1 / 19) = 13.66.
    #[test]
    fn differences_have_the_degrees_of_freedom_of_welch() {
        let errors = [(2.0, 9), (1.0, 19)].map(|(value, degrees)| StandardError { value, degrees });
        let found = MeanDifference::new(4.0, errors);
        assert_eq!(found.error.degrees, 13);
        assert!((found.error.value - 5.0_f64.sqrt()).abs() < 1e-12);
        // t of 13 degrees of freedom is 2.160.
        let interval = found.interval(ErrorRate::FIVE_PERCENT, 30);
        assert!((interval.high - 4.0 - 2.160 * 5.0_f64.sqrt()).abs() < 2e-3, "{interval:?}");
        // t = 1.789: 0.0969.
        assert!((found.p_value() - 0.0969).abs() < 5e-4, "{}", found.p_value());
        let reversed = MeanDifference::new(-4.0, errors);
        assert!((reversed.p_value() - found.p_value()).abs() < 1e-15);
    }

    #[test]
    fn what_does_not_vary_is_no_evidence() {
        let found = MeanDifference::new(0.3, [StandardError { value: 0.0, degrees: 5 }; 2]);
        assert!(found.p_value() >= 1.0);
        assert_eq!(found.error.degrees, 5);
    }
}
