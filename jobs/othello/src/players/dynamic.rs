//! Agents that play weaker when ahead and stronger when behind.

use hatchery_core::WireValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranking::{MoveRanking, RankedMove};

/// The settings of dynamic adjustment after T. Nakamichi and T. Ito (2016), who made a shogi
/// program steer the game to a balance by its evaluation.
///
/// Their exact rule is not known to us. Ours: the search says how well the player to move does, v,
/// from 0 to 1. Above `target` + `band` it takes, of the moves with enough visits, the one whose
/// mean is nearest to `target`; otherwise its first choice.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(deny_unknown_fields, default)]
pub struct DynamicSettings {
    /// The score that is aimed at, from 0 to 1.
    #[schemars(range(min = 0, max = 1), extend("x-source" = "ours"))]
    #[wire(tag = 2)]
    pub target: f64,
    /// The distance above `target` up to which the agent plays its best.
    #[schemars(range(min = 0, max = 1), extend("x-source" = "ours"))]
    #[wire(tag = 3)]
    pub band: f64,
    /// The share of the most visited move's visits that a move must have to be taken.
    #[schemars(range(min = 0, max = 1), extend("x-source" = "ours"))]
    #[wire(tag = 4)]
    pub min_visits: f64,
}

impl Default for DynamicSettings {
    fn default() -> Self {
        Self { target: 0.5, band: 0.0, min_visits: 0.02 }
    }
}

impl DynamicSettings {
    /// Returns the chosen move of a ranking.
    pub(super) fn choose<'r>(&self, ranking: &'r MoveRanking) -> &'r RankedMove {
        let best = ranking.best();
        if score(best) <= self.target + self.band {
            return best;
        }
        let least = self.min_visits * f64::from(best.visits);
        let distance = |ranked: &RankedMove| (score(ranked) - self.target).abs();
        let enough = ranking
            .moves()
            .iter()
            .filter(|ranked| 0 < ranked.visits && least <= f64::from(ranked.visits));
        // Of moves at the same distance, the first in the ranking.
        enough.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(best)
    }
}

/// Returns the mean score of a move, from 0 to 1; one half without visits.
fn score(ranked: &RankedMove) -> f64 {
    ranked.mean().unwrap_or(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Square;

    fn ranking(moves: &[(u32, u32)]) -> MoveRanking {
        let ranked = |(index, &(visits, half_points)): (u8, &(u32, u32))| RankedMove {
            mv: Square::new(index).unwrap(),
            visits,
            half_points,
        };
        MoveRanking::new((0..).zip(moves).map(ranked).collect())
    }

    fn chosen(settings: DynamicSettings, moves: &[(u32, u32)]) -> u8 {
        settings.choose(&ranking(moves)).mv.index()
    }

    #[test]
    fn the_agent_plays_its_best_unless_it_is_ahead() {
        let settings = DynamicSettings::default();
        // Means of 0.4, 0.45 and 0.5: not ahead.
        assert_eq!(chosen(settings, &[(100, 80), (20, 18), (10, 10)]), 0);
        // Means of 0.8, 0.6, 0.52 and 0.1; the third is nearest to one half.
        let moves = [(100, 160), (50, 60), (25, 26), (10, 2)];
        assert_eq!(chosen(settings, &moves), 2);
        assert_eq!(chosen(DynamicSettings { min_visits: 0.3, ..settings }, &moves), 1);
        assert_eq!(chosen(DynamicSettings { band: 0.3, ..settings }, &moves), 0);
        assert_eq!(chosen(DynamicSettings { target: 0.0, ..settings }, &moves), 3);
    }

    #[test]
    fn moves_without_visits_are_never_taken() {
        let settings = DynamicSettings { min_visits: 0.0, ..DynamicSettings::default() };
        assert_eq!(chosen(settings, &[(10, 20), (0, 0)]), 0);
    }
}
