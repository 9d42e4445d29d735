//! Openings and games on the wire.

use hatchery_core::{DecodeError, error_chain};
use prost::Message as _;

use crate::opening::OpeningRule;
use crate::players::is_over;
use crate::record::RecordedGame;
use crate::rules::{DiscColor, Position, Square, SquareSet};

/// An [`OpeningRule`] on the wire: random moves, or listed openings.
#[derive(Clone, PartialEq, prost::Message)]
pub struct OpeningMessage {
    #[prost(message, repeated, tag = "1")]
    listed: Vec<RecordedGameMessage>,
    #[prost(uint32, tag = "2")]
    min_plies: u32,
    #[prost(uint32, tag = "3")]
    max_plies: u32,
    /// Listed openings from the start of the game, in place of `listed`: a byte for each move. The
    /// form of lists that would take too many bytes otherwise.
    #[prost(bytes = "vec", repeated, tag = "4")]
    from_start: Vec<Vec<u8>>,
}

/// The most bytes of the openings of a series: somewhat less than a subject may have.
pub(crate) const MAX_OPENING_BYTES: usize = 250_000;

/// A [`RecordedGame`] on the wire: where it starts, and a byte for each move.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RecordedGameMessage {
    #[prost(fixed64, tag = "1")]
    black: u64,
    #[prost(fixed64, tag = "2")]
    white: u64,
    #[prost(bool, tag = "3")]
    white_to_move: bool,
    #[prost(bytes = "vec", tag = "4")]
    moves: Vec<u8>,
}

impl From<&OpeningRule> for OpeningMessage {
    fn from(rule: &OpeningRule) -> Self {
        match rule {
            OpeningRule::Random { min_plies, max_plies } => {
                Self { min_plies: *min_plies, max_plies: *max_plies, ..Self::default() }
            }
            OpeningRule::Listed(openings) => {
                let listed = openings.iter().map(RecordedGameMessage::from).collect();
                let message = Self { listed, ..Self::default() };
                let from_start = openings.iter().all(|game| *game.start() == Position::START);
                if !from_start || message.encoded_len() <= MAX_OPENING_BYTES {
                    return message;
                }
                let from_start = message.listed.into_iter().map(|game| game.moves).collect();
                Self { from_start, ..Self::default() }
            }
        }
    }
}

impl OpeningMessage {
    /// Returns the rule.
    pub(super) fn checked(self) -> Result<OpeningRule, DecodeError> {
        let Self { mut listed, min_plies, max_plies, from_start } = self;
        if !from_start.is_empty() {
            if !listed.is_empty() {
                return Err(DecodeError::field(
                    "listed",
                    &listed.len(),
                    "none beside `from_start`",
                ));
            }
            let start = RecordedGameMessage::from(&RecordedGame::begin(Position::START));
            let games = from_start.into_iter();
            listed = games.map(|moves| RecordedGameMessage { moves, ..start.clone() }).collect();
        }
        if listed.is_empty() {
            let most = OpeningRule::MAX_RANDOM_PLIES;
            let expected = format!("at least `min_plies`, {min_plies}, and at most {most}");
            return OpeningRule::random(min_plies, max_plies)
                .ok_or_else(|| DecodeError::field("max_plies", &max_plies, expected));
        }
        for (field, plies) in [("min_plies", min_plies), ("max_plies", max_plies)] {
            if plies != 0 {
                return Err(DecodeError::field(field, &plies, "0 beside listed openings"));
            }
        }
        let n = listed.len();
        if OpeningRule::MAX_LISTED < n {
            let expected = format!("at most {}", OpeningRule::MAX_LISTED);
            return Err(DecodeError::field("listed", &n, expected));
        }
        let listed: Result<Vec<_>, _> =
            listed.into_iter().map(RecordedGameMessage::checked).collect();
        let listed = listed?;
        if let Some(over) = listed.iter().position(|game| is_over(game.last_position())) {
            let found = format_args!("over in opening {over}");
            return Err(DecodeError::field("listed", &found, "games that go on"));
        }
        OpeningRule::listed(listed)
            .ok_or_else(|| DecodeError::field("listed", &n, "games that go on"))
    }
}

impl From<&RecordedGame> for RecordedGameMessage {
    fn from(game: &RecordedGame) -> Self {
        let start = game.start();
        Self {
            black: start.discs(DiscColor::Black).bits(),
            white: start.discs(DiscColor::White).bits(),
            white_to_move: start.turn() == DiscColor::White,
            moves: game.moves().iter().map(|square| square.index()).collect(),
        }
    }
}

impl RecordedGameMessage {
    /// Returns the game, which may go on.
    pub(super) fn checked(self) -> Result<RecordedGame, DecodeError> {
        let Self { black, white, white_to_move, moves } = self;
        let turn = if white_to_move { DiscColor::White } else { DiscColor::Black };
        let [black, white] = [black, white].map(SquareSet::from_bits);
        let start = Position::new(black, white, turn).map_err(|_| {
            let both = SquareSet::from_bits(black.bits() & white.bits());
            let expected = "on squares without a black disc";
            DecodeError::field("white", &format_args!("also on {both}"), expected)
        })?;
        let mut game = RecordedGame::begin(start);
        for index in moves {
            let square = Square::new(index)
                .ok_or_else(|| DecodeError::field("moves", &index, "squares, below 64"))?;
            game.push(square).map_err(|error| {
                DecodeError::field("moves", &error_chain(&error), "moves that the rules allow")
            })?;
        }
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a beginning of a game of `n_moves`, other ones for other numbers.
    fn opening(mut number: usize, n_moves: usize) -> RecordedGame {
        let mut game = RecordedGame::begin(Position::START);
        for _ in 0..n_moves {
            let legal: Vec<_> = game.last_position().legal_moves().iter().collect();
            game.push(legal[number % legal.len()]).unwrap();
            number /= legal.len();
        }
        game
    }

    #[test]
    fn ten_thousand_beginnings_of_games_fit_into_a_subject() {
        let openings = |n: usize| (0..n).map(|number| opening(number, 8)).collect::<Vec<_>>();
        let rule = OpeningRule::listed(openings(OpeningRule::MAX_LISTED)).unwrap();
        let message = OpeningMessage::from(&rule);
        assert!(message.encoded_len() <= MAX_OPENING_BYTES, "{} bytes", message.encoded_len());
        assert!(message.listed.is_empty());
        let bytes = message.encode_to_vec();
        let decoded = OpeningMessage::decode(bytes.as_slice()).unwrap();
        assert_eq!(decoded.clone().checked().unwrap(), rule);
        // Fewer are as they were, for workers of the release before.
        let few = OpeningRule::listed(openings(100)).unwrap();
        assert!(OpeningMessage::from(&few).from_start.is_empty());
        let both = OpeningMessage { listed: OpeningMessage::from(&few).listed, ..decoded };
        let refused = both.checked().unwrap_err().to_string();
        assert!(refused.contains("none beside"), "{refused}");
        let wrong = OpeningMessage { from_start: vec![vec![0]], ..OpeningMessage::default() };
        assert!(wrong.checked().is_err(), "a1 is no move at the start");
    }
}
