//! Encodings of pieces that belong to a network.

use crate::features::{FeatureError, FeatureLayout, PieceEncoding, PieceVectors};

/// The encoding of pieces that a network was trained with.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEncoding {
    /// A vector for each kind: see [`PieceEncoding::Vectors`].
    Vectors(PieceVectors),
    /// A column for each kind of a pool: see [`PieceEncoding::OneHotPool`].
    PoolOneHot {
        /// The number of kinds, from 1 to 20,000.
        kinds: usize,
    },
    /// A column for each piece of a deck: see [`PieceEncoding::OneHotDeck`].
    DeckOneHot,
}

impl ModelEncoding {
    /// Returns the layout of rows in this encoding.
    ///
    /// # Errors
    /// If it has no kinds, or too many.
    pub fn layout(&self) -> Result<FeatureLayout<'_>, FeatureError> {
        FeatureLayout::new(match self {
            Self::Vectors(vectors) => PieceEncoding::Vectors(vectors),
            Self::PoolOneHot { kinds } => PieceEncoding::OneHotPool { kinds: *kinds },
            Self::DeckOneHot => PieceEncoding::OneHotDeck,
        })
    }

    /// Returns the number of kinds that have features; `None` if all have.
    #[must_use]
    pub const fn kinds(&self) -> Option<usize> {
        match self {
            Self::Vectors(vectors) => Some(vectors.kinds()),
            Self::PoolOneHot { kinds } => Some(*kinds),
            Self::DeckOneHot => None,
        }
    }
}
