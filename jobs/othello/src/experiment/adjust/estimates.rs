//! The levels that arms learn: the one at the end of each game of a trial.

use hatchery_core::IntervalEstimate;
use hatchery_stats::{ErrorRate, student};

use crate::players::LEVEL_STEPS;
use crate::results::LevelSums;

/// The levels of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LevelEstimates {
    /// After each game of a trial.
    pub(super) games: Vec<LevelMean>,
    /// At the end of what the arm learned: after the last game of a trial, for an arm that keeps
    /// what it learns; after any game, for one that starts anew with each.
    pub(super) end: Option<LevelMean>,
    /// For an arm that keeps what it learns: the first game from which on all means lie within the
    /// interval of the last one; `None` if there is none.
    pub(super) settled_from: Option<u64>,
    /// For an arm that starts anew with each game: the number of games whose mean has an interval
    /// of at most one ply to both sides; `None` if their spread is unknown.
    pub(super) games_needed: Option<u64>,
}

/// The mean level after a game of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LevelMean {
    /// The number of levels.
    pub(super) n: u64,
    /// In plies for an estimate of depth, a pure number for a strength index.
    pub(super) mean: f64,
    /// Student's interval; `None` for fewer than two levels, and if all are equal.
    pub(super) interval: Option<IntervalEstimate>,
    /// The mean number of moves that were counted so far; `None` of a level that counts none.
    pub(super) observed: Option<f64>,
}

/// The half-width of the interval that `games_needed` games have, in plies.
const SETTLED: f64 = 1.0;

/// Returns the levels of trials of `pairs` pairs of games, with intervals of `error_rate`.
pub(super) fn estimates(levels: &[LevelSums], pairs: u32, error_rate: ErrorRate) -> LevelEstimates {
    let mean = |sums: &LevelSums| level_mean(sums, error_rate);
    let games: Vec<LevelMean> = levels.iter().filter_map(mean).collect();
    if pairs != 1 {
        let (end, settled_from) = (games.last().copied(), settled_in_sequence(&games));
        return LevelEstimates { games, end, settled_from, games_needed: None };
    }
    let mut all = LevelSums::default();
    levels.iter().for_each(|level| all.absorb(level));
    let games_needed = games_for_one_ply(&all, error_rate);
    LevelEstimates { games, end: mean(&all), settled_from: None, games_needed }
}

fn level_mean(sums: &LevelSums, error_rate: ErrorRate) -> Option<LevelMean> {
    let LevelMoments { n, mean, deviation } = LevelMoments::of(sums)?;
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    let observed = (sums.observed != 0).then(|| sums.observed as f64 / n);
    let interval = deviation.filter(|&it| 0.0 < it).map(|deviation| {
        let t = student::quantile(1.0 - error_rate.per_side().get(), sums.n - 1);
        let half = t * deviation / libm::sqrt(n);
        let (low, high, confidence) = (mean - half, mean + half, 1.0 - error_rate.get());
        IntervalEstimate { mean, low, high, n: sums.n, confidence }
    });
    Some(LevelMean { n: sums.n, mean, interval, observed })
}

/// The moments of levels, in plies.
struct LevelMoments {
    n: f64,
    mean: f64,
    /// The standard deviation, with n - 1; `None` of a single level.
    deviation: Option<f64>,
}

impl LevelMoments {
    fn of(sums: &LevelSums) -> Option<Self> {
        if sums.n == 0 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "for display")]
        let [n, sum, squares] = [sums.n as f64, sums.sum as f64, sums.squares as f64];
        let unit = f64::from(LEVEL_STEPS);
        let deviation = (1 < sums.n).then(|| {
            let deviations = (squares - sum / n * sum).max(0.0);
            // Rounding leaves less than a thousandth of a thousandth ply.
            let variance = if deviations < 1e-6 * n { 0.0 } else { deviations / (n - 1.0) };
            libm::sqrt(variance) / unit
        });
        Some(Self { n, mean: sum / n / unit, deviation })
    }
}

fn games_for_one_ply(all: &LevelSums, error_rate: ErrorRate) -> Option<u64> {
    let deviation = LevelMoments::of(all)?.deviation?;
    let t = student::quantile(1.0 - error_rate.per_side().get(), all.n - 1);
    let root = t * deviation / SETTLED;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "levels spread over at most 60 plies"
    )]
    let games = libm::ceil(root * root).max(1.0) as u64;
    Some(games)
}

fn settled_in_sequence(games: &[LevelMean]) -> Option<u64> {
    let last = games.last()?.interval?;
    let is_near = |level: &&LevelMean| (last.low..=last.high).contains(&level.mean);
    let n_near = games.iter().rev().take_while(is_near).count();
    // The last game alone says nothing about what comes after it.
    (1 < n_near).then(|| (games.len() - n_near + 1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

    /// Levels of 100 trials, in plies, that spread by one ply to both sides.
    fn level(mean: i64) -> LevelSums {
        let (low, high) = ((mean - 1) * 1_000, (mean + 1) * 1_000);
        let squares = 50 * (low * low + high * high);
        LevelSums { n: 100, sum: 50 * (low + high), squares: squares.unsigned_abs(), observed: 900 }
    }

    #[test]
    fn means_settle_where_they_stay_near_the_last_one() {
        let levels = [9, 11, 13, 13, 14, 14, 14].map(level);
        let found = estimates(&levels, 4, RATE);
        assert_eq!((found.settled_from, found.games_needed), (Some(5), None));
        let last = found.games[6];
        assert!((last.mean - 14.0).abs() < 1e-9 && last.observed == Some(9.0));
        assert_eq!(found.end, Some(last));
        // One ply of standard deviation in 100 trials: t of 99 degrees of freedom is 1.9842, and
        // 1.9842 / sqrt(99).
        let interval = last.interval.unwrap();
        assert!((interval.high - 14.199_4).abs() < 1e-3, "{last:?}");
        let strict = estimates(&levels, 4, ErrorRate::new(0.01).unwrap()).end.unwrap();
        assert!(interval.high < strict.interval.unwrap().high);
        assert_eq!(estimates(&[9, 11, 13].map(level), 4, RATE).settled_from, None);
    }

    /// The end is that of both games of a pair: 200 levels around 12, of which each is 1 or 3 plies
    /// away, a variance of 5.025; t of 199 degrees of freedom is 1.972, and 1.972^2 x 5.025 = 19.5.
    #[test]
    fn levels_of_games_that_start_anew_are_pooled() {
        let found = estimates(&[level(10), level(14)], 1, RATE);
        assert_eq!((found.games_needed, found.settled_from), (Some(20), None));
        let end = found.end.unwrap();
        assert!((end.mean - 12.0).abs() < 1e-9 && end.n == 200, "{end:?}");
        let none = estimates(&[], 1, RATE);
        assert_eq!((none.games.len(), none.end, none.games_needed), (0, None, None));
    }

    #[test]
    fn one_level_or_equal_ones_have_no_interval() {
        let one = LevelSums { n: 1, sum: 4_300, squares: 18_490_000, observed: 0 };
        let found = estimates(&[one], 1, RATE).end.unwrap();
        assert!((found.mean - 4.3).abs() < 1e-9);
        assert_eq!((found.interval, found.observed), (None, None));
        let equal = LevelSums { n: 3, sum: 12_900, squares: 55_470_000, observed: 0 };
        assert_eq!(estimates(&[equal], 1, RATE).end.unwrap().interval, None);
    }
}
