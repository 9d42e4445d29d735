//! Encodings of pieces: vectors, or one-hot.

use super::error::FeatureError;
use super::scale::VECTOR_LEN;
use super::sight::SlotContent;
use super::sink::{Block, FeatureSink};
use super::vectors::PieceVectors;
use crate::pool::MAX_KINDS;
use crate::rules::{DECK_PIECES, GameDeck, PieceId};

/// The columns that tell which piece is in a slot.
#[derive(Clone, Copy, Debug)]
pub enum PieceEncoding<'a> {
    /// The vector of the piece; zeros for a plain piece, an unknown one and none. The width does
    /// not depend on the number of kinds.
    Vectors(&'a PieceVectors),
    /// A column for each kind of a pool; zeros for a plain piece, an unknown one and none.
    OneHotPool {
        /// The number of kinds, from 1 to 20,000.
        kinds: usize,
    },
    /// A column for each piece of the deck that the piece belongs to, one for a plain piece, and
    /// one for an unknown piece; zeros for none.
    OneHotDeck,
}

/// The columns of plain and of unknown pieces in one-hot rows of a deck, and the number of columns.
const DECK_PLAIN: usize = DECK_PIECES;
const DECK_UNKNOWN: usize = DECK_PIECES + 1;
const DECK_WIDTH: usize = DECK_PIECES + 2;

impl PieceEncoding<'_> {
    /// Returns the number of columns.
    #[must_use]
    pub const fn width(&self) -> usize {
        match self {
            Self::Vectors(_) => VECTOR_LEN,
            Self::OneHotPool { kinds } => *kinds,
            Self::OneHotDeck => DECK_WIDTH,
        }
    }

    /// Returns the number of kinds that have features; `None` if all have.
    const fn kinds(&self) -> Option<usize> {
        match self {
            Self::Vectors(vectors) => Some(vectors.kinds()),
            Self::OneHotPool { kinds } => Some(*kinds),
            Self::OneHotDeck => None,
        }
    }

    /// Checks the number of kinds.
    pub(super) const fn check(&self) -> Result<(), FeatureError> {
        match self.kinds() {
            Some(found) if found == 0 || MAX_KINDS < found => Err(FeatureError::Kinds { found }),
            _ => Ok(()),
        }
    }

    /// Checks that all pieces of the decks have features.
    pub(super) fn check_decks(&self, decks: [&GameDeck; 2]) -> Result<(), FeatureError> {
        let Some(kinds) = self.kinds() else { return Ok(()) };
        let mut ids = decks.into_iter().flat_map(GameDeck::pieces).map(|piece| piece.id);
        match ids.find(|PieceId(id)| kinds <= usize::from(*id)) {
            Some(PieceId(piece)) => Err(FeatureError::UnknownPiece { piece, kinds }),
            None => Ok(()),
        }
    }

    /// Describes a column of a slot.
    pub(super) fn describe(&self, column: usize) -> String {
        match self {
            Self::Vectors(_) => format!("vector {column}"),
            Self::OneHotPool { .. } => format!("piece {column}"),
            Self::OneHotDeck => match column {
                DECK_PLAIN => "plain piece".to_owned(),
                DECK_UNKNOWN => "unknown piece".to_owned(),
                _ => format!("piece {} of its deck", column + 1),
            },
        }
    }

    /// Writes what is in a slot; the decks were checked.
    #[inline]
    pub(super) fn write<S: FeatureSink>(&self, content: SlotContent<'_>, mut to: Block<'_, S>) {
        let index = match (self, content) {
            (Self::OneHotDeck, SlotContent::Plain) => DECK_PLAIN,
            (Self::OneHotDeck, SlotContent::Unknown) => DECK_UNKNOWN,
            (Self::OneHotDeck, SlotContent::Piece(known)) => known.index,
            (Self::OneHotPool { .. }, SlotContent::Piece(known)) => usize::from(known.piece.id.0),
            (Self::Vectors(vectors), SlotContent::Piece(known)) => {
                let vector = vectors.vector(known.piece.id).expect("the decks were checked");
                for (column, &value) in vector.iter().enumerate() {
                    to.set(column, value);
                }
                return;
            }
            _ => return,
        };
        to.set(index, 1.0);
    }
}
