//! The results by condition: the controllers that played on the same board with the same pieces.

use hatchery_core::IntervalEstimate;
use hatchery_stats::mean_ratio;

use super::spec::EvaluateSpec;
use crate::params::controller_params::ControllerParams;
use crate::params::game_params::DrawParams;
use crate::rules::BoardSize;
use crate::studies::player_results::PlayerResults;
use crate::studies::wording;

/// A board with a way to draw pieces, and the controllers that played there.
pub(super) struct PlayedCondition<'a> {
    pub(super) board: BoardSize,
    pub(super) draw: &'a DrawParams,
    /// True if another way to draw has the same description, so that only their names differ.
    is_ambiguous: bool,
    /// The controllers in the order of the spec.
    pub(super) controllers: Vec<PlayedController<'a>>,
}

/// A controller with its results in a condition.
#[derive(Clone, Copy)]
pub(super) struct PlayedController<'a> {
    pub(super) params: &'a ControllerParams,
    pub(super) results: &'a PlayerResults,
    /// The mean score; none if splitting saw no game end.
    pub(super) mean: Option<IntervalEstimate>,
}

impl<'a> PlayedCondition<'a> {
    /// Returns all conditions in the order of the spec; none before they are played.
    pub(super) fn all(spec: &'a EvaluateSpec, results: &'a [PlayerResults]) -> Vec<Self> {
        // The plan has the ways to draw pieces within boards, and boards within controllers.
        let n_conditions = spec.boards.len() * spec.draws.len();
        let places =
            spec.boards.iter().flat_map(|&board| spec.draws.iter().map(move |d| (board, d)));
        let conditions = places.enumerate().map(|(idx, (board, draw))| {
            let results = results.iter().skip(idx).step_by(n_conditions);
            let played = spec.controllers.iter().zip(results).map(|(params, results)| {
                let mean = match draw.is_fixed() {
                    true => Some(results.exact()),
                    false => results.mean(board),
                };
                PlayedController { params, results, mean }
            });
            let is_same = |other: &&DrawParams| wording::draw(other) == wording::draw(draw);
            let is_ambiguous = 1 < spec.draws.iter().filter(is_same).count();
            Self { board, draw, is_ambiguous, controllers: played.collect() }
        });
        conditions.filter(|it| !it.controllers.is_empty()).collect()
    }

    /// Returns the board and, unless all pieces are equally frequent, how they are drawn; and the
    /// name of the way to draw, if others are described in the same way.
    pub(super) fn name(&self) -> String {
        let name = self.is_ambiguous.then(|| self.draw.name.clone());
        let parts = wording::draw(self.draw).into_iter().chain(name);
        parts.fold(self.board.to_string(), |name, part| format!("{name}, {part}"))
    }

    /// Returns the board and the name of the way to draw, such as `10x20/uniform`.
    pub(super) fn path(&self) -> String {
        format!("{}/{}", self.board, self.draw.name)
    }

    /// Returns the controllers by their means, the highest first; those without one are last.
    pub(super) fn ranking(&self) -> Vec<PlayedController<'a>> {
        let mut ranking = self.controllers.clone();
        let mean = |it: &PlayedController<'_>| it.mean.map_or(f64::NEG_INFINITY, |it| it.mean);
        ranking.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        ranking
    }
}

impl PlayedController<'_> {
    /// Returns how many times the mean score of `other` this one's is.
    pub(super) fn times(&self, other: &Self) -> Option<IntervalEstimate> {
        mean_ratio([self.mean?, other.mean?])
    }
}
