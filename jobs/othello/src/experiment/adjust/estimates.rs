//! What arms learn: the level at the end of each game of a trial.

use hatchery_core::IntervalEstimate;
use hatchery_stats::{CONFIDENCE, ErrorRate, normal};

use crate::players::MILLIPLIES;
use crate::results::LevelSums;

/// The levels of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LevelEstimates {
    /// After each game of a trial.
    pub(super) games: Vec<LevelMean>,
    /// The number of games until the mean settles; `None` if it does not.
    ///
    /// For an arm that keeps what it learns: the first game from which on all means lie within the
    /// interval of the last one. For one that starts anew with every game: the number of games
    /// whose mean has an interval of at most one ply to both sides.
    pub(super) settled: Option<u64>,
}

/// The mean level after a game of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LevelMean {
    /// In plies for an estimate of depth, a pure number for a strength index.
    pub(super) mean: IntervalEstimate,
    /// The mean number of moves that were counted so far.
    pub(super) observed: f64,
}

/// The half-width of the interval at which a mean counts as settled, in plies.
const SETTLED: f64 = 1.0;

/// Returns the levels of trials of `pairs` pairs of games.
pub(super) fn estimates(levels: &[LevelSums], pairs: u32) -> LevelEstimates {
    let games: Vec<LevelMean> = levels.iter().filter_map(level_mean).collect();
    let settled = match pairs {
        1 => settled_by_number(levels),
        _ => settled_in_sequence(&games),
    };
    LevelEstimates { games, settled }
}

fn level_mean(sums: &LevelSums) -> Option<LevelMean> {
    let (mean, standard_deviation) = moments(sums)?;
    #[expect(clippy::cast_precision_loss, reason = "numbers of trials are far below 2^53")]
    let n = sums.n as f64;
    let half = z() * standard_deviation / libm::sqrt(n);
    let (low, high) = (mean - half, mean + half);
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    let observed = sums.observed as f64 / n;
    let mean = IntervalEstimate { mean, low, high, n: sums.n, confidence: CONFIDENCE };
    Some(LevelMean { mean, observed })
}

/// Returns the mean and the standard deviation of levels.
fn moments(sums: &LevelSums) -> Option<(f64, f64)> {
    if sums.n == 0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    let [n, sum, squares] = [sums.n as f64, sums.sum as f64, sums.squares as f64];
    let unit = f64::from(MILLIPLIES);
    let mean = sum / n;
    let variance = (squares / n - mean * mean).max(0.0);
    Some((mean / unit, libm::sqrt(variance) / unit))
}

fn settled_by_number(levels: &[LevelSums]) -> Option<u64> {
    let mut all = LevelSums::default();
    levels.iter().for_each(|level| all.absorb(level));
    let (_, standard_deviation) = moments(&all)?;
    let root = z() * standard_deviation / SETTLED;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "levels spread over at most 60 plies"
    )]
    let games = libm::ceil(root * root).max(1.0) as u64;
    Some(games)
}

fn settled_in_sequence(games: &[LevelMean]) -> Option<u64> {
    let last = games.last()?.mean;
    let is_near = |level: &&LevelMean| (last.low..=last.high).contains(&level.mean.mean);
    let n_near = games.iter().rev().take_while(is_near).count();
    // The last game alone says nothing about what comes after it.
    (1 < n_near).then(|| (games.len() - n_near + 1) as u64)
}

fn z() -> f64 {
    normal::quantile(1.0 - ErrorRate::FIVE_PERCENT.per_side().get())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of 100 trials, in plies, that spread by one ply to both sides.
    fn level(mean: i64) -> LevelSums {
        let (low, high) = ((mean - 1) * 1_000, (mean + 1) * 1_000);
        let squares = 50 * (low * low + high * high);
        LevelSums { n: 100, sum: 50 * (low + high), squares: squares.unsigned_abs(), observed: 900 }
    }

    #[test]
    fn means_settle_where_they_stay_near_the_last_one() {
        let levels = [9, 11, 13, 13, 14, 14, 14].map(level);
        let found = estimates(&levels, 4);
        assert_eq!(found.settled, Some(5));
        let last = found.games[6];
        assert!((last.mean.mean - 14.0).abs() < 1e-9 && (last.observed - 9.0).abs() < 1e-9);
        // One ply of standard deviation in 100 trials: 1.96 / 10.
        assert!((last.mean.high - 14.196).abs() < 1e-3, "{last:?}");
        assert_eq!(estimates(&[9, 11, 13].map(level), 4).settled, None);
    }

    #[test]
    fn means_of_single_games_settle_by_their_number() {
        // 1.96^2 = 3.84: four games.
        assert_eq!(estimates(&[level(12), level(12)], 1).settled, Some(4));
        assert_eq!(estimates(&[], 1), LevelEstimates { games: vec![], settled: None });
    }
}
