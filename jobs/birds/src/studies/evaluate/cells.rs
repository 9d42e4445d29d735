//! The play-outs per level and player, counted, and how difficult a level is for its players.

use hatchery_core::IntervalEstimate;
use hatchery_stats::error::ErrorRate;
use hatchery_stats::proportion::wilson_interval;
use serde::{Deserialize, Serialize};

use super::spec::LevelEvaluation;
use crate::params::level_param::NamedLevel;
use crate::studies::mean_estimate::MeanEstimate;
use crate::studies::stored_results::StoredResults;
use crate::trial::results::{LevelResult, PlayRecord};

/// The state of `birds-evaluate`: the play-outs, once they are there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LevelEvaluationState {
    /// The play-outs per level and player: first every player at the first level, then every player
    /// at the second, and so on.
    pub cells: Vec<StoredResults>,
}

/// All levels with their play-outs.
pub(super) struct EvaluatedLevels<'a> {
    pub(super) levels: &'a [NamedLevel],
    pub(super) players: Vec<&'a str>,
    results: Vec<&'a [LevelResult]>,
}

/// The play-outs of a level by a player.
pub(super) struct EvaluatedCell<'a> {
    pub(super) level: &'a str,
    pub(super) player: &'a str,
    pub(super) plays: PlayoutTotals,
}

/// The play-outs by a player, counted. Some levels have no pigs left before the first bird.
/// Play-outs of such levels say nothing about the player, and have a count of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayoutTotals {
    pub(super) unplayable: u64,
    pub(super) trials: u64,
    pub(super) cleared: u64,
    birds_used: Vec<f64>,
    pigs_killed: Vec<f64>,
}

impl PlayoutTotals {
    fn add(&mut self, play: &PlayRecord) {
        if play.pigs == 0 {
            self.unplayable += 1;
            return;
        }
        self.trials += 1;
        self.cleared += u64::from(play.is_cleared());
        self.birds_used.push(play.birds_used().into());
        self.pigs_killed.push((play.pigs - play.pigs_left).into());
    }

    /// Returns the share of play-outs without a pig left, with Wilson's interval of 95 %; `None`
    /// without play-outs.
    pub(super) fn clear_rate(&self) -> Option<IntervalEstimate> {
        let rate = wilson_interval(self.cleared, self.trials, ErrorRate::FIVE_PERCENT).ok()?;
        (self.trials != 0).then_some(rate)
    }

    /// Returns the mean number of birds launched.
    pub(super) fn birds_used(&self) -> Option<MeanEstimate> {
        MeanEstimate::of_sizes(&self.birds_used)
    }

    /// Returns the mean number of pigs killed.
    pub(super) fn pigs_killed(&self) -> Option<MeanEstimate> {
        MeanEstimate::of_sizes(&self.pigs_killed)
    }
}

impl<'a> EvaluatedLevels<'a> {
    pub(super) fn new(checked: &'a LevelEvaluation, state: &'a LevelEvaluationState) -> Self {
        Self {
            levels: &checked.levels,
            players: checked.spec.players.iter().map(|player| player.name()).collect(),
            results: state.cells.iter().map(|cell| cell.trials()).collect(),
        }
    }

    /// Returns the results of every cell: level by level, and player by player.
    pub(super) fn results(&self) -> &[&'a [LevelResult]] {
        &self.results
    }

    /// Returns the results of a level, player by player.
    pub(super) fn of_level(&self, level: usize) -> &[&'a [LevelResult]] {
        let n = self.players.len();
        self.results.get(n * level..n * (level + 1)).unwrap_or_default()
    }

    /// Returns the motion of a level before the first bird, which is the same in all trials.
    pub(super) fn settled(&self, level: usize) -> Option<&'a LevelResult> {
        self.of_level(level).first()?.first()
    }

    /// Iterates over the levels and, within them, the players.
    pub(super) fn cells(&self) -> impl Iterator<Item = EvaluatedCell<'_>> {
        let pairs = self
            .levels
            .iter()
            .flat_map(|level| self.players.iter().map(move |&player| (level, player)));
        pairs.zip(&self.results).map(|((level, player), results)| EvaluatedCell {
            level: &level.name,
            player,
            plays: counts(*results),
        })
    }

    /// Returns each player's play-outs at all levels.
    pub(super) fn by_player(&self) -> Vec<(&'a str, PlayoutTotals)> {
        let n = self.players.len();
        let column = |(number, &player): (usize, &&'a str)| {
            let results = self.results.iter().skip(number).step_by(n);
            (player, counts(results.flat_map(|results| results.iter())))
        };
        self.players.iter().enumerate().map(column).collect()
    }
}

fn counts<'a>(results: impl IntoIterator<Item = &'a LevelResult>) -> PlayoutTotals {
    let mut counts = PlayoutTotals::default();
    results.into_iter().filter_map(|result| result.play.as_ref()).for_each(|play| counts.add(play));
    counts
}

/// Returns true if a play-out has cleared the level.
pub(super) fn is_solved(evaluated: &EvaluatedLevels<'_>, level: usize) -> bool {
    let mut results = evaluated.of_level(level).iter().flat_map(|results| results.iter());
    results.any(|result| result.play.as_ref().is_some_and(PlayRecord::is_cleared))
}

/// Returns the leniency of a level: the mean number of birds that the last player uses minus that
/// of the first, which is negative where a weaker player needs more. `None` with one player only.
pub(super) fn leniency(evaluated: &EvaluatedLevels<'_>, level: usize) -> Option<f64> {
    let [weakest, .., strongest] = evaluated.of_level(level) else { return None };
    Some(mean_birds(strongest)? - mean_birds(weakest)?)
}

fn mean_birds(results: &[LevelResult]) -> Option<f64> {
    let used: Vec<f64> = results
        .iter()
        .filter_map(|result| result.play.as_ref())
        .filter(|play| play.pigs != 0)
        .map(|play| f64::from(play.birds_used()))
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "at most a million")]
    let n = used.len() as f64;
    (!used.is_empty()).then(|| used.iter().sum::<f64>() / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plays_without_a_pig_say_nothing_of_the_player() {
        let (shots_x, shots_y) = (Vec::new(), Vec::new());
        let none = PlayRecord { birds: 3, pigs: 0, pigs_left: 0, shots_x, shots_y };
        let play = |pigs, pigs_left| PlayRecord { pigs, pigs_left, ..none.clone() };
        let mut totals = PlayoutTotals::default();
        totals.add(&play(0, 0));
        assert_eq!((totals.unplayable, totals.trials, totals.clear_rate()), (1, 0, None));
        totals.add(&play(2, 0));
        totals.add(&play(2, 1));
        assert_eq!((totals.unplayable, totals.trials, totals.cleared), (1, 2, 1));
        assert!((totals.clear_rate().unwrap().mean - 0.5).abs() < 1e-12);
    }
}
