//! Stands in for the agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::game::Stream;
use crate::players::{Player, Random};
use crate::rules::{Action, Island, Options, Seat, State};

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Agent {
    /// Uniform over legal actions.
    Random {},
}

impl Agent {
    /// A player of this kind.
    #[must_use]
    pub fn player(&self) -> AnyPlayer {
        AnyPlayer
    }
}

/// A player of any kind.
#[derive(Clone, Debug)]
pub struct AnyPlayer;

impl Player for AnyPlayer {
    fn act(
        &mut self,
        island: &Island,
        state: &State,
        options: &Options,
        stream: &mut Stream,
    ) -> Action {
        Random.act(island, state, options, stream)
    }
}

/// Four agents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// The agents.
    pub agents: [Agent; Seat::COUNT],
}

impl Pool {
    /// Number of orders of the agents.
    pub const ORDERS: u64 = 24;

    /// Who sits where in game number `game`.
    #[must_use]
    pub fn order(&self, _game: u64) -> [usize; Seat::COUNT] {
        [0, 1, 2, 3]
    }
}
