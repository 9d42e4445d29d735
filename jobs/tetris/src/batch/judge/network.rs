//! Neural networks.

use super::{Features, Judge, TieBreaker, all};
use crate::batch::vectors::{Block, Bytes, Floats, N_BLOCKS};
use crate::players::{Evaluate, Network};

impl Judge for Network {
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
        <Self as Evaluate>::add(sum, weight, value);
    }

    #[inline(always)]
    fn tie_breaker(&self) -> Option<&TieBreaker> {
        None
    }

    /// The operations of [`Evaluate::value`] in the same order.
    #[inline(always)]
    fn values<B: Bytes, const REMOVED: bool>(&self, features: &impl Features<B>) -> Floats<B> {
        let splat = B::Block::splat;
        let features = all(features);
        let mut values = [splat(self.output_bias()); N_BLOCKS];
        for (block, value) in values.iter_mut().enumerate() {
            for neuron in self.neurons() {
                let mut sum = splat(neuron.bias);
                for (idx, (feature, weight)) in features.iter().zip(neuron.weights).enumerate() {
                    if idx != 1 || REMOVED {
                        sum = sum.add(feature[block].mul(splat(weight)));
                    }
                }
                // As `Neuron::squash`.
                let x = sum.max(splat(-3.0)).min(splat(3.0));
                let square = x.mul(x);
                let above = x.mul(splat(27.0).add(square));
                let squashed = above.div(splat(27.0).add(splat(9.0).mul(square)));
                *value = value.add(splat(neuron.output).mul(squashed));
            }
        }
        values
    }
}
