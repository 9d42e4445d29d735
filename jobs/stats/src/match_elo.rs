//! The strength that a match shows: score, Elo, normalized Elo, likelihood of superiority.
//!
//! Sources: fishtest, `stat_util.py`, function `get_elo`, for score, Elo and superiority; Van den
//! Bergh, `normalized_elo.pdf` at cantate.be/Fishtest, for normalized Elo: the mean over the
//! standard deviation of a game's score, which says how many games a test of this difference takes,
//! whatever the share of draws.

use core::f64::consts::{LN_10, SQRT_2};

use hatchery_core::IntervalEstimate;

use crate::count::to_f64;
use crate::elo::limited_elo;
use crate::error::ErrorRate;
use crate::match_counts::{MatchCounts, ScoreDistribution};
use crate::normal;
use crate::score_mean::ScoreMean;
use crate::student;

/// Normalized Elo points per standard deviation of a game's score: 347.4. For a match without draws
/// between nearly equal players, they are Elo points (Van den Bergh, `normalized_elo.pdf`).
pub(crate) const NORMALIZED_ELO: f64 = 800.0 / LN_10;

/// The difference between two players as one match shows it. All numbers are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchElo {
    /// The points per game, from 0 to 1.
    pub score: IntervalEstimate,
    /// The Elo difference of that score, from -1,199.8 to 1,199.8.
    pub elo: IntervalEstimate,
    /// The normalized Elo; `None` if all results are the same and their spread is unknown.
    pub normalized: Option<IntervalEstimate>,
    /// The likelihood of superiority: the probability that the player is the stronger one.
    pub superiority: f64,
}

/// The results from which on a likelihood of superiority is told: with fewer, it depends on the
/// assumed distribution as much as on the results.
pub const MIN_SUPERIORITY_RESULTS: u64 = 20;

/// The difference between two players as reports print it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchStrength {
    /// The points per game.
    pub score: ScoreMean,
    /// The Elo difference of that score, within [`ELO_LIMIT`](crate::elo::ELO_LIMIT), which
    /// represents an unbounded difference.
    pub elo: IntervalEstimate,
    /// The likelihood of superiority by Student's distribution; `None` of fewer than
    /// [`MIN_SUPERIORITY_RESULTS`] games or pairs.
    pub superiority: Option<f64>,
}

/// Returns the difference that the results `counts` show, with intervals of `error_rate` that hold
/// for few results, too: the intervals of [`ScoreMean::of_match`], mapped to Elo.
#[must_use]
pub fn match_strength(counts: &MatchCounts, error_rate: ErrorRate) -> MatchStrength {
    let score = ScoreMean::of_match(counts, error_rate);
    let IntervalEstimate { mean, low, high, .. } = score.interval;
    let elo = IntervalEstimate {
        mean: limited_elo(mean),
        low: limited_elo(low),
        high: limited_elo(high),
        ..score.interval
    };
    let superiority = (MIN_SUPERIORITY_RESULTS <= counts.samples())
        .then(|| student::cdf((mean - 0.5) / score.error.value, score.error.degrees));
    MatchStrength { score, elo, superiority }
}

/// Returns the difference that the results `counts` show as fishtest has it, with intervals of
/// `error_rate`; [`match_strength`] is the better one for few results.
///
/// The score is normally distributed with the standard error sigma / sqrt(n) of n games or pairs;
/// its ends are mapped to Elo. Pairs give the right sigma, single games of paired openings too
/// large a one. A count of 0 is replaced by 1e-3.
///
/// The normal approximation is good from some 50 results on if no more than nine in ten are the
/// same. If *all* results are the same, sigma says nothing; then the interval of the score covers
/// all distributions for which n equal results are at least half as probable as `error_rate`
/// (Clopper & Pearson, Biometrika 26, 1934): other results have a share of at most 1 - (error rate
/// / 2)^(1/n).
#[must_use]
pub fn match_elo(counts: &MatchCounts, error_rate: ErrorRate) -> MatchElo {
    let distribution = counts.distribution();
    let z = normal::quantile(1.0 - error_rate.per_side().get());
    let advantage = distribution.advantage();
    let mean = 0.5 + advantage;
    let standard_error = libm::sqrt(distribution.central_moment(mean, 2) / distribution.samples);
    let (mut low, mut high) = (mean - z * standard_error, mean + z * standard_error);
    if let Some(only) = counts.only_score() {
        let same = libm::pow(error_rate.per_side().get(), 1.0 / to_f64(counts.samples()));
        low = low.min(only * same);
        high = high.max(only * same + (1.0 - same));
    }
    let estimate = |mean, low, high| IntervalEstimate {
        mean,
        low,
        high,
        n: counts.games(),
        confidence: 1.0 - error_rate.get(),
    };
    let score = estimate(mean, low.clamp(0.0, mean), high.clamp(mean, 1.0));
    let normalized = counts.only_score().is_none().then(|| {
        let (mean, standard_error) = normalized_elo(counts, &distribution);
        estimate(mean, mean - z * standard_error, mean + z * standard_error)
    });
    MatchElo {
        score,
        elo: estimate(limited_elo(mean), limited_elo(score.low), limited_elo(score.high)),
        normalized,
        superiority: normal::cdf(advantage / standard_error),
    }
}

/// Returns the normalized Elo with its standard error.
///
/// With t the ratio of mean and standard deviation, the variance of its estimate from n results of
/// skewness g and kurtosis k is (1 - t g + t^2 (k - 1) / 4) / n (delta method; Mertens, "Variance
/// of the IID estimator in Lo (2002)", 2002).
fn normalized_elo(counts: &MatchCounts, distribution: &ScoreDistribution) -> (f64, f64) {
    let advantage = distribution.advantage();
    let [variance, third, fourth] =
        [2, 3, 4].map(|power| distribution.central_moment(0.5 + advantage, power));
    let sigma = libm::sqrt(variance);
    let ratio = advantage / sigma;
    let skewness = third / (variance * sigma);
    let kurtosis = fourth / (variance * variance);
    // Completed to squares, it cannot be negative by rounding: k >= 1 + g^2 (Pearson).
    let straight = 1.0 - ratio * skewness / 2.0;
    let rest = (kurtosis - 1.0 - skewness * skewness).max(0.0);
    let inflation = straight * straight + ratio * ratio * rest / 4.0;
    let unit = NORMALIZED_ELO / root_of_games(counts);
    (unit * ratio, unit * libm::sqrt(inflation / distribution.samples))
}

/// Returns the ratio of the standard deviations of a game's score and of a result's score: 1, or
/// sqrt 2 for pairs, whose scores are means of two games.
pub(crate) fn root_of_games(counts: &MatchCounts) -> f64 {
    if counts.games_each() == 1 { 1.0 } else { SQRT_2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_games(losses_draws_wins: [u64; 3]) -> MatchElo {
        match_elo(&MatchCounts::of_games(losses_draws_wins).unwrap(), ErrorRate::FIVE_PERCENT)
    }

    fn of_pairs(by_points: [u64; 5]) -> MatchElo {
        match_elo(&MatchCounts::of_pairs(by_points).unwrap(), ErrorRate::FIVE_PERCENT)
    }

    /// Values printed by fishtest, `get_elo`: Elo, half of the interval's width, superiority.
    #[test]
    fn values_are_those_of_fishtest() {
        let half_width = |elo: IntervalEstimate| (elo.high - elo.low) / 2.0;
        let pairs = of_pairs([10, 20, 40, 25, 5]);
        assert!((pairs.elo.mean - -8.6877).abs() < 5.1e-5, "{pairs:?}");
        assert!((half_width(pairs.elo) - 34.9871).abs() < 5.1e-5, "{pairs:?}");
        assert!((pairs.superiority - 0.3126).abs() < 5.1e-5, "{pairs:?}");
        let games = of_games([40, 20, 60]);
        assert!((games.elo.mean - 58.4512).abs() < 5.1e-5, "{games:?}");
        assert!((half_width(games.elo) - 57.9637).abs() < 5.1e-5, "{games:?}");
    }

    /// The exact calculation: 60 wins and 40 losses have mean 0.6 and variance 0.24; the score of a
    /// game has t = 0.2041, skewness -0.4082 and kurtosis 1.1667, so that (1 - t g + t^2 (k - 1) /
    /// 4) / n = 1.0851 / 100.
    #[test]
    fn normalized_elo_of_a_match_without_draws() {
        let normalized = of_games([40, 0, 60]).normalized.unwrap();
        assert!((normalized.mean - 347.435_59 * 0.204_124).abs() < 0.01, "{normalized:?}");
        let half = 1.959_964 * 347.435_59 * libm::sqrt(1.085_07 / 100.0);
        assert!(((normalized.high - normalized.low) / 2.0 - half).abs() < 0.01, "{normalized:?}");
        // Two games whose results are independent: the same normalized Elo as game by game.
        let pairs = of_pairs([16, 0, 48, 0, 36]).normalized.unwrap();
        assert!((pairs.mean - normalized.mean).abs() < 0.01, "{pairs:?}");
    }

    #[test]
    fn few_results_have_wider_intervals_and_no_superiority() {
        let strength = |by_points| {
            let counts = MatchCounts::of_pairs(by_points).unwrap();
            (match_strength(&counts, ErrorRate::FIVE_PERCENT), of_pairs(by_points))
        };
        let (few, few_normal) = strength([1, 2, 4, 2, 1]);
        assert!(few.score.interval.low < few_normal.score.low && few.superiority.is_none());
        let (many, many_normal) = strength([1_000, 2_000, 4_000, 2_500, 500]);
        assert!((many.elo.low - many_normal.elo.low).abs() < 0.01, "{many:?}");
        assert!((many.superiority.unwrap() - many_normal.superiority).abs() < 1e-4);
        let (wins, _) = strength([0, 0, 0, 0, 25]);
        assert!(wins.elo.mean >= crate::elo::ELO_LIMIT && wins.superiority.unwrap() > 0.999);
    }

    #[test]
    fn equal_results_have_honest_intervals() {
        // Of ten wins, 0.025^(1/10) = 0.6915 is the lower bound of the share of wins.
        let wins = of_games([0, 0, 10]);
        assert!((wins.score.low - 0.6915).abs() < 1e-4 && wins.score.high >= 1.0, "{wins:?}");
        assert!((wins.elo.mean - 1199.8).abs() < 0.1 && wins.elo.low < 141.0, "{wins:?}");
        assert!(wins.superiority > 0.999 && wins.normalized.is_none());
        // At most 1 - 0.025^(1/50) = 7.1 % of the pairs are no draws: a score of 0.5 +- 0.0356.
        let draws = of_pairs([0, 0, 50, 0, 0]);
        assert!((draws.superiority - 0.5).abs() < 1e-9 && draws.elo.mean.abs() < 1e-9);
        assert!((draws.elo.high - 24.7).abs() < 0.1, "{draws:?}");
        assert!((draws.elo.high + draws.elo.low).abs() < 1e-9, "{draws:?}");
    }
}
