//! The uniformly random player.

use super::Player;
use crate::game::Stream;
use crate::rules::{Action, Island, Options, State};

/// Takes every legal action with the same probability: every node, edge, hex with victim, and
/// resource counts once. It offers no trades.
#[derive(Clone, Copy, Debug)]
pub struct Random;

impl Player for Random {
    fn act(
        &mut self,
        _island: &Island,
        _state: &State,
        options: &Options,
        stream: &mut Stream,
    ) -> Action {
        let index = stream.below(options.len());
        options.get(index).expect("a seat that acts has an option")
    }
}
