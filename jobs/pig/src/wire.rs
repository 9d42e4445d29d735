//! Players and tallies on the wire: decoded values are checked.

use hatchery_core::{InvalidValue, Tally, WireValue};

/// The most turns of a game: no game comes near it, and the turns of 2^32 games fit into 64 bits.
const MAX_TURNS: u64 = u32::MAX as u64;

/// A player that holds at a number of points from 1 to [`GOAL`](crate::rules::GOAL).
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct PigPlayer {
    #[wire(tag = 1, range(min = 1, max = crate::rules::GOAL))]
    pub(crate) hold_at: u32,
}

/// The number of games, and the number of turns that they took in all.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(check)]
pub struct PigTally {
    #[wire(tag = 1, range(min = 1))]
    pub(crate) games: u64,
    #[wire(tag = 2)]
    pub(crate) turns: u64,
}

impl PigTally {
    fn check(&self) -> Result<(), InvalidValue> {
        let most = self.games.saturating_mul(MAX_TURNS);
        InvalidValue::check_range("turns", &self.turns, &self.games, &most)
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
