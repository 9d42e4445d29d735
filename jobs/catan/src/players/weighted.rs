//! The weighted random player.

use super::Player;
use crate::rules::{Action, GameState, Island, LegalActions, Seat};
use crate::streams::Stream;

/// Of a settlement or a city (Szita, Chaslot & Spronck, "Monte-Carlo tree search in Settlers of
/// Catan", 2009, weighted play-outs).
const BUILDING_WEIGHT: f64 = 10_000.0;

/// Of anything but a building or a road (same source, which names the end of the turn).
const OTHER_WEIGHT: f64 = 1.0;

/// Takes every legal action with a probability proportional to its weight: builds where he can, and
/// lays roads while they are few for his buildings. He offers no trades.
#[derive(Clone, Copy, Debug)]
pub struct Weighted;

impl Player for Weighted {
    fn act(
        &mut self,
        _island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut Stream,
    ) -> Action {
        let road = road_weight(state, state.actor());
        let weight = |action: Action| match action {
            Action::Settlement(_) | Action::City(_) => BUILDING_WEIGHT,
            Action::Road(_) => road,
            _ => OTHER_WEIGHT,
        };
        let total: f64 = legal.iter().map(weight).sum();
        let mut ticket = stream.unit_f64() * total;
        let drawn = legal.iter().find(|action| {
            ticket -= weight(*action);
            ticket < 0.0
        });
        // Where rounding leaves a rest, it belongs to the last.
        drawn.or_else(|| legal.iter().last()).expect("a seat that acts has an option")
    }
}

/// 10 / 10^R, where R is the number of roads per building (same source).
fn road_weight(state: &GameState, seat: Seat) -> f64 {
    let n_buildings = state.settlements(seat).union(state.cities(seat)).len();
    let ratio = f64::from(state.roads(seat).len()) / f64::from(n_buildings.max(1));
    10.0 / libm::exp10(ratio)
}
