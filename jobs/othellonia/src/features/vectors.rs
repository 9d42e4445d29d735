//! Vectors that stand for kinds of pieces.

use hatchery_core::StreamRng;

use super::error::FeatureError;
use super::scale::VECTOR_LEN;
use crate::pool::MAX_KINDS;
use crate::rules::PieceId;

/// A table of vectors: 30 finite numbers for each kind of a pool, by the piece's number. A plain
/// piece, an unknown piece and no piece are zeros.
#[derive(Clone, Debug, PartialEq)]
pub struct PieceVectors {
    vectors: Vec<[f32; VECTOR_LEN]>,
}

impl PieceVectors {
    /// Returns the table with these numbers: first piece 0's numbers, then piece 1's numbers.
    ///
    /// # Errors
    /// If they are not 30 for each of 1 to 20,000 kinds, or one is not finite.
    pub fn new(values: &[f32]) -> Result<Self, FeatureError> {
        let (vectors, rest) = values.as_chunks();
        if vectors.is_empty() || MAX_KINDS < vectors.len() || !rest.is_empty() {
            return Err(FeatureError::TableSize { found: values.len() });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let (piece, place) = (at / VECTOR_LEN, at % VECTOR_LEN);
            return Err(FeatureError::NotFinite { piece, place, found: values[at] });
        }
        Ok(Self { vectors: vectors.to_vec() })
    }

    /// Returns random vectors for a pool: numbers from -1 to 1. The vectors for a larger pool begin
    /// with the vectors for a smaller pool.
    ///
    /// # Errors
    /// If there are no kinds, or too many.
    pub fn random(kinds: usize, rng: &mut StreamRng) -> Result<Self, FeatureError> {
        if kinds == 0 || MAX_KINDS < kinds {
            return Err(FeatureError::Kinds { found: kinds });
        }
        let vector = |_| std::array::from_fn(|_| 2.0 * rng.unit_f32() - 1.0);
        Ok(Self { vectors: (0..kinds).map(vector).collect() })
    }

    /// Returns the number of kinds.
    #[must_use]
    pub const fn kinds(&self) -> usize {
        self.vectors.len()
    }

    /// Returns the vector of a piece.
    #[must_use]
    pub fn vector(&self, piece: PieceId) -> Option<&[f32; VECTOR_LEN]> {
        self.vectors.get(usize::from(piece.0))
    }
}
