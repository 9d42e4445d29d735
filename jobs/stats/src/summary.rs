//! Number, mean and spread of a list of scores.

/// Exact sums of a list of scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScoreSummary {
    n: u64,
    sum: u128,
    sum_of_squares: u128,
}

impl ScoreSummary {
    /// Sums up `scores`.
    pub fn of(scores: impl IntoIterator<Item = u64>) -> Self {
        scores.into_iter().fold(Self::default(), |Self { n, sum, sum_of_squares }, score| {
            let score = u128::from(score);
            Self { n: n + 1, sum: sum + score, sum_of_squares: sum_of_squares + score * score }
        })
    }

    /// Creates the summary of `n` scores with this sum and this sum of squares.
    #[must_use]
    pub fn of_sums(n: u64, sum: u128, sum_of_squares: u128) -> Self {
        Self { n, sum, sum_of_squares }
    }

    /// Returns the number of scores.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Returns the mean score; 0 if there are none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        ratio(self.sum, u128::from(self.n.max(1)))
    }

    /// Returns the sample standard deviation, with n - 1 in the denominator; 0 for less than two
    /// scores.
    #[must_use]
    pub fn sd(&self) -> f64 {
        let n = u128::from(self.n);
        if n < 2 {
            return 0.0;
        }
        // n times the sum of squared deviations: exact, and never negative (Cauchy-Schwarz).
        let deviations = n * self.sum_of_squares - self.sum * self.sum;
        libm::sqrt(ratio(deviations, n * (n - 1)))
    }

    /// Returns the coefficient of variation, sd / mean; 0 if the mean is 0.
    #[must_use]
    pub fn cv(&self) -> f64 {
        if self.sum == 0 { 0.0 } else { self.sd() / self.mean() }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a relative error of 2^-53 is meant")]
fn ratio(numerator: u128, denominator: u128) -> f64 {
    numerator as f64 / denominator as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_textbook_example() {
        let summary = ScoreSummary::of([2, 4, 4, 4, 5, 5, 7, 9]);
        assert!((summary.mean() - 5.0).abs() < 1e-12);
        // The population's deviation is 2; with n - 1 it is sqrt(32 / 7).
        assert!((summary.sd() - 2.138_089_935).abs() < 1e-9);
        assert_eq!(summary.n(), 8);
        assert_eq!(summary, ScoreSummary::of_sums(8, 40, 232));
    }

    #[test]
    fn few_scores_have_no_spread() {
        for scores in [vec![], vec![5], vec![3, 3, 3]] {
            assert!(ScoreSummary::of(scores).sd().abs() < 1e-300);
        }
    }

    #[test]
    fn large_scores_lose_nothing() {
        let base = 1_000_000_000_000;
        let summary = ScoreSummary::of([base, base + 1, base + 2]);
        assert!((summary.sd() - 1.0).abs() < 1e-12);
    }
}
