//! The vectors that are learned, and their optimizer.

use hatchery_core::StreamRng;
use hatchery_nets::Adam;

use crate::features::VECTOR_LEN;
use crate::rules::PieceId;

/// A vector for each kind, and what Adam (Kingma & Ba 2015, Algorithm 1) remembers of each number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VectorTable {
    pub(super) values: Vec<f32>,
    pub(super) means: Vec<f32>,
    pub(super) squares: Vec<f32>,
}

impl VectorTable {
    /// Returns random vectors: numbers from `-bound` to `bound`.
    pub(super) fn random(kinds: usize, bound: f32, rng: &mut StreamRng) -> Self {
        let len = kinds * VECTOR_LEN;
        let values = (0..len).map(|_| bound * (2.0 * rng.unit_f32() - 1.0)).collect();
        Self { values, means: vec![0.0; len], squares: vec![0.0; len] }
    }

    /// Returns the vector of a piece.
    pub(super) fn vector(&self, piece: PieceId) -> &[f32] {
        &self.values[usize::from(piece.0) * VECTOR_LEN..][..VECTOR_LEN]
    }

    /// Changes the vectors by step number `step`, counted from 1, against `gradients`.
    pub(super) fn step(&mut self, adam: &Adam, step: u64, gradients: &[f32]) {
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 steps")]
        let power = |beta: f32| libm::pow(f64::from(beta), step as f64);
        #[expect(clippy::cast_possible_truncation, reason = "rounded to the vectors' precision")]
        let [scale, root] = [adam.beta1, adam.beta2].map(|beta| (1.0 / (1.0 - power(beta))) as f32);
        let memory = self.means.iter_mut().zip(&mut self.squares);
        for ((value, gradient), (mean, square)) in self.values.iter_mut().zip(gradients).zip(memory)
        {
            let gradient = gradient + adam.weight_decay * *value;
            *mean = adam.beta1 * *mean + (1.0 - adam.beta1) * gradient;
            *square = adam.beta2 * *square + (1.0 - adam.beta2) * (gradient * gradient);
            *value -= adam.rate * (*mean * scale) / ((*square * root).sqrt() + adam.epsilon);
        }
    }
}
