//! The levels that arms learn: every game in a trial has a level at its end.

use hatchery_core::IntervalEstimate;
use hatchery_stats::{ErrorRate, student};

use super::summary::{AdjustSummary, SummedCell};
use crate::players::{LEVEL_STEPS, OthelloAgent, StrengthControl};
use crate::trial::results::LevelSums;

/// The levels of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LevelEstimates {
    /// After each game of a trial.
    pub(super) games: Vec<LevelMean>,
    /// At the end of what the arm learned: after the last game of a trial, for an arm that keeps
    /// what it learns; after any game, for one that starts anew with each.
    pub(super) end: Option<LevelMean>,
    /// For an arm that keeps what it learns.
    pub(super) settled: Option<SettledLevel>,
    /// For an arm that estimates a depth and starts anew with each game: the smallest number of
    /// games whose mean has an interval of at most one ply to both sides; `None` if their spread is
    /// unknown.
    pub(super) games_needed: Option<u64>,
}

/// The game of a sequence, counted from 1, from which on the mean level does not change any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettledLevel {
    /// The first game from which on all means lie within the interval of the last one.
    From(u64),
    /// The first game from which on all means are at the bound of levels, but for a fortieth of
    /// their range: a level that changes after each game leaves the bound now and then.
    AtBound(u64),
    /// There is no such game.
    NotSeen,
}

impl SettledLevel {
    /// Returns the game if there is one.
    pub(super) const fn game(self) -> Option<u64> {
        match self {
            Self::From(game) | Self::AtBound(game) => Some(game),
            Self::NotSeen => None,
        }
    }
}

/// The mean level after a game of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LevelMean {
    /// The number of levels.
    pub(super) n: u64,
    /// In plies for an estimate of depth, a pure number for a strength index.
    pub(super) mean: f64,
    /// Student's interval, cut off at the bounds of levels; `None` for fewer than two levels, and
    /// if all are equal.
    pub(super) interval: Option<IntervalEstimate>,
    /// The mean number of moves that were counted so far; `None` of a level that counts none.
    pub(super) observed: Option<f64>,
}

/// The levels that an arm can have.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LevelScale {
    unit: LevelUnit,
    lowest: f64,
    highest: f64,
}

/// What a level says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelUnit {
    /// A depth, in plies.
    Plies,
    /// A strength index z.
    Index,
}

impl LevelScale {
    /// Returns the scale of an agent whose level changes.
    fn of(agent: &OthelloAgent) -> Option<Self> {
        match agent {
            OthelloAgent::Adjusting(agent) => {
                let [lowest, .., highest] = *agent.choices.depths() else { return None };
                let (lowest, highest) = (lowest.into(), highest.into());
                Some(Self { unit: LevelUnit::Plies, lowest, highest })
            }
            OthelloAgent::Softmax { settings, .. } if settings.control != StrengthControl::None => {
                let (lowest, highest) = (settings.lowest_z, settings.highest_z);
                Some(Self { unit: LevelUnit::Index, lowest, highest })
            }
            _ => None,
        }
    }

    /// Returns the number of means at the end of a sequence that are at the same bound.
    fn n_at_bound(&self, games: &[LevelMean]) -> usize {
        // Levels are rounded to whole steps.
        let near = ((self.highest - self.lowest) / 40.0).max(1.0 / f64::from(LEVEL_STEPS));
        let count = |bound: f64| {
            let means = games.iter().rev().map(|level| level.mean);
            means.take_while(|mean| (mean - bound).abs() <= near).count()
        };
        count(self.lowest).max(count(self.highest))
    }
}

/// The half-width of the interval that `games_needed` games have, in plies.
const ONE_PLY: f64 = 1.0;

/// Returns the levels for every cell whose arm has a level that changes.
pub(super) fn level_estimates<'a, 's>(
    summary: &'s AdjustSummary<'a>,
) -> impl Iterator<Item = (&'s SummedCell<'a>, LevelEstimates)> {
    let error_rate = summary.spec.error_rate;
    let cells = summary.cells.iter().filter(|it| !it.results.levels.is_empty());
    cells.filter_map(move |it| {
        let setup = &it.cell.setup;
        let scale = LevelScale::of(&setup.agents[0])?;
        // Those around a change follow.
        let n_games = it.results.levels.len().min(2 * setup.pairs as usize);
        Some((it, estimates(&it.results.levels[..n_games], scale, setup.pairs, error_rate)))
    })
}

/// Returns the levels of trials of `pairs` pairs of games, with intervals of `error_rate`.
fn estimates(
    levels: &[LevelSums],
    scale: LevelScale,
    pairs: u32,
    error_rate: ErrorRate,
) -> LevelEstimates {
    let mean = |sums: &LevelSums| level_mean(sums, scale, error_rate);
    let games: Vec<LevelMean> = levels.iter().filter_map(mean).collect();
    if pairs != 1 {
        let (end, settled) = (games.last().copied(), settled_level(&games, scale));
        return LevelEstimates { games, end, settled: Some(settled), games_needed: None };
    }
    let mut all = LevelSums::default();
    levels.iter().for_each(|level| all.absorb(level));
    let games_needed = match scale.unit {
        LevelUnit::Plies => games_for_one_ply(&all, error_rate),
        LevelUnit::Index => None,
    };
    LevelEstimates { games, end: mean(&all), settled: None, games_needed }
}

fn level_mean(sums: &LevelSums, scale: LevelScale, error_rate: ErrorRate) -> Option<LevelMean> {
    let LevelMoments { n, mean, deviation } = LevelMoments::of(sums)?;
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    let observed = (sums.observed != 0).then(|| sums.observed as f64 / n);
    let interval = deviation.filter(|&it| 0.0 < it).map(|deviation| {
        let half = t_quantile(sums.n, error_rate) * deviation / libm::sqrt(n);
        let low = (mean - half).max(scale.lowest).min(mean);
        let high = (mean + half).min(scale.highest).max(mean);
        IntervalEstimate { mean, low, high, n: sums.n, confidence: 1.0 - error_rate.get() }
    });
    Some(LevelMean { n: sums.n, mean, interval, observed })
}

/// Returns Student's quantile for an interval of the mean of `n` samples, at least 2.
fn t_quantile(n: u64, error_rate: ErrorRate) -> f64 {
    student::quantile(1.0 - error_rate.per_side().get(), n - 1)
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
            // Rounding leaves less than 1e-6 plies.
            let variance = if deviations < 1e-6 * n { 0.0 } else { deviations / (n - 1.0) };
            libm::sqrt(variance) / unit
        });
        Some(Self { n, mean: sum / n / unit, deviation })
    }
}

/// Returns the smallest n, at least 2, at which Student's interval for n games reaches at most one
/// ply to both sides. The spread of the played games is taken as the spread of the n games.
fn games_for_one_ply(all: &LevelSums, error_rate: ErrorRate) -> Option<u64> {
    let deviation = LevelMoments::of(all)?.deviation?;
    #[expect(clippy::cast_precision_loss, reason = "levels spread over at most 60 plies")]
    let is_enough =
        |n: u64| t_quantile(n, error_rate) * deviation <= ONE_PLY * libm::sqrt(n as f64);
    let mut enough = 2;
    while !is_enough(enough) {
        enough *= 2;
    }
    // Half of it is too few, but for the smallest number.
    let mut too_few = if enough == 2 { 1 } else { enough / 2 };
    while 1 < enough - too_few {
        let middle = too_few.midpoint(enough);
        if is_enough(middle) {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    Some(enough)
}

fn settled_level(games: &[LevelMean], scale: LevelScale) -> SettledLevel {
    let n_at_bound = scale.n_at_bound(games);
    let n_near = games.last().and_then(|level| level.interval).map_or(0, |last| {
        let is_near = |level: &&LevelMean| (last.low..=last.high).contains(&level.mean);
        games.iter().rev().take_while(is_near).count()
    });
    // The last game alone says nothing about what comes after it.
    let first = |n: usize| (games.len() - n + 1) as u64;
    match (n_at_bound, n_near) {
        (2.., _) => SettledLevel::AtBound(first(n_at_bound)),
        (_, 2..) => SettledLevel::From(first(n_near)),
        _ => SettledLevel::NotSeen,
    }
}

#[cfg(test)]
mod tests;
