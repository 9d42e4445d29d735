//! Agents that take moves at random, by their visits to a power.

use hatchery_core::wire::WireElement;
use hatchery_core::{FastRng, InvalidValue, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranking::{MoveRanking, RankedMove};

/// The settings of strength adjustment after I-C. Wu, T-R. Wu, A-J. Liu, H. Guei and T. Wei, *On
/// Strength Adjustment for MCTS-Based Programs* (AAAI 2019): a move with N visits is taken with a
/// probability proportional to N^z, and moves with few visits never.
///
/// The strength index z is changed within a game (ours) or between games (theirs, of which we know
/// the first step but not how it shrinks). Specs and messages with settings that do not pass
/// [`check`](Self::check) are refused.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, WireValue)]
#[serde(deny_unknown_fields, default)]
#[wire(check)]
pub struct SoftmaxSettings {
    /// The strength index z at the start. Higher is stronger; 0 takes all remaining moves with
    /// equal probability.
    #[schemars(range(min = -20, max = 20), extend("x-source" = "ours: the middle of -2 to 2"))]
    #[wire(tag = 2)]
    pub z: f64,
    /// The lowest strength index.
    #[schemars(range(min = -20, max = 20), extend("x-source" = "Wu et al.: -2"))]
    #[wire(tag = 8)]
    pub lowest_z: f64,
    /// The highest strength index. Searches with few playouts have flat visits and need more than
    /// those of Wu et al.
    #[schemars(range(min = -20, max = 20), extend("x-source" = "Wu et al.: 2"))]
    #[wire(tag = 9)]
    pub highest_z: f64,
    /// The share of the most visited move's visits below which a move is never taken.
    #[schemars(range(min = 0, max = 1), extend("x-source" = "Wu et al.: 0.1"))]
    #[wire(tag = 3)]
    pub min_visits: f64,
    /// The moments at which z changes.
    #[wire(tag = 4)]
    pub control: StrengthControl,
    /// The first change of z.
    #[schemars(range(min = 0, max = 20), extend("x-source" = "Wu et al.: 0.375"))]
    #[wire(tag = 5)]
    pub step: f64,
    /// Between games: each step is the one before times this factor.
    #[schemars(range(min = 0, max = 1), extend("x-source" = "ours"))]
    #[wire(tag = 6)]
    pub discount: f64,
    /// Between games: the smallest step.
    #[schemars(range(min = 0, max = 20), extend("x-source" = "ours"))]
    #[wire(tag = 7)]
    pub min_step: f64,
}

/// The moments at which a strength index changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "kebab-case")]
pub enum StrengthControl {
    /// Never.
    None,
    /// After each search: down by `step` times the lead of the agent, which is from -1 to 1, for
    /// the rest of the game.
    WithinGame,
    /// After each game: down after a win, up after a loss, unchanged after a draw.
    BetweenGames,
}

impl Default for SoftmaxSettings {
    fn default() -> Self {
        Self {
            z: 0.0,
            lowest_z: -2.0,
            highest_z: 2.0,
            min_visits: 0.1,
            control: StrengthControl::BetweenGames,
            step: 0.375,
            discount: 0.95,
            min_step: 0.05,
        }
    }
}

impl SoftmaxSettings {
    /// Checks that the strength index starts within its bounds.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(&self) -> Result<(), InvalidValue> {
        let Self { z, lowest_z, highest_z, .. } = *self;
        // Any of two may be a default, which the file does not have.
        if highest_z < lowest_z {
            let expected = format!("at most `highest_z`, {highest_z}");
            return Err(InvalidValue::new("lowest_z", &lowest_z, expected));
        }
        if !(lowest_z..=highest_z).contains(&z) {
            let expected = format!("from `lowest_z`, {lowest_z}, to `highest_z`, {highest_z}");
            return Err(InvalidValue::new("z", &z, expected));
        }
        Ok(())
    }
}

/// A strength index and the step of its next change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrengthIndex {
    z: f64,
    step: f64,
}

impl StrengthIndex {
    pub(super) const fn new(settings: &SoftmaxSettings) -> Self {
        Self { z: settings.z, step: settings.step }
    }

    /// Returns z.
    #[must_use]
    pub const fn z(&self) -> f64 {
        self.z
    }

    fn add(&mut self, settings: &SoftmaxSettings, change: f64) {
        self.z = (self.z + change).clamp(settings.lowest_z, settings.highest_z);
    }

    /// Starts a game: what changed within the last one is undone.
    pub(super) fn game_begins(&mut self, settings: &SoftmaxSettings) {
        if settings.control == StrengthControl::WithinGame {
            *self = Self::new(settings);
        }
    }

    /// Ends a game. `half_points` is the agent's result in half points: 0, 1 or 2.
    pub(super) fn game_ended(&mut self, settings: &SoftmaxSettings, half_points: u32) {
        if settings.control != StrengthControl::BetweenGames {
            return;
        }
        match half_points {
            0 => self.add(settings, self.step),
            1 => {}
            _ => self.add(settings, -self.step),
        }
        self.step = (self.step * settings.discount).max(settings.min_step.min(self.step));
    }

    /// Draws a move of a ranking.
    pub(super) fn choose<'r>(
        &mut self,
        settings: &SoftmaxSettings,
        ranking: &'r MoveRanking,
        rng: &mut FastRng,
    ) -> &'r RankedMove {
        if settings.control == StrengthControl::WithinGame {
            self.add(settings, -settings.step * (2.0 * ranking.mean() - 1.0));
        }
        let best = ranking.best();
        let most = f64::from(best.visits.max(1));
        let weight = |ranked: &RankedMove| {
            let share = f64::from(ranked.visits) / most;
            if ranked.visits == 0 || share < settings.min_visits {
                0.0
            } else {
                libm::pow(share, self.z)
            }
        };
        let total: f64 = ranking.moves().iter().map(weight).sum();
        let mut left = rng.unit_f64() * total;
        for ranked in ranking.moves() {
            let weight = weight(ranked);
            if left < weight {
                return ranked;
            }
            left -= weight;
        }
        // Reached only by rounding.
        best
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;
    use crate::rules::Square;

    fn shares(settings: SoftmaxSettings, visits: [u32; 4]) -> [u32; 4] {
        let ranked = |(index, visits): (u8, u32)| RankedMove {
            mv: Square::new(index).unwrap(),
            visits,
            half_points: visits,
        };
        let ranking = MoveRanking::new((0..).zip(visits).map(ranked).collect());
        let mut rng = FastRng::seeded_by(&mut RunSeed::new("softmax", 1).generation(0).stream("a"));
        let mut index = StrengthIndex::new(&settings);
        let mut counts = [0; 4];
        for _ in 0..100_000 {
            let mv = index.choose(&settings, &ranking, &mut rng).mv;
            counts[usize::from(mv.index())] += 1;
        }
        counts
    }

    #[test]
    fn moves_are_drawn_by_their_visits_to_the_power_z() {
        // The shares of 100,000 draws have standard deviations of at most 0.16 points; five of them
        // are passed by chance less than once in 10^6 seeds.
        let check = |z, expected: [f64; 4]| {
            let settings = SoftmaxSettings { z, ..SoftmaxSettings::default() };
            let found = shares(settings, [400, 200, 100, 39]);
            for (found, expected) in found.into_iter().zip(expected) {
                let share = f64::from(found) / 100_000.0;
                assert!((share - expected).abs() < 0.008, "z {z}: {share} for {expected}");
            }
        };
        check(1.0, [4.0 / 7.0, 2.0 / 7.0, 1.0 / 7.0, 0.0]);
        check(2.0, [16.0 / 21.0, 4.0 / 21.0, 1.0 / 21.0, 0.0]);
        check(0.0, [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]);
        check(-1.0, [1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0, 0.0]);
    }

    #[test]
    fn wins_make_the_agent_weaker_and_losses_stronger() {
        let settings = SoftmaxSettings { discount: 0.5, min_step: 0.1, ..Default::default() };
        let mut index = StrengthIndex::new(&settings);
        let mut after = |half_points| {
            index.game_ended(&settings, half_points);
            index.game_begins(&settings);
            index.z()
        };
        assert_eq!(after(2).to_bits(), (-0.375_f64).to_bits());
        assert_eq!(after(0).to_bits(), (-0.1875_f64).to_bits());
        assert_eq!(after(1).to_bits(), (-0.1875_f64).to_bits());
        // The step is 0.1 from here on.
        for _ in 0..100 {
            after(0);
        }
        assert_eq!(after(0).to_bits(), 2.0_f64.to_bits());
    }

    #[test]
    fn control_within_a_game_ends_with_the_game() {
        let settings =
            SoftmaxSettings { control: StrengthControl::WithinGame, ..Default::default() };
        let won = MoveRanking::new(vec![RankedMove {
            mv: Square::new(0).unwrap(),
            visits: 10,
            half_points: 20,
        }]);
        let mut rng = FastRng::seeded_by(&mut RunSeed::new("softmax", 1).generation(0).stream("a"));
        let mut index = StrengthIndex::new(&settings);
        index.choose(&settings, &won, &mut rng);
        assert_eq!(index.z().to_bits(), (-0.375_f64).to_bits());
        index.game_ended(&settings, 0);
        index.game_begins(&settings);
        assert_eq!(index.z().to_bits(), 0.0_f64.to_bits());
    }
}
