//! The vectors that are learned, and their optimizer.

use hatchery_core::StreamRng;
use hatchery_nets::Adam;

use crate::features::{PieceVectors, VECTOR_LEN};
use crate::rules::PieceId;

/// A vector for each kind, and what Adam (Kingma & Ba 2015, Algorithm 1) remembers about each
/// number. The vectors of the first kinds may be fixed: steps do not change them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VectorTable {
    pub(super) n_fixed: usize,
    pub(super) values: Vec<f32>,
    pub(super) means: Vec<f32>,
    pub(super) squares: Vec<f32>,
}

impl VectorTable {
    /// Returns random vectors: numbers from `-bound` to `bound`.
    pub(super) fn random(kinds: usize, bound: f32, rng: &mut StreamRng) -> Self {
        let len = kinds * VECTOR_LEN;
        let values = (0..len).map(|_| bound * (2.0 * rng.unit_f32() - 1.0)).collect();
        Self { n_fixed: 0, values, means: vec![0.0; len], squares: vec![0.0; len] }
    }

    /// Fixes the vectors of the first kinds at the vectors in `vectors`, which has no more kinds
    /// than the table.
    pub(super) fn fix(&mut self, vectors: &PieceVectors) {
        self.n_fixed = vectors.kinds();
        for (piece, row) in (0..self.n_fixed).zip(self.values.chunks_exact_mut(VECTOR_LEN)) {
            let piece = PieceId(u16::try_from(piece).expect("at most 20,000 kinds"));
            row.copy_from_slice(vectors.vector(piece).expect("it is below the number of kinds"));
        }
    }

    /// Returns the vector of a piece.
    pub(super) fn vector(&self, piece: PieceId) -> &[f32] {
        &self.values[usize::from(piece.0) * VECTOR_LEN..][..VECTOR_LEN]
    }

    /// Changes the free vectors by step number `step`, counted from 1, against `gradients`.
    pub(super) fn step(&mut self, adam: &Adam, step: u64, gradients: &[f32]) {
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 steps")]
        let power = |beta: f32| libm::pow(f64::from(beta), step as f64);
        #[expect(clippy::cast_possible_truncation, reason = "rounded to the vectors' precision")]
        let [scale, root] = [adam.beta1, adam.beta2].map(|beta| (1.0 / (1.0 - power(beta))) as f32);
        let first = self.n_fixed * VECTOR_LEN;
        let memory = self.means[first..].iter_mut().zip(&mut self.squares[first..]);
        let numbers = self.values[first..].iter_mut().zip(&gradients[first..]);
        for ((value, gradient), (mean, square)) in numbers.zip(memory) {
            let gradient = gradient + adam.weight_decay * *value;
            *mean = adam.beta1 * *mean + (1.0 - adam.beta1) * gradient;
            *square = adam.beta2 * *square + (1.0 - adam.beta2) * (gradient * gradient);
            *value -= adam.rate * (*mean * scale) / ((*square * root).sqrt() + adam.epsilon);
        }
    }
}
