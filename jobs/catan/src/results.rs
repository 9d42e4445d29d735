//! What many games came to, counted exactly.

use serde::{Deserialize, Serialize};

use crate::game::Record;
use crate::rules::Seat;

/// What many games came to. Sums of integers, so that results merge exactly in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    /// Games played, undecided ones included.
    pub games: u64,
    /// Games won by each seat, in the order of the first settlements; at most `games` in all.
    pub wins: [u64; Seat::COUNT],
    /// How long all games were.
    pub turns: Turns,
}

/// How long games were, in turns of all players; a game that was stopped counts up to there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// The sum over games.
    pub sum: u64,
    /// The sum of squares over games.
    pub sum_of_squares: u64,
    /// The longest game.
    pub longest: u16,
}

impl Results {
    /// Games that somebody won.
    #[must_use]
    pub fn decided(&self) -> u64 {
        self.wins.iter().sum()
    }

    /// Games that were stopped at the turn cap.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        self.games - self.decided()
    }

    /// Adds `more`.
    pub fn absorb(&mut self, more: &Self) {
        self.games += more.games;
        for (sum, wins) in self.wins.iter_mut().zip(more.wins) {
            *sum += wins;
        }
        self.turns.sum += more.turns.sum;
        self.turns.sum_of_squares += more.turns.sum_of_squares;
        self.turns.longest = self.turns.longest.max(more.turns.longest);
    }

    /// All of `many` together.
    #[must_use]
    pub fn together<'a>(many: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        many.into_iter().for_each(|results| all.absorb(results));
        all
    }
}

impl From<&Record> for Results {
    fn from(record: &Record) -> Self {
        let turns = u64::from(record.turns);
        Self {
            games: 1,
            wins: Seat::ALL.map(|seat| u64::from(record.winner == Some(seat))),
            turns: Turns { sum: turns, sum_of_squares: turns * turns, longest: record.turns },
        }
    }
}
