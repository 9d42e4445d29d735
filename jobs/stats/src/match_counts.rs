//! Counts of the results of a match between two players.
//!
//! Results are counted game by game (three bins) or, better, by *pairs* of games on one opening
//! with the colors swapped (five bins). The two games of a pair are not independent, so that only
//! pairs show how much the score really varies.

use crate::count::to_f64;
use crate::error::StatsError;
use crate::multinomial::OutcomeCounts;

/// The count that replaces 0, so that no result is impossible (the constant of fishtest,
/// `LLRcalc.py`, function `regularize`).
const ZERO_COUNT: f64 = 1e-3;

/// The results of a match as seen by one player: at least 1 and at most 2^53 games or pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchCounts(ResultBins);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResultBins {
    Games([u64; 3]),
    Pairs([u64; 5]),
}

impl MatchCounts {
    /// Creates the counts of single games: losses, draws, wins.
    ///
    /// # Errors
    /// If there are no games, or more than 2^53.
    pub fn of_games(losses_draws_wins: [u64; 3]) -> Result<Self, StatsError> {
        OutcomeCounts::new(&losses_draws_wins)?;
        Ok(Self(ResultBins::Games(losses_draws_wins)))
    }

    /// Creates the counts of pairs of games by the points of the pair: 0, 1/2, 1, 3/2, 2.
    ///
    /// # Errors
    /// If there are no pairs, or more than 2^53.
    pub fn of_pairs(by_points: [u64; 5]) -> Result<Self, StatsError> {
        OutcomeCounts::new(&by_points)?;
        Ok(Self(ResultBins::Pairs(by_points)))
    }

    /// Returns the counts by points, from the lowest.
    #[must_use]
    pub fn bins(&self) -> &[u64] {
        match &self.0 {
            ResultBins::Games(bins) => bins,
            ResultBins::Pairs(bins) => bins,
        }
    }

    /// Returns the number of games; a pair is two.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.samples() * self.games_each()
    }

    /// Returns the results as the other player sees them.
    #[must_use]
    pub fn reversed(&self) -> Self {
        match self.0 {
            ResultBins::Games([losses, draws, wins]) => {
                Self(ResultBins::Games([wins, draws, losses]))
            }
            ResultBins::Pairs([a, b, c, d, e]) => Self(ResultBins::Pairs([e, d, c, b, a])),
        }
    }

    /// Returns the number of independent results: games, or pairs.
    pub(crate) fn samples(&self) -> u64 {
        self.bins().iter().sum()
    }

    /// Returns the number of games per result: 1, or 2 for pairs.
    pub(crate) fn games_each(&self) -> u64 {
        match self.0 {
            ResultBins::Games(_) => 1,
            ResultBins::Pairs(_) => 2,
        }
    }

    /// Returns the score that all results have, if it is the same.
    pub(crate) fn only_score(&self) -> Option<f64> {
        let n = self.samples();
        let bins = self.bins().iter().zip(self.scores());
        bins.filter(|&(&count, _)| count == n).map(|(_, score)| score).next()
    }

    /// Returns the mean score per game of the results as they are.
    pub(crate) fn mean_score(&self) -> f64 {
        let points = self.bins().iter().zip(self.scores()).map(|(&n, score)| to_f64(n) * score);
        points.sum::<f64>() / to_f64(self.samples())
    }

    /// Returns the distribution of scores, with 1e-3 in place of counts of 0.
    pub(crate) fn distribution(&self) -> ScoreDistribution {
        let weight = |&count: &u64| if count == 0 { ZERO_COUNT } else { to_f64(count) };
        let weights: Vec<f64> = self.bins().iter().map(weight).collect();
        let samples: f64 = weights.iter().sum();
        let shares = weights.iter().map(|weight| weight / samples).collect();
        ScoreDistribution { samples, scores: self.scores().collect(), shares }
    }

    /// Iterates over the scores per game of the bins: from 0 to 1 in equal steps.
    fn scores(&self) -> impl Iterator<Item = f64> + use<> {
        let step = match self.0 {
            ResultBins::Games(_) => 0.5,
            ResultBins::Pairs(_) => 0.25,
        };
        (0_u32..).map(move |bin| f64::from(bin) * step).take_while(|&score| score <= 1.0)
    }
}

/// The distribution of the score per game over results; every share is above 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScoreDistribution {
    /// The number of results, a thousandth for each empty bin included.
    pub(crate) samples: f64,
    /// The scores of the bins, increasing.
    pub(crate) scores: Vec<f64>,
    /// The shares of the bins; they add up to 1.
    pub(crate) shares: Vec<f64>,
}

impl ScoreDistribution {
    /// Returns the mean score minus 1/2, which is exactly 0 for equal players.
    pub(crate) fn advantage(&self) -> f64 {
        self.expectation(|score| score - 0.5)
    }

    /// Returns the mean of the `power`-th power of deviations from `mean`.
    pub(crate) fn central_moment(&self, mean: f64, power: u32) -> f64 {
        self.expectation(|score| (0..power).fold(1.0, |product, _| product * (score - mean)))
    }

    fn expectation(&self, value: impl Fn(f64) -> f64) -> f64 {
        self.scores.iter().zip(&self.shares).map(|(&score, share)| share * value(score)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_count_twice() {
        let counts = MatchCounts::of_pairs([10, 20, 40, 25, 5]).unwrap();
        assert_eq!((counts.samples(), counts.games()), (100, 200));
        assert_eq!(counts.reversed().bins(), [5, 25, 40, 20, 10]);
        let distribution = counts.distribution();
        assert_eq!(distribution.scores, [0.0, 0.25, 0.5, 0.75, 1.0]);
        // (20 x 1/4 + 40 x 1/2 + 25 x 3/4 + 5) / 100
        assert!((distribution.advantage() + 0.0125).abs() < 1e-15);
        assert_eq!(counts.only_score(), None);
    }

    #[test]
    fn empty_bins_have_a_thousandth() {
        let draws = MatchCounts::of_games([0, 8, 0]).unwrap();
        assert_eq!(draws.only_score(), Some(0.5));
        let distribution = draws.distribution();
        assert!((distribution.samples - 8.002).abs() < 1e-12);
        // The variance of two results of 1,000 in 8,002,000 that differ by 1/2.
        let variance = distribution.central_moment(0.5, 2);
        assert!((variance - 0.002 / 8.002 / 4.0).abs() < 1e-15);
    }

    #[test]
    fn no_results_are_refused() {
        assert_eq!(MatchCounts::of_games([0; 3]), Err(StatsError::NoTrials { k: 3 }));
        let most = [u64::MAX; 5];
        let n = 5 * u128::from(u64::MAX);
        assert_eq!(MatchCounts::of_pairs(most), Err(StatsError::TooManyTrials { n }));
    }
}
