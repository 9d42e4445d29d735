//! Results of many games, counted exactly, and outcomes of single games.

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

/// The outcome of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct GameOutcome {
    /// The winner; none if the game was stopped undecided.
    pub winner: Option<Seat>,
    /// The length in turns of all players, at least 1.
    pub turns: u16,
}

/// A number that is not an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not the outcome of a game")]
pub struct NotAnOutcome(u32);

/// The results of the games of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameTally {
    /// The sums over the games.
    pub results: GameResults,
    /// The outcome of each game in the order of the trials, whose sums are `results`; empty if they
    /// are not kept.
    pub outcomes: Vec<GameOutcome>,
}

/// The detail in which games are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TallyDetail {
    /// Sums over games.
    #[default]
    Sums,
    /// Sums over games, and the outcome of each game.
    Outcomes,
}

impl GameOutcome {
    /// The number of outcomes of games of the same length: each of four seats may win, or none.
    const PER_LENGTH: u32 = 5;
}

impl From<GameOutcome> for u32 {
    fn from(GameOutcome { winner, turns }: GameOutcome) -> Self {
        let winner = Seat::ALL.into_iter().zip(1..).find(|(seat, _)| Some(*seat) == winner);
        GameOutcome::PER_LENGTH * Self::from(turns) + winner.map_or(0, |(_, number)| number)
    }
}

impl TryFrom<u32> for GameOutcome {
    type Error = NotAnOutcome;

    fn try_from(number: u32) -> Result<Self, NotAnOutcome> {
        let turns = u16::try_from(number / Self::PER_LENGTH).ok().filter(|turns| *turns != 0);
        let turns = turns.ok_or(NotAnOutcome(number))?;
        let winner = Seat::ALL.into_iter().zip(1..).find(|(_, n)| *n == number % Self::PER_LENGTH);
        Ok(Self { winner: winner.map(|(seat, _)| seat), turns })
    }
}

impl GameTally {
    /// Returns the tally of one game in this detail.
    #[must_use]
    pub fn new(record: &GameRecord, detail: TallyDetail) -> Self {
        let outcome = GameOutcome { winner: record.winner, turns: record.turns };
        let outcomes = match detail {
            TallyDetail::Sums => Vec::new(),
            TallyDetail::Outcomes => vec![outcome],
        };
        Self { results: outcome.into(), outcomes }
    }

    /// Adds the results of later games of the same series.
    pub fn absorb(&mut self, later: Self) {
        self.results.absorb(&later.results);
        self.outcomes.extend(later.outcomes);
    }
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

impl From<GameOutcome> for GameResults {
    fn from(GameOutcome { winner, turns: longest }: GameOutcome) -> Self {
        let turns = u64::from(longest);
        Self {
            games: 1,
            wins: Seat::ALL.map(|seat| u64::from(winner == Some(seat))),
            turns: TurnTotals { sum: turns, sum_of_squares: turns * turns, longest },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_numbers() {
        let outcome = |winner, turns| GameOutcome { winner, turns };
        for (outcome, number) in [
            (outcome(None, 1), 5),
            (outcome(Some(Seat::First), 1), 6),
            (outcome(Some(Seat::Fourth), 200), 1_004),
            (outcome(None, u16::MAX), 327_675),
        ] {
            assert_eq!(u32::from(outcome), number);
            assert_eq!(GameOutcome::try_from(number), Ok(outcome));
        }
        for number in [0, 4, 327_680, u32::MAX] {
            assert_eq!(GameOutcome::try_from(number), Err(NotAnOutcome(number)));
        }
    }
}
