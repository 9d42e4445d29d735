//! Files of vectors of pieces: safetensors with one tensor, `piece_vectors`, a row of 30 numbers
//! for each kind.

use hatchery_nets::{Tensor, TensorError, TensorFile};

use crate::features::{FEATURE_VERSION, FeatureError, PieceVectors, VECTOR_LEN};
use crate::players::model::file::{FEATURES, GAME, OTHELLONIA, VECTORS, vector_tensor};

/// A file that holds no vectors of pieces.
#[derive(Debug, thiserror::Error)]
pub enum VectorFileError {
    /// The bytes are no file of tensors, or one that lacks the vectors.
    #[error("no file of vectors of pieces")]
    File(#[from] TensorError),
    /// The tensor has another shape.
    #[error("vectors of the shape {found:?}, but it must be [kinds, {VECTOR_LEN}]")]
    Shape {
        /// The shape.
        found: Vec<usize>,
    },
    /// The vectors were learned with other features.
    #[error("vectors for features of another version than {FEATURE_VERSION}")]
    Features,
    /// The file has vectors for no kinds, or for too many kinds.
    #[error("vectors of pieces are invalid")]
    Vectors(#[from] FeatureError),
}

/// Returns the bytes of a file of vectors.
#[must_use]
pub fn encode_vectors(vectors: &PieceVectors) -> Vec<u8> {
    let mut file = TensorFile::default();
    file.tensors.insert(VECTORS.to_owned(), vector_tensor(vectors));
    file.metadata.insert(FEATURES.to_owned(), FEATURE_VERSION.to_string());
    file.metadata.insert(GAME.to_owned(), OTHELLONIA.to_owned());
    file.encode()
}

/// Returns the vectors of a file.
///
/// # Errors
/// If the bytes are no file of vectors for these features.
pub fn decode_vectors(bytes: &[u8]) -> Result<PieceVectors, VectorFileError> {
    let file = TensorFile::decode(bytes)?;
    if file.metadata.get(FEATURES) != Some(&FEATURE_VERSION.to_string()) {
        return Err(VectorFileError::Features);
    }
    let Tensor { shape, values } = file.tensor(VECTORS)?;
    match shape.as_slice() {
        [_, VECTOR_LEN] => Ok(PieceVectors::new(values)?),
        _ => Err(VectorFileError::Shape { found: shape.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::{RunSeed, error_chain};

    use super::*;
    use crate::pool::MAX_KINDS;

    #[test]
    fn vectors_come_back() {
        let mut rng = RunSeed::new("vector files", 1).generation(0).stream("vectors");
        let vectors = PieceVectors::random(7, &mut rng).unwrap();
        let bytes = encode_vectors(&vectors);
        assert_eq!(decode_vectors(&bytes).unwrap(), vectors);
        for n_bytes in [0, 9, bytes.len() - 1] {
            assert!(decode_vectors(&bytes[..n_bytes]).is_err(), "{n_bytes}");
        }
        let mut file = TensorFile::decode(&bytes).unwrap();
        let kinds = MAX_KINDS + 1;
        file.insert(VECTORS, &[kinds, VECTOR_LEN], &vec![0.5; kinds * VECTOR_LEN]);
        let expected = "vectors of pieces are invalid: 600030 numbers, but a table has 30 for \
                        each of 1 to 20000 kinds";
        assert_eq!(error_chain(&decode_vectors(&file.encode()).unwrap_err()), expected);
    }
}
