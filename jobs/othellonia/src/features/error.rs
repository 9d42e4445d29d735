//! Errors of features.

use super::scale::VECTOR_LEN;
use crate::pool::MAX_KINDS;
use crate::rules::ActionError;

/// Features that cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FeatureError {
    /// A table of vectors does not have 30 numbers for each of its kinds.
    #[error("{found} numbers, but a table has {VECTOR_LEN} for each of 1 to {MAX_KINDS} kinds")]
    TableSize {
        /// The number of numbers.
        found: usize,
    },
    /// A number of a table of vectors is not finite.
    #[error("number {place} of the vector of piece {piece} is {found}, but must be finite")]
    NotFinite {
        /// The piece's number in the pool.
        piece: usize,
        /// The number's place in the vector, counted from 0.
        place: usize,
        /// The number.
        found: f32,
    },
    /// An encoding has no kinds, or too many.
    #[error("{found} kinds of pieces, but features have from 1 to {MAX_KINDS}")]
    Kinds {
        /// The number of kinds.
        found: usize,
    },
    /// A deck has a piece that the encoding lacks.
    #[error("piece {piece} has no features: those of the pieces from 0 to {} are known", kinds - 1)]
    UnknownPiece {
        /// The piece's number in the pool.
        piece: u16,
        /// The number of kinds.
        kinds: usize,
    },
    /// A row does not have the length that the layout says.
    #[error("a row of {found} numbers, but must be of {expected}")]
    RowLength {
        /// The row's length.
        found: usize,
        /// The length that the layout says.
        expected: usize,
    },
    /// The action is not legal.
    #[error("the action has no features")]
    Action(#[from] ActionError),
}
