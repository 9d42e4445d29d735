//! Results of many games, counted exactly, and outcomes of single games.

use hatchery_core::{InvalidValue, Tally, WireElement, WireValue};
use serde::{Deserialize, Serialize};

use super::game::GameRecord;
use super::setup::MAX_TURNS;
use crate::rules::Seat;

/// The results of many games: sums of integers, so that results merge exactly in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, WireValue)]
#[wire(check)]
pub struct GameResults {
    /// Games played, including undecided ones.
    #[wire(tag = 1, range(min = 1, max = 0xffff_ffff))]
    pub games: u64,
    /// Games won by each seat, in the order of the first settlements; at most `games` in all.
    #[wire(tag = 2)]
    pub wins: [u64; Seat::COUNT],
    /// The lengths of the games.
    #[wire(flatten = 3)]
    pub turns: TurnTotals,
}

/// The lengths of games, in turns by any player. A stopped game counts up to its stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, WireValue)]
pub struct TurnTotals {
    /// The sum over games.
    #[wire(tag = 3)]
    pub sum: u64,
    /// The sum of squares over games.
    #[wire(tag = 4)]
    pub sum_of_squares: u64,
    /// The length of the longest game.
    #[wire(tag = 5, range(min = 1, max = MAX_TURNS))]
    pub longest: u16,
}

/// The outcome of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, WireElement)]
#[serde(try_from = "u32", into = "u32")]
#[wire(try_from = u32)]
pub struct GameOutcome {
    /// The winner; none if the game was stopped undecided.
    pub winner: Option<Seat>,
    /// The length in turns by any player, at least 1.
    pub turns: u16,
}

/// The results of the games of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, WireValue)]
#[wire(check)]
pub struct GameTally {
    /// The sums over the games.
    #[wire(flatten = 1)]
    pub results: GameResults,
    /// The outcomes of the games in the order of the trials. `results` holds the sums of these
    /// outcomes. The list is empty if the outcomes are not kept.
    #[wire(tag = 6)]
    pub outcomes: Vec<GameOutcome>,
}

/// The detail that a tally keeps of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, WireValue)]
pub enum TallyDetail {
    /// Sums over games.
    #[default]
    #[wire(absent)]
    Sums,
    /// Sums over games, and the outcome of every game.
    #[wire(tag = 1, flag)]
    Outcomes,
}

impl GameOutcome {
    /// The number of outcomes of games of the same length: each of four seats may win, or none.
    const PER_LENGTH: u32 = 5;
}

impl From<GameOutcome> for u32 {
    fn from(outcome: GameOutcome) -> Self {
        Self::from(&outcome)
    }
}

impl From<&GameOutcome> for u32 {
    fn from(&GameOutcome { winner, turns }: &GameOutcome) -> Self {
        let winner = Seat::ALL.into_iter().zip(1..).find(|(seat, _)| Some(*seat) == winner);
        GameOutcome::PER_LENGTH * Self::from(turns) + winner.map_or(0, |(_, number)| number)
    }
}

impl TryFrom<u32> for GameOutcome {
    type Error = InvalidValue;

    fn try_from(number: u32) -> Result<Self, InvalidValue> {
        let expected = "five times a number of turns, plus the seat that won or 0";
        let turns = u16::try_from(number / Self::PER_LENGTH).ok().filter(|turns| *turns != 0);
        let turns = turns.ok_or_else(|| InvalidValue::new("", &number, expected))?;
        let winner = Seat::ALL.into_iter().zip(1..).find(|(_, n)| *n == number % Self::PER_LENGTH);
        Ok(Self { winner: winner.map(|(seat, _)| seat), turns })
    }
}

impl GameTally {
    /// Returns the tally of a single game in this detail.
    #[must_use]
    pub fn new(record: &GameRecord, detail: TallyDetail) -> Self {
        let outcome = GameOutcome { winner: record.winner, turns: record.turns };
        let outcomes = match detail {
            TallyDetail::Sums => Vec::new(),
            TallyDetail::Outcomes => vec![outcome],
        };
        Self { results: outcome.into(), outcomes }
    }

    fn check(&self) -> Result<(), InvalidValue> {
        let mut sums = GameResults::default();
        self.outcomes.iter().for_each(|outcome| sums.absorb(&(*outcome).into()));
        if self.outcomes.is_empty() || sums == self.results {
            return Ok(());
        }
        let found = format!("of {} games with other sums", self.outcomes.len());
        Err(InvalidValue::new("outcomes", &found, "none, or of the games counted"))
    }
}

impl Tally for GameTally {
    fn n_trials(&self) -> u64 {
        self.results.games
    }

    fn absorb(&mut self, later: Self) {
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

    fn check(&self) -> Result<(), InvalidValue> {
        let Self { games, wins, turns: TurnTotals { sum, sum_of_squares, longest } } = *self;
        let decided: u128 = wins.iter().map(|&wins| u128::from(wins)).sum();
        if u128::from(games) < decided {
            return Err(InvalidValue::new("wins", &decided, "at most one per game"));
        }
        // Each game has from 1 to `longest` turns, and one of them exactly `longest`. The sum of
        // squares lies between those of equal games (Cauchy-Schwarz) and of games at both ends of
        // the range.
        let [n, sum_wide, squares, most] =
            [games, sum, sum_of_squares, u64::from(longest)].map(u128::from);
        if sum_wide < n - 1 + most || n * most < sum_wide {
            return Err(InvalidValue::new("sum", &sum, "from 1 to `longest` per game"));
        }
        if n * squares < sum_wide * sum_wide || sum_wide * most < squares {
            let expected = "the sum of squares of numbers with the sum `sum`";
            return Err(InvalidValue::new("sum_of_squares", &sum_of_squares, expected));
        }
        Ok(())
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
            assert!(GameOutcome::try_from(number).is_err(), "{number}");
        }
    }
}
