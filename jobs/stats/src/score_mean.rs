//! Mean scores from 0 to 1 with Student's interval, which equal results do not reduce to a point.

use hatchery_core::IntervalEstimate;

use crate::count::to_f64;
use crate::error::ErrorRate;
use crate::match_counts::MatchCounts;
use crate::student;
use crate::welch::StandardError;

/// A mean score with its spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreMean {
    /// The mean of the results as they are, and its interval, cut off at 0 and 1.
    pub interval: IntervalEstimate,
    /// The standard error, of an interval that is not cut off.
    pub error: StandardError,
}

impl ScoreMean {
    /// Returns the mean score of a match; its n is the number of games.
    ///
    /// The interval is Student's with n - 1 degrees of freedom for n games or pairs. In the
    /// variance, a count of 0 is replaced by 1e-3.
    ///
    /// If *all* results are the same, their spread says nothing. Then the interval has all
    /// distributions of which n equal results are at least half as probable as `error_rate`
    /// (Clopper & Pearson, Biometrika 26, 1934): other results have a share of at most
    /// 1 - (error rate / 2)^(1/n). The standard error is that of an interval which reaches as far.
    #[must_use]
    pub fn of_match(counts: &MatchCounts, error_rate: ErrorRate) -> Self {
        let (n, games) = (counts.samples(), counts.games());
        if let Some(only) = counts.only_score() {
            return Self::of_equal(only, n, error_rate).from_games(games);
        }
        let distribution = counts.distribution();
        let regular = 0.5 + distribution.advantage();
        let variance = distribution.central_moment(regular, 2);
        let value = libm::sqrt(variance / to_f64(n - 1));
        Self::of_spread(counts.mean_score(), value, n, error_rate).from_games(games)
    }

    /// Returns the mean of `scores`, which are independent and from 0 to 1, such as those of
    /// sequences of games; `None` without scores. The interval is that of
    /// [`of_match`](Self::of_match).
    #[must_use]
    pub fn of_scores(scores: &[f64], error_rate: ErrorRate) -> Option<Self> {
        let (&first, n) = (scores.first()?, scores.len() as u64);
        if scores.iter().all(|score| (score - first).abs() < 1e-12) {
            return Some(Self::of_equal(first, n, error_rate));
        }
        let mean = scores.iter().sum::<f64>() / to_f64(n);
        let squares: f64 = scores.iter().map(|score| (score - mean) * (score - mean)).sum();
        let value = libm::sqrt(squares / to_f64(n - 1) / to_f64(n));
        Some(Self::of_spread(mean, value, n, error_rate))
    }

    /// Returns the mean score with this number of games as its n.
    #[must_use]
    pub fn from_games(self, n: u64) -> Self {
        Self { interval: IntervalEstimate { n, ..self.interval }, ..self }
    }

    fn of_spread(mean: f64, value: f64, n: u64, error_rate: ErrorRate) -> Self {
        let error = StandardError { value, degrees: n - 1 };
        let half = t(error.degrees, error_rate) * value;
        let (low, high) = ((mean - half).clamp(0.0, mean), (mean + half).clamp(mean, 1.0));
        Self { interval: estimate([mean, low, high], n, error_rate), error }
    }

    fn of_equal(score: f64, n: u64, error_rate: ErrorRate) -> Self {
        let same = libm::pow(error_rate.per_side().get(), 1.0 / to_f64(n));
        let (low, high) = (score * same, score * same + (1.0 - same));
        let degrees = (n - 1).max(1);
        let value = (high - score).max(score - low) / t(degrees, error_rate);
        let interval = estimate([score, low.min(score), high.max(score)], n, error_rate);
        Self { interval, error: StandardError { value, degrees } }
    }
}

fn t(degrees: u64, error_rate: ErrorRate) -> f64 {
    student::quantile(1.0 - error_rate.per_side().get(), degrees)
}

fn estimate([mean, low, high]: [f64; 3], n: u64, error_rate: ErrorRate) -> IntervalEstimate {
    IntervalEstimate { mean, low, high, n, confidence: 1.0 - error_rate.get() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_pairs(by_points: [u64; 5]) -> ScoreMean {
        ScoreMean::of_match(&MatchCounts::of_pairs(by_points).unwrap(), ErrorRate::FIVE_PERCENT)
    }

    /// Three wins and a loss have a score of exactly 0.75; with two results, t has 1 degree of
    /// freedom: 12.706.
    #[test]
    fn means_are_those_of_the_results() {
        let found = of_pairs([0, 0, 1, 0, 1]);
        assert!((found.interval.mean - 0.75).abs() < 1e-15);
        assert_eq!((found.interval.n, found.error.degrees), (4, 1));
        assert!((found.error.value - 0.25).abs() < 2e-3, "{found:?}");
        assert!(found.interval.low <= 0.0 && 1.0 <= found.interval.high);
    }

    /// Scores of 0, 1/2 and 1 with 10 pairs each: s^2 = 5/29, and t of 29 degrees is 2.045.
    #[test]
    fn intervals_are_students() {
        let found = of_pairs([10, 0, 10, 0, 10]);
        let half = 2.045 * libm::sqrt(5.0 / 29.0 / 30.0);
        assert!((found.interval.high - 0.5 - half).abs() < 1e-3, "{found:?}");
        let scores: Vec<f64> = [0.0, 0.5, 1.0].repeat(10);
        let same = ScoreMean::of_scores(&scores, ErrorRate::FIVE_PERCENT).unwrap();
        assert!((found.interval.high - same.interval.high).abs() < 1e-4, "{same:?}");
        let strict = ScoreMean::of_scores(&scores, ErrorRate::new(0.01).unwrap()).unwrap();
        // t of 29 degrees for 1 %: 2.756.
        assert!((strict.interval.high - 0.5 - half * 2.756 / 2.045).abs() < 1e-3, "{strict:?}");
        assert!((strict.error.value - same.error.value).abs() < 1e-15);
    }

    /// Of twelve lost sequences, at most 1 - 0.025^(1/12) = 26.5 % of all are not lost.
    #[test]
    fn equal_results_have_honest_intervals() {
        let lost = ScoreMean::of_scores(&[0.0; 12], ErrorRate::FIVE_PERCENT).unwrap();
        assert!((lost.interval.high - 0.264_6).abs() < 1e-4 && lost.interval.low <= 0.0);
        assert!(0.1 < lost.error.value, "{lost:?}");
        let wins = of_pairs([0, 0, 0, 0, 10]).interval;
        assert!((wins.low - 0.691_5).abs() < 1e-4 && wins.high >= 1.0, "{wins:?}");
        let one = of_pairs([0, 0, 1, 0, 0]).interval;
        assert!(one.low < 0.02 && 0.98 < one.high, "{one:?}");
        assert_eq!(ScoreMean::of_scores(&[], ErrorRate::FIVE_PERCENT), None);
    }
}
