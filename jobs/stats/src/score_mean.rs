//! Mean scores from 0 to 1 with Student's interval, which equal or nearly equal results do not
//! reduce to a point.

use hatchery_core::IntervalEstimate;

use crate::count::to_f64;
use crate::error::ErrorRate;
use crate::match_counts::MatchCounts;
use crate::student;
use crate::welch::StandardError;

/// The score of even games.
const EVEN: f64 = 0.5;

/// A mean score with its spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreMean {
    /// The mean of the results as they are, and its interval, cut off at 0 and 1.
    pub interval: IntervalEstimate,
    /// The standard error: Student's interval with this error, before it is cut off, is the
    /// interval. Equal results have an interval of their own, and the standard error reaches as far
    /// as that.
    pub error: StandardError,
}

impl ScoreMean {
    /// Returns the mean score of a match; its n is the number of games.
    ///
    /// The interval is Student's with n - 1 degrees of freedom for n games or pairs. In the
    /// variance, a count of 0 is replaced by 1e-3.
    ///
    /// If *all* results are the same, their spread says nothing. Then the interval covers all
    /// distributions for which n equal results are at least half as probable as `error_rate`
    /// (Clopper & Pearson, Biometrika 26, 1934): other results have a share of at most 1 - (error
    /// rate / 2)^(1/n).
    ///
    /// Near 0 and 1, where few results differ from the others, their spread says little. The end on
    /// the side of 1/2 therefore reaches at least to that share of other results, as if all had
    /// been lost or all won; the standard error, and with it the other end, is as large as this
    /// takes. More losses never move an end up.
    ///
    /// Of 10 to 200 pairs of independent games without draws, the interval of 95 % covers the true
    /// score in at least 89 % of cases, at any score (exact).
    #[must_use]
    pub fn of_match(counts: &MatchCounts, error_rate: ErrorRate) -> Self {
        let (n, games) = (counts.samples(), counts.games());
        if let Some(only) = counts.only_score() {
            return Self::of_equal(only, n, error_rate).with_games(games);
        }
        let distribution = counts.distribution();
        let regular = 0.5 + distribution.advantage();
        let variance = distribution.central_moment(regular, 2);
        let value = libm::sqrt(variance / to_f64(n - 1));
        let unseen = unseen_share(n, error_rate);
        Self::of_spread((counts.mean_score(), value), n, unseen, error_rate).with_games(games)
    }

    /// Returns the mean of `scores`, which are independent and from 0 to 1, such as scores of
    /// sequences of games; `None` without scores. The interval is computed as in
    /// [`of_match`](Self::of_match). But it reaches to the share of other results only if half of
    /// the scores or more are 0, or 1: otherwise, the spread of means of many games says enough.
    #[must_use]
    pub fn of_scores(scores: &[f64], error_rate: ErrorRate) -> Option<Self> {
        let (&first, n) = (scores.first()?, scores.len() as u64);
        if scores.iter().all(|score| (score - first).abs() < 1e-12) {
            return Some(Self::of_equal(first, n, error_rate));
        }
        let mean = scores.iter().sum::<f64>() / to_f64(n);
        let squares: f64 = scores.iter().map(|score| (score - mean) * (score - mean)).sum();
        let value = libm::sqrt(squares / to_f64(n - 1) / to_f64(n));
        let extreme = if mean < EVEN { 0.0 } else { 1.0 };
        let n_extreme = scores.iter().filter(|&&score| (score - extreme).abs() < 1e-12).count();
        let is_extreme = scores.len() <= 2 * n_extreme;
        let unseen = if is_extreme { unseen_share(n, error_rate) } else { 0.0 };
        Some(Self::of_spread((mean, value), n, unseen, error_rate))
    }

    /// Returns the mean score with this number of games as its n.
    fn with_games(self, n: u64) -> Self {
        Self { interval: IntervalEstimate { n, ..self.interval }, ..self }
    }

    /// Returns Student's interval of a mean with its standard error, which is raised until the
    /// interval reaches `unseen` away from the nearest extreme, 0 or 1.
    fn of_spread((mean, value): (f64, f64), n: u64, unseen: f64, error_rate: ErrorRate) -> Self {
        let degrees = n - 1;
        let t = t(degrees, error_rate);
        let from_extreme = mean.min(1.0 - mean);
        let is_even = (mean - EVEN).abs() < 1e-12;
        let least = if is_even { 0.0 } else { (unseen - from_extreme) / t };
        let error = StandardError { value: value.max(least), degrees };
        let half = t * error.value;
        let (low, high) = ((mean - half).clamp(0.0, mean), (mean + half).clamp(mean, 1.0));
        Self { interval: estimate([mean, low, high], n, error_rate), error }
    }

    fn of_equal(score: f64, n: u64, error_rate: ErrorRate) -> Self {
        let unseen = unseen_share(n, error_rate);
        let (low, high) = (score * (1.0 - unseen), score + (1.0 - score) * unseen);
        let degrees = (n - 1).max(1);
        let value = (high - score).max(score - low) / t(degrees, error_rate);
        let interval = estimate([score, low.min(score), high.max(score)], n, error_rate);
        Self { interval, error: StandardError { value, degrees } }
    }
}

/// Returns the largest share of other results for which `n` equal results are as probable as half
/// of `error_rate`.
fn unseen_share(n: u64, error_rate: ErrorRate) -> f64 {
    1.0 - libm::pow(error_rate.per_side().get(), 1.0 / to_f64(n))
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

    /// After twelve lost sequences, at most 1 - 0.025^(1/12) = 26.5 % of sequences are not lost.
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

    /// After 200 wins, at most 1 - 0.025^(1/200) = 1.83 % of games are not won: one loss among them
    /// does not give a shorter interval.
    #[test]
    fn a_loss_never_raises_an_end() {
        let of_games = |n: u64, losses: u64| {
            let counts = MatchCounts::of_games([losses, 0, n - losses]).unwrap();
            ScoreMean::of_match(&counts, ErrorRate::FIVE_PERCENT)
        };
        for losses in [0, 1] {
            let low = of_games(200, losses).interval.low;
            assert!((low - 0.981_7).abs() < 1e-4, "{low} with {losses} losses");
        }
        for n in [25, 100] {
            for losses in 0..n {
                let [fewer, more] = [losses, losses + 1].map(|losses| of_games(n, losses));
                assert!(more.interval.low <= fewer.interval.low + 1e-12, "{n} {fewer:?} {more:?}");
                assert!(
                    more.interval.high <= fewer.interval.high + 1e-12,
                    "{n} {fewer:?} {more:?}"
                );
            }
        }
    }

    /// t of 49 degrees of freedom is 2.0096; one pair of 50 is won, and 7.11 % is the share of
    /// other results.
    #[test]
    fn standard_errors_reach_as_far_as_intervals() {
        let found = of_pairs([49, 0, 0, 0, 1]);
        assert!((found.interval.high - 0.071_12).abs() < 1e-5, "{found:?}");
        assert!((found.error.value - (0.071_12 - 0.02) / 2.009_6).abs() < 1e-5, "{found:?}");
        // Even results spread as they do.
        let even = of_pairs([1, 0, 48, 0, 1]);
        assert!((even.interval.high - 0.5 - 2.009_6 * 0.1 / 49.0_f64.sqrt()).abs() < 1e-3);
    }

    /// Of six sequences, other scores have a share of at most 1 - 0.025^(1/6) = 45.9 %.
    #[test]
    fn sequences_spread_as_they_do_unless_most_are_lost() {
        let high = |scores: &[f64]| {
            ScoreMean::of_scores(scores, ErrorRate::FIVE_PERCENT).unwrap().interval.high
        };
        assert!((high(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.05]) - 0.459_3).abs() < 1e-4);
        assert!((high(&[0.0; 6]) - 0.459_3).abs() < 1e-4);
        // A mean of 0.15, s = 0.05477, and t of 5 degrees of freedom is 2.5706.
        let usual = high(&[0.1, 0.2, 0.1, 0.2, 0.1, 0.2]);
        assert!((usual - 0.15 - 2.5706 * 0.054_77 / 6.0_f64.sqrt()).abs() < 1e-4, "{usual}");
    }
}
