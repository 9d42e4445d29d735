//! A game: where it starts, and its moves.

use super::RecordError;
use crate::rules::{Position, Square, TurnState};

/// A game that the rules allow: a start position and moves. Passes are not among the moves, as they
/// follow from the positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedGame {
    start: Position,
    moves: Vec<Square>,
    last: Position,
}

/// A move, and the position in which it is made.
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

    /// Returns each move with the position in which it is made.
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
