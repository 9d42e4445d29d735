//! Results of many games, counted exactly.

use serde::{Deserialize, Serialize};

use crate::game::GameRecord;
use crate::rules::Seat;

/// The results of many games: sums of integers, so that results merge exactly in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResults {
    /// Games played, including undecided ones.
    pub games: u64,
    /// Games won by each seat, in the order of the first settlements; at most `games` in all.
    pub wins: [u64; Seat::COUNT],
    /// The lengths of all games.
    pub turns: TurnTotals,
}

/// The lengths of games, in turns of all players; a stopped game counts up to its stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTotals {
    /// The sum over games.
    pub sum: u64,
    /// The sum of squares over games.
    pub sum_of_squares: u64,
    /// The length of the longest game.
    pub longest: u16,
}

impl GameResults {
    /// Returns the number of games with a winner.
    #[must_use]
    pub fn decided(&self) -> u64 {
        self.wins.iter().sum()
    }

    /// Returns the number of games that were stopped at the turn cap.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        self.games - self.decided()
    }

    /// Adds the results `more`.
    pub fn absorb(&mut self, more: &Self) {
        self.games += more.games;
        for (sum, wins) in self.wins.iter_mut().zip(more.wins) {
            *sum += wins;
        }
        self.turns.sum += more.turns.sum;
        self.turns.sum_of_squares += more.turns.sum_of_squares;
        self.turns.longest = self.turns.longest.max(more.turns.longest);
    }

    /// Returns the sum of many results.
    #[must_use]
    pub fn together<'a>(many: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        many.into_iter().for_each(|results| all.absorb(results));
        all
    }
}

impl From<&GameRecord> for GameResults {
    fn from(record: &GameRecord) -> Self {
        let turns = u64::from(record.turns);
        Self {
            games: 1,
            wins: Seat::ALL.map(|seat| u64::from(record.winner == Some(seat))),
            turns: TurnTotals { sum: turns, sum_of_squares: turns * turns, longest: record.turns },
        }
    }
}
