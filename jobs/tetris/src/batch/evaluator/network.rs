//! The batch evaluator for neural networks.

use super::{BatchEvaluator, FeatureVectors, TieBreaker, all};
use crate::batch::vectors::{ByteVector, FloatBlock, FloatBlocks, N_BLOCKS};
use crate::players::{BoardEvaluator, NeuralNetwork};

impl BatchEvaluator for NeuralNetwork {
    type Value = f32;
    type Scalar = Self;

    const RELATIVE: bool = false;

    fn scalar(&self) -> &Self {
        self
    }

    #[inline(always)]
    fn needs_diversity(&self) -> bool {
        false
    }

    fn add(&self, sum: &mut f64, weight: u32, value: f32) {
        <Self as BoardEvaluator>::add(sum, weight, value);
    }

    #[inline(always)]
    fn tie_breaker(&self) -> Option<&TieBreaker> {
        None
    }

    /// Performs the operations of [`BoardEvaluator::value`] in the same order.
    #[inline(always)]
    fn values<B: ByteVector, const REMOVED: bool>(
        &self,
        features: &impl FeatureVectors<B>,
    ) -> FloatBlocks<B> {
        let splat = B::Block::splat;
        let features = all(features);
        let mut values = [splat(self.output_bias()); N_BLOCKS];
        // All blocks of one neuron before the next, so that each weight is loaded once.
        for neuron in self.neurons() {
            let mut sums = [splat(neuron.bias); N_BLOCKS];
            for (idx, (feature, weight)) in features.iter().zip(neuron.weights).enumerate() {
                if idx != 1 || REMOVED {
                    let weight = splat(weight);
                    for (sum, feature) in sums.iter_mut().zip(feature) {
                        *sum = sum.add(feature.mul(weight));
                    }
                }
            }
            let output = splat(neuron.output);
            for (value, sum) in values.iter_mut().zip(sums) {
                // As `HiddenNeuron::squash`.
                let x = sum.max(splat(-3.0)).min(splat(3.0));
                let square = x.mul(x);
                let above = x.mul(splat(27.0).add(square));
                let squashed = above.div(splat(27.0).add(splat(9.0).mul(square)));
                *value = value.add(output.mul(squashed));
            }
        }
        values
    }
}
