//! A game: where it starts, and its moves.

use hatchery_core::{InvalidValue, WireValue, error_chain};

use super::RecordError;
use crate::rules::{DiscColor, Position, Square, SquareSet, TurnState};

/// A game that the rules allow: a start position and moves. Passes are not among the moves, as they
/// follow from the positions.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(try_from = GameMessage)]
pub struct RecordedGame {
    start: Position,
    moves: Vec<Square>,
    last: Position,
}

/// A [`RecordedGame`] on the wire: where it starts, and a byte for each move.
#[derive(WireValue)]
struct GameMessage {
    #[wire(tag = 1, fixed)]
    black: u64,
    #[wire(tag = 2, fixed)]
    white: u64,
    #[wire(tag = 3)]
    white_to_move: bool,
    #[wire(tag = 4)]
    moves: Vec<Square>,
}

impl From<&RecordedGame> for GameMessage {
    fn from(RecordedGame { start, moves, .. }: &RecordedGame) -> Self {
        Self {
            black: start.discs(DiscColor::Black).bits(),
            white: start.discs(DiscColor::White).bits(),
            white_to_move: start.turn() == DiscColor::White,
            moves: moves.clone(),
        }
    }
}

impl TryFrom<GameMessage> for RecordedGame {
    type Error = InvalidValue;

    fn try_from(message: GameMessage) -> Result<Self, InvalidValue> {
        let GameMessage { black, white, white_to_move, moves } = message;
        let turn = if white_to_move { DiscColor::White } else { DiscColor::Black };
        let start = Position::new(SquareSet::from_bits(black), SquareSet::from_bits(white), turn)
            .map_err(|_| {
            let both = format!("also on {}", SquareSet::from_bits(black & white));
            InvalidValue::new("white", &both, "on squares without a black disc")
        })?;
        Self::of_moves(start, &moves)
    }
}

/// A move, and the position before the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedTurn {
    /// The position; the player to move is the one that makes the move.
    pub position: Position,
    /// The square of the move.
    pub square: Square,
}

impl RecordedGame {
    /// Returns the game of `moves` from `start`, where players that must pass do.
    ///
    /// # Errors
    /// If a move is illegal.
    pub fn new(start: Position, moves: &[Square]) -> Result<Self, RecordError> {
        let mut game = Self::begin(start);
        for &square in moves {
            game.push(square)?;
        }
        Ok(game)
    }

    /// Returns the game of `moves` from `start`, as [`new`](Self::new) does, with the error of a
    /// value on the wire.
    pub(crate) fn of_moves(start: Position, moves: &[Square]) -> Result<Self, InvalidValue> {
        Self::new(start, moves).map_err(|error| {
            InvalidValue::new("moves", &error_chain(&error), "moves that the rules allow")
        })
    }

    /// Returns a game without moves.
    #[must_use]
    pub fn begin(start: Position) -> Self {
        Self { start, moves: Vec::new(), last: start.settled() }
    }

    /// Adds a move. Its ply in errors is the number of moves before it, plus 1.
    ///
    /// # Errors
    /// If the move is illegal. The game is then as before.
    pub fn push(&mut self, square: Square) -> Result<(), RecordError> {
        let ply = self.moves.len() + 1;
        let next = self.last.apply(square).map_err(|source| RecordError::Move { ply, source })?;
        self.last = next.settled();
        self.moves.push(square);
        Ok(())
    }

    /// Returns the start position.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the moves.
    #[must_use]
    pub fn moves(&self) -> &[Square] {
        &self.moves
    }

    /// Returns the position after all moves, and after the pass that follows if one does.
    #[must_use]
    pub fn last_position(&self) -> &Position {
        &self.last
    }

    /// Returns the half points of the player with `color` in a game that is over: 0, 1 or 2.
    pub(crate) fn half_points(&self, color: DiscColor) -> u8 {
        let discs = |color| self.last.discs(color).len();
        let (own, other) = (discs(color), discs(color.opponent()));
        u8::from(other < own) + u8::from(other <= own)
    }

    /// Returns whether the game is over: [`TurnState::Over`] or [`TurnState::CanMove`].
    #[must_use]
    pub fn state(&self) -> TurnState {
        self.last.state()
    }

    /// Returns the game if it is over.
    ///
    /// # Errors
    /// If it is not.
    pub fn require_end(self) -> Result<Self, RecordError> {
        match self.state() {
            TurnState::Over => Ok(self),
            TurnState::CanMove | TurnState::MustPass => {
                let (plies, turn) = (self.moves.len(), self.last.turn());
                Err(RecordError::Unfinished { plies, turn })
            }
        }
    }

    /// Returns each move with the position before the move.
    pub fn turns(&self) -> impl Iterator<Item = RecordedTurn> + '_ {
        let mut position = self.start.settled();
        self.moves.iter().map_while(move |&square| {
            let turn = RecordedTurn { position, square };
            // All moves are legal: they were checked when they were added.
            position = position.apply(square).ok()?.settled();
            Some(turn)
        })
    }
}
