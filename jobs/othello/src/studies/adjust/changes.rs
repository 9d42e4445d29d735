//! BOTs that change, and the lag of arms behind them.

use hatchery_core::IntervalEstimate;
use hatchery_stats::student::{self, sample_variance};
use hatchery_stats::{ErrorRate, ScoreMean};

use super::estimates::{SettledLevel, level_estimates};
use super::summary::{AdjustSummary, SummedCell};
use super::verdicts::EVEN;
use crate::players::{LEVEL_STEPS, OthelloAgent, StrengthControl};
use crate::trial::results::LevelSums;
use crate::trial::setup::OpponentChange;

/// An arm against a BOT that changes. Windows are games before the change, those after it, and the
/// last quarter of these, as [`OpponentChange::windows`] has them.
pub(super) struct ChangeSummary<'s, 'a> {
    pub(super) cell: &'s SummedCell<'a>,
    pub(super) change: OpponentChange,
    /// The score in each window, over sequences; `None` without games.
    pub(super) scores: [Option<IntervalEstimate>; 3],
    /// The mean level in each window; `None` of an arm without levels.
    pub(super) levels: Option<[f64; 3]>,
    pub(super) lag: LevelLag,
}

/// The lag of an arm's level behind its opponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LevelLag {
    /// The arm has no level that it learns.
    NoLevel,
    /// The level is not shown to change.
    NoChange,
    /// The lag of the level, in games: a level that jumps to its new value this many games after
    /// the change has the same mean over the games after the change.
    Games(IntervalEstimate),
    /// As [`Games`](Self::Games), but the level still moves in the last quarter: the lag is longer.
    AtLeast(IntervalEstimate),
}

/// Returns the arms against each BOT that changes.
pub(super) fn change_summaries<'s, 'a>(
    summary: &'s AdjustSummary<'a>,
) -> Vec<ChangeSummary<'s, 'a>> {
    let rate = summary.spec.error_rate;
    let of_cell = |(cell, change): (&'s SummedCell<'a>, OpponentChange)| {
        let (results, pairs) = (cell.results, cell.cell.setup.pairs);
        let windows = change.windows(pairs);
        let n_games = windows.clone().map(|window| 2.0 * f64::from(window.end - window.start));
        let scores = [0, 1, 2].map(|at| {
            let points = results.points_around_change().iter().map(|trial| f64::from(trial[at]));
            let scores: Vec<f64> = points.map(|points| points / (2.0 * n_games[at])).collect();
            Some(ScoreMean::of_scores(&scores, rate)?.interval)
        });
        let tracks = results.levels_around_change(pairs).iter().filter_map(mean_levels);
        let tracks: Vec<[f64; 3]> = tracks.collect();
        let settled = level_estimates(summary)
            .find(|(other, _)| std::ptr::eq(*other, cell))
            .and_then(|(_, found)| found.settled);
        // An index that wins and losses move rests at its bound, or where they are even.
        let is_driven = matches!(
            &cell.cell.setup.agents[0],
            OthelloAgent::Softmax { settings, .. }
                if settings.control == StrengthControl::BetweenGames
        ) && !matches!(settled, Some(SettledLevel::AtBound(_)))
            && scores[2].is_some_and(|it| EVEN < it.low || it.high < EVEN);
        let is_steady = settled
            .and_then(SettledLevel::game)
            .is_some_and(|game| game <= 2 * u64::from(windows[2].start) + 1);
        // What starts anew with each game has no way to go.
        let is_settled = !cell.cell.setup.agents[0].carries() || (is_steady && !is_driven);
        let lag = match lag(&tracks, n_games[1], rate) {
            LevelLag::Games(games) if !is_settled => LevelLag::AtLeast(games),
            found => found,
        };
        let levels = (!tracks.is_empty())
            .then(|| [0, 1, 2].map(|at| mean(tracks.iter().map(|track| track[at]))));
        ChangeSummary { cell, change, scores, levels, lag }
    };
    summary.changes().map(of_cell).collect()
}

/// Returns a trial's mean level in each window, or `None` if any window has no level.
fn mean_levels(trial: &[LevelSums; 3]) -> Option<[f64; 3]> {
    #[expect(clippy::cast_precision_loss, reason = "sums of some thousand levels")]
    let mean = |it: LevelSums| it.sum as f64 / it.n as f64 / f64::from(LEVEL_STEPS);
    trial.iter().all(|it| it.n != 0).then(|| trial.map(mean))
}

/// Returns the lag of trials with these mean levels before the change, in the `n_games` after it,
/// and at the end.
///
/// The lag is n (end - after) / (end - before), a ratio of two means over trials, with the
/// interval of Fieller ("Some problems in interval estimation", JRSS B 16, 1954), from 0 to n. That
/// interval is bounded if and only if the means are shown to differ before the change and at the
/// end.
fn lag(tracks: &[[f64; 3]], n_games: f64, error_rate: ErrorRate) -> LevelLag {
    let late: Vec<f64> = tracks.iter().map(|[_, after, end]| n_games * (end - after)).collect();
    let moved: Vec<f64> = tracks.iter().map(|[before, _, end]| end - before).collect();
    if tracks.is_empty() {
        return LevelLag::NoLevel;
    }
    let both: Vec<f64> = late.iter().zip(&moved).map(|(x, y)| x + y).collect();
    let [Some(late_variance), Some(moved_variance), Some(sum_variance)] =
        [&late, &moved, &both].map(|values| sample_variance(values))
    else {
        return LevelLag::NoChange;
    };
    let n = tracks.len() as u64;
    let t = student::quantile(1.0 - error_rate.per_side().get(), n - 1);
    #[expect(clippy::cast_precision_loss, reason = "few trials")]
    let scale = t * t / n as f64;
    let (x, y) = (mean(late.into_iter()), mean(moved.into_iter()));
    let covariance = (sum_variance - late_variance - moved_variance) / 2.0;
    let a = y * y - scale * moved_variance;
    let b = x * y - scale * covariance;
    let c = x * x - scale * late_variance;
    if a <= 0.0 {
        return LevelLag::NoChange;
    }
    let root = libm::sqrt((b * b - a * c).max(0.0));
    let within = |games: f64| games.clamp(0.0, n_games);
    LevelLag::Games(IntervalEstimate {
        mean: within(x / y),
        low: within((b - root) / a),
        high: within((b + root) / a),
        n,
        confidence: 1.0 - error_rate.get(),
    })
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "few trials")]
    let n = values.len() as f64;
    values.sum::<f64>() / n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tracks: &[[f64; 3]], expected: Option<[f64; 3]>) {
        let found = match lag(tracks, 40.0, ErrorRate::FIVE_PERCENT) {
            LevelLag::Games(it) => Some([it.low, it.mean, it.high]),
            _ => None,
        };
        let is_close = match (found, expected) {
            (Some(found), Some(expected)) => {
                found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3)
            }
            (found, expected) => found == expected,
        };
        assert!(is_close, "{found:?} of {tracks:?}");
    }

    /// A level that jumps from 1 to 5 after 10 of 40 games has a mean of 4.
    #[test]
    fn the_lag_is_that_of_a_jump() {
        check(&[[1.0, 4.0, 5.0]; 6], Some([10.0; 3]));
        check(&[[5.0, 2.0, 1.0]; 6], Some([10.0; 3]));
        check(&[[1.0, 5.0, 5.0]; 6], Some([0.0; 3]));
    }

    /// Lags of 8 and 12 from levels that move equally far: the interval is Student's interval for
    /// their mean, with t = 2.571 and a standard error of sqrt(4.8 / 6).
    #[test]
    fn the_interval_is_that_of_the_mean_where_all_move_equally_far() {
        let late = |games: f64| [1.0, 5.0 - 4.0 * games / 40.0, 5.0];
        let half = 2.5706 * (4.8_f64 / 6.0).sqrt();
        let tracks = [8.0, 12.0, 8.0, 12.0, 8.0, 12.0].map(late);
        check(&tracks, Some([10.0 - half, 10.0, 10.0 + half]));
    }

    #[test]
    fn levels_that_do_not_move_have_no_lag() {
        assert_eq!(lag(&[], 40.0, ErrorRate::FIVE_PERCENT), LevelLag::NoLevel);
        check(&[[1.0, 1.2, 1.1], [1.1, 1.0, 1.0], [1.0, 1.0, 1.2], [1.2, 1.0, 1.1]], None);
        check(&[[1.0, 4.0, 5.0]], None);
    }
}
