//! Game setups and results on the wire. Decoded values are checked.

mod agent;

use hatchery_core::{DecodeError, MessageValue, Tally};

use crate::map::Map;
use crate::players::Agent;
use crate::results::{GameOutcome, GameResults, GameTally, TallyDetail, TurnTotals};
use crate::rules::Seat;

pub use agent::{AgentMessage, KindMessage, MctsMessage, PlannerMessage};

/// The longest turn cap that may be requested, in turns of all players: five times the length of
/// all but 10 of 400,000 games of random players.
pub const MAX_TURNS: u16 = 10_000;

/// The setup of a game: a map, four agents by their seats, and a turn cap.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSetup {
    /// The map.
    pub map: Map,
    /// The agent of each seat.
    pub seats: [Agent; Seat::COUNT],
    /// Turns after which the game is stopped undecided, from 1 to [`MAX_TURNS`].
    pub turn_cap: u16,
}

/// A [`GameSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GameSetupMessage {
    /// The notation of the map.
    #[prost(string, tag = "1")]
    map: String,
    /// Four agents.
    #[prost(message, repeated, tag = "2")]
    seats: Vec<AgentMessage>,
    #[prost(uint32, tag = "3")]
    turn_cap: u32,
}

/// A [`TallyDetail`] on the wire.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct TallyDetailMessage {
    #[prost(bool, tag = "1")]
    outcomes: bool,
}

/// A [`GameTally`] on the wire.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct GameTallyMessage {
    #[prost(uint64, tag = "1")]
    games: u64,
    #[prost(uint64, repeated, tag = "2")]
    wins: Vec<u64>,
    #[prost(uint64, tag = "3")]
    turns: u64,
    #[prost(uint64, tag = "4")]
    squares_of_turns: u64,
    #[prost(uint32, tag = "5")]
    longest: u32,
    /// The number of each outcome, if they are kept.
    #[prost(uint32, repeated, tag = "6")]
    outcomes: Vec<u32>,
}

impl MessageValue for GameSetup {
    type Message = GameSetupMessage;

    fn to_message(&self) -> GameSetupMessage {
        let Self { map, seats, turn_cap } = self;
        GameSetupMessage {
            map: map.to_string(),
            seats: seats.iter().map(AgentMessage::from).collect(),
            turn_cap: u32::from(*turn_cap),
        }
    }

    fn from_message(
        GameSetupMessage { map, seats, turn_cap }: GameSetupMessage,
    ) -> Result<Self, DecodeError> {
        let wrong = |error| DecodeError::field("map", &error, "the line of a map");
        let known: Map = map.parse().map_err(wrong)?;
        if known.to_string() != map {
            return Err(DecodeError::field("map", &"in small letters", "the line of a map"));
        }
        let seats: Vec<Agent> =
            seats.into_iter().map(AgentMessage::checked).collect::<Result<_, _>>()?;
        let n = seats.len();
        let seats = seats.try_into().map_err(|_| DecodeError::field("seats", &n, "four agents"))?;
        Ok(Self { map: known, seats, turn_cap: turns(turn_cap, "turn_cap")? })
    }
}

hatchery_core::message_value!(GameSetup);

impl MessageValue for TallyDetail {
    type Message = TallyDetailMessage;

    fn to_message(&self) -> TallyDetailMessage {
        TallyDetailMessage { outcomes: *self == Self::Outcomes }
    }

    fn from_message(message: TallyDetailMessage) -> Result<Self, DecodeError> {
        Ok(if message.outcomes { Self::Outcomes } else { Self::Sums })
    }
}

hatchery_core::message_value!(TallyDetail);

impl MessageValue for GameTally {
    type Message = GameTallyMessage;

    fn to_message(&self) -> GameTallyMessage {
        let GameResults { games, wins, turns } = self.results;
        let TurnTotals { sum, sum_of_squares, longest } = turns;
        GameTallyMessage {
            games,
            wins: wins.to_vec(),
            turns: sum,
            squares_of_turns: sum_of_squares,
            longest: u32::from(longest),
            outcomes: self.outcomes.iter().map(|outcome| u32::from(*outcome)).collect(),
        }
    }

    fn from_message(message: GameTallyMessage) -> Result<Self, DecodeError> {
        let outcome = |number: &u32| {
            let expected = "five times a number of turns, plus the seat that won or 0";
            let outcome = GameOutcome::try_from(*number);
            outcome.map_err(|_| DecodeError::field("outcomes", number, expected))
        };
        let outcomes = message.outcomes.iter().map(outcome);
        let outcomes: Vec<GameOutcome> = outcomes.collect::<Result<_, _>>()?;
        let results = message.results()?;
        let mut sums = GameResults::default();
        outcomes.iter().for_each(|outcome| sums.absorb(&GameResults::from(*outcome)));
        if !outcomes.is_empty() && sums != results {
            let found = format!("of {} games with other sums", outcomes.len());
            return Err(DecodeError::field("outcomes", &found, "none, or of the games counted"));
        }
        Ok(Self { results, outcomes })
    }
}

hatchery_core::message_value!(GameTally);

impl GameTallyMessage {
    /// Returns the sums, checked.
    fn results(self) -> Result<GameResults, DecodeError> {
        let Self { games, wins, turns: sum, squares_of_turns, longest, outcomes: _ } = self;
        if games == 0 || u64::from(u32::MAX) < games {
            return Err(DecodeError::field("games", &games, "from 1 to 2^32 - 1"));
        }
        let n = wins.len();
        let wins: [u64; Seat::COUNT] =
            wins.try_into().map_err(|_| DecodeError::field("wins", &n, "of four seats"))?;
        let decided: u128 = wins.iter().map(|&wins| u128::from(wins)).sum();
        if u128::from(games) < decided {
            return Err(DecodeError::field("wins", &decided, "at most one per game"));
        }
        let longest = turns(longest, "longest")?;
        // Each game has from 1 to `longest` turns, and one of them exactly `longest`. The sum of
        // squares lies between those of equal games (Cauchy-Schwarz) and of games at both ends of
        // the range.
        let [n, sum_wide, squares, most] =
            [games, sum, squares_of_turns, u64::from(longest)].map(u128::from);
        if sum_wide < n - 1 + most || n * most < sum_wide {
            return Err(DecodeError::field("turns", &sum, "from 1 to `longest` per game"));
        }
        if n * squares < sum_wide * sum_wide || sum_wide * most < squares {
            let expected = "the sum of squares of numbers with the sum `turns`";
            return Err(DecodeError::field("squares_of_turns", &squares_of_turns, expected));
        }
        let turns = TurnTotals { sum, sum_of_squares: squares_of_turns, longest };
        Ok(GameResults { games, wins, turns })
    }
}

impl Tally for GameTally {
    fn n_trials(&self) -> u64 {
        self.results.games
    }

    fn absorb(&mut self, later: Self) {
        Self::absorb(self, later);
    }
}

fn turns(turns: u32, field: &'static str) -> Result<u16, DecodeError> {
    let known = u16::try_from(turns).ok().filter(|turns| (1..=MAX_TURNS).contains(turns));
    known.ok_or_else(|| DecodeError::field(field, &turns, format!("from 1 to {MAX_TURNS}")))
}
