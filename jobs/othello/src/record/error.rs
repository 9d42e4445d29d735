//! Errors in records of games.

use std::fmt;

use crate::rules::{DiscColor, MoveError, PositionError, SquareError};

/// The reason why bytes are no record, or a record is no game.
///
/// Plies are counted from 1, passes among them where the format writes passes. Bytes are counted
/// from 0, from the beginning of the input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A move or a pass is illegal.
    #[error("ply {ply}: illegal move")]
    Move {
        /// The ply.
        ply: usize,
        /// The rule that it breaks.
        source: MoveError,
    },
    /// A move names no square.
    #[error("ply {ply}, byte {offset}: not a move")]
    Square {
        /// The ply.
        ply: usize,
        /// The place in the input.
        offset: usize,
        /// The text, and the squares.
        source: SquareError,
    },
    /// A transcript ends within a move.
    #[error("byte {offset}: `{found}` is half a move; each move has a letter and a digit")]
    HalfMove {
        /// The place in the input.
        offset: usize,
        /// The half.
        found: String,
    },
    /// The text is in a notation that is known, but not read here.
    #[error("this is {found}; {right}")]
    Notation {
        /// The notation.
        found: &'static str,
        /// A description of what is read.
        right: &'static str,
    },
    /// None of several games can be read.
    #[error("none of the games can be read, such as the first")]
    NoneReadable {
        /// The error of the first game.
        #[source]
        first: Box<Self>,
    },
    /// The game is not finished.
    #[error("the game stops after ply {plies}, where {turn} can still move")]
    Unfinished {
        /// The number of plies.
        plies: usize,
        /// The player that can move.
        turn: DiscColor,
    },
    /// A move is written for the wrong player.
    #[error("ply {ply}: a move of {found}, but {right} is to move")]
    WrongTurn {
        /// The ply.
        ply: usize,
        /// The player that the record names.
        found: DiscColor,
        /// The player to move.
        right: DiscColor,
    },
    /// The result contradicts the moves.
    #[error("the result is {found}, but the game ends {right} for black")]
    Result {
        /// The score that the record names, from black's view.
        found: i32,
        /// The score on the board.
        right: i32,
    },
    /// A board is none.
    #[error("byte {offset}: not a board")]
    Board {
        /// The place in the input.
        offset: usize,
        /// A description of the mistake.
        source: PositionError,
    },
    /// Something is expected at this byte, and another thing is there, or the end.
    #[error("byte {offset}: expected {right}, found {found}")]
    Expected {
        /// The place in the input.
        offset: usize,
        /// The bytes there, shortened, in backticks, or `the end`.
        found: String,
        /// A description of right values.
        right: &'static str,
    },
    /// A field has a value that it cannot have.
    #[error("{field}: `{found}`; it is {right}")]
    Field {
        /// The field.
        field: RecordField,
        /// The value, shortened.
        found: String,
        /// A description of right values.
        right: &'static str,
    },
    /// A required field is missing.
    #[error("{field} is missing")]
    Missing {
        /// The field.
        field: RecordField,
    },
    /// A field comes twice.
    #[error("byte {offset}: {field} comes twice")]
    Twice {
        /// The place in the input of the second one.
        offset: usize,
        /// The field.
        field: RecordField,
    },
    /// A WTHOR file is not as long as its records.
    #[error("{found} bytes; a file of {n} {what} has 16 + {each} x {n} = {right}")]
    FileSize {
        /// The number of bytes.
        found: usize,
        /// The records: `games`, `players` or `tournaments`.
        what: &'static str,
        /// The number of bytes of each.
        each: u64,
        /// The number of records that the header names.
        n: u64,
        /// The number of bytes that they take.
        right: u64,
    },
    /// An archive has more games than are read.
    #[error("more than {most} games; take fewer files, or cut this one into several")]
    TooManyGames {
        /// The most games.
        most: usize,
    },
    /// A game of an archive has no moves.
    #[error("the game has no moves")]
    NoMoves,
    /// An archive has no game at all.
    #[error("no game is here; games are in WTHOR, in GGF, or transcripts, a line each")]
    NoGames,
    /// An error in one of several games or lines.
    #[error("{what} {number}")]
    Part {
        /// `game` or `line`.
        what: &'static str,
        /// Its number, counted from 1.
        number: usize,
        /// The error.
        source: Box<Self>,
    },
}

impl RecordError {
    /// Returns the error of a field with a value that it cannot have.
    pub(super) fn field(name: &str, found: &impl fmt::Display, right: &'static str) -> Self {
        Self::Field { field: RecordField::new(name), found: found.to_string(), right }
    }

    /// Returns the error as that of game or line `number`, counted from 1.
    pub(super) fn of(self, what: &'static str, number: usize) -> Self {
        Self::Part { what, number, source: Box::new(self) }
    }
}

/// A field of a record: the property of a GGF game, or the name of a field of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordField(pub(super) String);

impl RecordField {
    pub(super) fn new(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl fmt::Display for RecordField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field {}", self.0)
    }
}
