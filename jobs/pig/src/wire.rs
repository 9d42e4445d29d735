//! Players and tallies on the wire: decoded values are checked.

use hatchery_core::{DecodeError, Tally, WireValue};

use crate::rules::GOAL;

/// The most turns of a game: no game comes near it, and the turns of 2^32 games fit into 64 bits.
const MAX_TURNS: u64 = u32::MAX as u64;

/// A player that holds at a number of points from 1 to [`GOAL`].
#[derive(Clone, PartialEq, prost::Message)]
pub struct PigPlayer {
    #[prost(uint32, tag = "1")]
    pub(crate) hold_at: u32,
}

impl WireValue for PigPlayer {
    type Message = Self;

    fn to_message(&self) -> Self {
        self.clone()
    }

    fn from_message(message: Self) -> Result<Self, DecodeError> {
        if !(1..=GOAL).contains(&message.hold_at) {
            return Err(DecodeError::field("hold_at", &message.hold_at, "from 1 to 100"));
        }
        Ok(message)
    }
}

/// The number of games, and the number of turns that they took in all.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PigTally {
    #[prost(uint64, tag = "1")]
    pub(crate) games: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) turns: u64,
}

impl WireValue for PigTally {
    type Message = Self;

    fn to_message(&self) -> Self {
        self.clone()
    }

    fn from_message(message: Self) -> Result<Self, DecodeError> {
        if message.games == 0 || message.turns < message.games {
            return Err(DecodeError::field("turns", &message.turns, "one per game or more"));
        }
        if message.games.saturating_mul(MAX_TURNS) < message.turns {
            let expected = format!("at most {MAX_TURNS} per game");
            return Err(DecodeError::field("turns", &message.turns, expected));
        }
        Ok(message)
    }
}

impl Tally for PigTally {
    fn n_trials(&self) -> u64 {
        self.games
    }

    fn absorb(&mut self, later: Self) {
        self.games += later.games;
        self.turns += later.turns;
    }
}
