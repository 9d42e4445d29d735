//! Neighbors of pieces: those whose vectors point in the same direction.

use crate::features::PieceVectors;
use crate::rules::PieceId;

/// A piece near another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbor {
    /// The piece.
    pub piece: PieceId,
    /// The cosine of the angle between both vectors, from -1 to 1; 0 if either vector is zero.
    pub cosine: f64,
}

/// Returns the `n` pieces among `others` that are nearest to `piece`, the nearest first and of
/// equals that with the smaller number; fewer if there are not as many. The piece itself and pieces
/// without vectors are left out.
#[must_use]
pub fn neighbors(
    vectors: &PieceVectors,
    piece: PieceId,
    others: impl IntoIterator<Item = PieceId>,
    n: usize,
) -> Vec<Neighbor> {
    let Some(vector) = vectors.vector(piece) else { return Vec::new() };
    let others = others.into_iter().filter(|&other| other != piece);
    let mut found: Vec<_> = others
        .filter_map(|piece| {
            Some(Neighbor { piece, cosine: cosine(vector, vectors.vector(piece)?) })
        })
        .collect();
    found.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.piece.cmp(&b.piece)));
    found.truncate(n);
    found
}

/// Returns the cosine of the angle between two vectors.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
    };
    // The squares of 32-bit floats do not underflow as 64-bit floats.
    let norms = product(a, a).sqrt() * product(b, b).sqrt();
    if norms == 0.0 { 0.0 } else { product(a, b) / norms }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::VECTOR_LEN;

    #[test]
    fn the_nearest_point_in_the_same_direction() {
        let mut values = vec![0.0; 5 * VECTOR_LEN];
        for (piece, [x, y]) in
            [[1.0, 0.0], [3.0, 3.0], [9.0, 0.1], [-1.0, 0.0], [0.0, 0.0]].into_iter().enumerate()
        {
            values[piece * VECTOR_LEN] = x;
            values[piece * VECTOR_LEN + 1] = y;
        }
        let vectors = PieceVectors::new(&values).unwrap();
        let found = neighbors(&vectors, PieceId(0), (0..9).map(PieceId), 3);
        assert_eq!(found.iter().map(|it| it.piece.0).collect::<Vec<_>>(), [2, 1, 4]);
        assert!((found[1].cosine - 0.5_f64.sqrt()).abs() < 1e-12 && found[2].cosine == 0.0);
    }
}
