//! The weighted random player.

use super::Player;
use crate::rules::{Action, GameState, Island, LegalActions, Seat};
use crate::streams::FastRng;

/// The weight of a settlement or a city (Szita, Chaslot & Spronck, "Monte-Carlo tree search in
/// Settlers of Catan", 2009, weighted playouts).
const BUILDING_WEIGHT: f64 = 10_000.0;

/// The weight of anything but a building or a road (same source, which names the end of the turn).
const OTHER_WEIGHT: f64 = 1.0;

/// A player that takes every legal action with a probability proportional to its weight: it builds
/// where it can, and places roads while they are few for its buildings. It offers no trades.
#[derive(Clone, Copy, Debug)]
pub struct WeightedPlayer;

impl Player for WeightedPlayer {
    fn act(
        &mut self,
        _island: &Island,
        state: &GameState,
        legal: &LegalActions,
        stream: &mut FastRng,
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
        // A rest left by rounding belongs to the last action.
        drawn.or_else(|| legal.iter().last()).expect("a seat that acts has an option")
    }
}

/// Returns 10 / 10^R, where R is the number of roads per building (same source).
fn road_weight(state: &GameState, seat: Seat) -> f64 {
    let n_buildings = state.settlements(seat).union(state.cities(seat)).len();
    let ratio = f64::from(state.roads(seat).len()) / f64::from(n_buildings.max(1));
    10.0 / libm::exp10(ratio)
}
