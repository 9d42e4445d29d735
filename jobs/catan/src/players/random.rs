//! The uniformly random player.

use super::Player;
use crate::rules::{Action, GameState, Island, LegalActions};
use crate::streams::FastRng;

/// A player that takes every legal action with the same probability: every node, edge, hex with
/// victim, and resource counts once. It offers no trades.
#[derive(Clone, Copy, Debug)]
pub struct RandomPlayer;

impl Player for RandomPlayer {
    fn act(
        &mut self,
        _island: &Island,
        _state: &GameState,
        legal: &LegalActions,
        stream: &mut FastRng,
    ) -> Action {
        let index = stream.below(legal.len());
        legal.get(index).expect("a seat that acts has an option")
    }
}
