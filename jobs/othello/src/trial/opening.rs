//! The openings that games begin with.

use hatchery_core::wire::Bytes;
use hatchery_core::{DecodeError, InvalidValue, StreamRng, WireValue};

use crate::players::is_over;
use crate::record::RecordedGame;
use crate::rules::{Position, Square, TurnState};

/// The openings of a series: each pair of games has one.
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(try_from = OpeningMessage)]
pub enum OpeningRule {
    /// Uniformly random moves from the start of the game.
    Random {
        /// The smallest number of moves.
        min_plies: u32,
        /// The largest number of moves, at most [`MAX_RANDOM_PLIES`](Self::MAX_RANDOM_PLIES).
        max_plies: u32,
    },
    /// Any of these, all with the same probability: at least one, and none is over.
    Listed(Vec<RecordedGame>),
}

impl OpeningRule {
    /// The largest number of random moves: no game ends before the ninth.
    pub const MAX_RANDOM_PLIES: u32 = 8;

    /// The largest number of listed openings.
    pub const MAX_LISTED: usize = 10_000;

    /// Returns the rule that begins every game at the start.
    #[must_use]
    pub fn start() -> Self {
        Self::Listed(vec![RecordedGame::begin(Position::START)])
    }

    /// Returns the rule of random moves; `None` if the numbers are out of range.
    #[must_use]
    pub fn random(min_plies: u32, max_plies: u32) -> Option<Self> {
        let is_range = min_plies <= max_plies && max_plies <= Self::MAX_RANDOM_PLIES;
        is_range.then_some(Self::Random { min_plies, max_plies })
    }

    /// Returns the rule of these openings; `None` if there are none, or too many, or one is over.
    #[must_use]
    pub fn listed(openings: Vec<RecordedGame>) -> Option<Self> {
        let is_open = |game: &RecordedGame| game.state() == TurnState::CanMove;
        let is_fine = (1..=Self::MAX_LISTED).contains(&openings.len());
        (is_fine && openings.iter().all(is_open)).then_some(Self::Listed(openings))
    }

    /// Draws an opening.
    pub(crate) fn draw(&self, rng: &mut StreamRng) -> RecordedGame {
        match self {
            Self::Random { min_plies, max_plies } => {
                let plies = min_plies + rng.below(max_plies - min_plies + 1);
                let mut game = RecordedGame::begin(Position::START);
                for _ in 0..plies {
                    let legal = game.last_position().legal_moves();
                    let n = rng.below(legal.len().max(1));
                    let square = legal.iter().nth(n as usize).expect("no game ends so early");
                    game.push(square).expect("a legal move");
                }
                game
            }
            Self::Listed(openings) => {
                let n = u32::try_from(openings.len()).unwrap_or(u32::MAX);
                openings[rng.below(n.max(1)) as usize].clone()
            }
        }
    }
}

/// An [`OpeningRule`] on the wire: random moves, or listed openings.
#[derive(Default, WireValue)]
pub(crate) struct OpeningMessage {
    #[wire(tag = 1, length(max = OpeningRule::MAX_LISTED))]
    listed: Vec<RecordedGame>,
    #[wire(tag = 2)]
    min_plies: u32,
    #[wire(tag = 3)]
    max_plies: u32,
    /// Listed openings from the start of the game, in place of `listed`: a byte for each move. The
    /// form of lists that would take too many bytes otherwise.
    #[wire(tag = 4, length(max = OpeningRule::MAX_LISTED))]
    from_start: Vec<Bytes>,
}

impl OpeningMessage {
    /// The most bytes of the openings of a series: somewhat less than a subject may have.
    pub(crate) const MAX_BYTES: usize = 250_000;

    /// The bytes of the length before a message of so many bytes.
    const LENGTH_BYTES: usize = 3;

    /// Returns the number of bytes of a long message.
    pub(crate) fn n_bytes(&self) -> usize {
        self.encode().len().saturating_sub(Self::LENGTH_BYTES)
    }
}

impl From<&OpeningRule> for OpeningMessage {
    fn from(rule: &OpeningRule) -> Self {
        let openings = match rule {
            OpeningRule::Random { min_plies, max_plies } => {
                return Self { min_plies: *min_plies, max_plies: *max_plies, ..Self::default() };
            }
            OpeningRule::Listed(openings) => openings,
        };
        let message = Self { listed: openings.clone(), ..Self::default() };
        let are_from_start = openings.iter().all(|game| *game.start() == Position::START);
        if !are_from_start || message.n_bytes() <= Self::MAX_BYTES {
            return message;
        }
        let moves =
            |game: &RecordedGame| game.moves().iter().map(|square| square.index()).collect();
        Self { from_start: openings.iter().map(moves).collect(), ..Self::default() }
    }
}

impl TryFrom<OpeningMessage> for OpeningRule {
    type Error = DecodeError;

    fn try_from(message: OpeningMessage) -> Result<Self, DecodeError> {
        let OpeningMessage { mut listed, min_plies, max_plies, from_start } = message;
        if !from_start.is_empty() {
            if !listed.is_empty() {
                let expected = "none beside `from_start`";
                return Err(DecodeError::field("listed", &listed.len(), expected));
            }
            listed =
                from_start.iter().map(|moves| game_from_start(moves)).collect::<Result<_, _>>()?;
        }
        if listed.is_empty() {
            let most = Self::MAX_RANDOM_PLIES;
            let expected = format!("at least `min_plies`, {min_plies}, and at most {most}");
            return Self::random(min_plies, max_plies)
                .ok_or_else(|| DecodeError::field("max_plies", &max_plies, expected));
        }
        for (field, plies) in [("min_plies", min_plies), ("max_plies", max_plies)] {
            if plies != 0 {
                return Err(DecodeError::field(field, &plies, "0 beside listed openings"));
            }
        }
        if let Some(over) = listed.iter().position(|game| is_over(game.last_position())) {
            let key = format!("listed.{over}");
            return Err(DecodeError::field(&key, "over", "a game that goes on"));
        }
        Ok(Self::Listed(listed))
    }
}

/// Returns the game of these moves, a byte each.
fn game_from_start(moves: &[u8]) -> Result<RecordedGame, InvalidValue> {
    let moves: Vec<Square> = moves
        .iter()
        .map(|&index| Square::try_from(index))
        .collect::<Result<_, _>>()
        .map_err(|invalid| invalid.under("from_start"))?;
    RecordedGame::of_moves(Position::START, &moves)
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
        assert!(message.n_bytes() <= OpeningMessage::MAX_BYTES, "{} bytes", message.n_bytes());
        assert!(message.listed.is_empty());
        assert_eq!(OpeningRule::decode(&rule.encode()).unwrap(), rule);
        // Fewer are as they were, for workers of the release before.
        let few = OpeningMessage::from(&OpeningRule::listed(openings(100)).unwrap());
        assert!(few.from_start.is_empty());
        let check = |message: OpeningMessage, expected: &str| {
            let refused = OpeningRule::decode(&message.encode()).unwrap_err().to_string();
            assert!(refused.contains(expected), "{refused}");
        };
        check(OpeningMessage { listed: few.listed, ..message }, "none beside");
        // a1 is no move at the start.
        let wrong = vec![Bytes::from_static(&[0])];
        check(OpeningMessage { from_start: wrong, ..OpeningMessage::default() }, "illegal move");
    }
}
