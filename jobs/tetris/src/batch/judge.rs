//! Controllers that value many boards at once, each value equal to the bit to that of
//! [`Evaluate`](crate::players).

use super::kernel::FeatureLanes;
use super::lanes::{Lane, Lanes};
use crate::players::{Evaluate, Linear, Network, Neuron};
use crate::rules::BoardSize;

/// What values boards.
pub(super) trait Judge {
    /// A value; the larger, the better. It also holds small integers.
    type Value: PartialOrd + Copy + From<u8>;

    /// The same for one board.
    type Scalar: Evaluate;

    /// Less than any value.
    const WORST: Self::Value;

    fn scalar(&self) -> &Self::Scalar;

    /// As [`Evaluate::add`].
    fn add(&self, sum: &mut <Self::Scalar as Evaluate>::Sum, weight: u32, value: Self::Value);

    /// The integer that a value holds.
    fn index(value: Self::Value) -> usize;

    /// The value of each board. `REMOVED` says whether rows may have been removed, `DIVERSITY`
    /// whether pattern diversity counts; without, those features are 0.
    fn values<L: Lanes, const REMOVED: bool, const DIVERSITY: bool>(
        &self,
        features: &FeatureLanes<L>,
    ) -> L::Each<Self::Value>;
}

/// A linear controller in 64-bit floats, all of whose sums are integers that those hold exactly.
pub(super) struct ExactLinear<'a> {
    weights: [f64; 9],
    linear: &'a Linear,
}

impl<'a> ExactLinear<'a> {
    /// `linear` for boards of `size`, unless weights are so large that floats would round.
    pub(super) fn new(linear: &'a Linear, size: BoardSize) -> Option<Self> {
        const EXACT: u64 = 1 << 53;
        // No feature exceeds the wells of columns that are empty but for walls on all sides.
        let most = u64::from(size.width() * size.height() * (size.height() + 1));
        let mut weights = linear.scaled().map(|weight| 2 * weight);
        // Landing height is doubled already.
        weights[0] /= 2;
        let sum = weights.iter().map(|weight| weight.unsigned_abs()).sum::<u64>();
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let exact = || Self { weights: weights.map(|weight| weight as f64), linear };
        (sum.checked_mul(most)? < EXACT).then(exact)
    }
}

impl Judge for ExactLinear<'_> {
    type Value = f64;
    type Scalar = Linear;

    const WORST: f64 = f64::NEG_INFINITY;

    fn scalar(&self) -> &Linear {
        self.linear
    }

    #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
    fn add(&self, sum: &mut i128, weight: u32, value: f64) {
        Linear::add(sum, weight, value as i64);
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    fn index(value: f64) -> usize {
        value as usize
    }

    #[inline(always)]
    #[expect(clippy::disallowed_methods, reason = "paths have it, and exact sums have no rounding")]
    fn values<L: Lanes, const REMOVED: bool, const DIVERSITY: bool>(
        &self,
        features: &FeatureLanes<L>,
    ) -> L::Each<f64> {
        let mut values = L::each(0.0);
        for (idx, (weight, feature)) in self.weights.iter().zip(features).enumerate() {
            if idx == 1 && !REMOVED || idx == 8 && !DIVERSITY {
                continue;
            }
            let feature = feature.store();
            for (value, feature) in values.as_mut().iter_mut().zip(feature.as_ref()) {
                *value = weight.mul_add(f64::from(feature.count()), *value);
            }
        }
        values
    }
}

impl Judge for Network {
    type Value = f32;
    type Scalar = Self;

    const WORST: f32 = f32::NEG_INFINITY;

    fn scalar(&self) -> &Self {
        self
    }

    fn add(&self, sum: &mut f64, weight: u32, value: f32) {
        <Self as Evaluate>::add(sum, weight, value);
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    fn index(value: f32) -> usize {
        value as usize
    }

    #[inline(always)]
    fn values<L: Lanes, const REMOVED: bool, const DIVERSITY: bool>(
        &self,
        features: &FeatureLanes<L>,
    ) -> L::Each<f32> {
        let inputs: [L::Each<f32>; 8] = std::array::from_fn(|idx| {
            let feature = features[idx].store();
            let mut inputs = L::each(0.0);
            for (input, feature) in inputs.as_mut().iter_mut().zip(feature.as_ref()) {
                #[expect(clippy::cast_precision_loss, reason = "features are far below 2^24")]
                let exact = feature.count() as f32;
                *input = exact;
            }
            inputs
        });
        let mut values = L::each(self.output_bias());
        for neuron in self.neurons() {
            let mut sums = L::each(neuron.bias);
            for (idx, (weight, inputs)) in neuron.weights.iter().zip(&inputs).enumerate() {
                if idx == 1 && !REMOVED {
                    continue;
                }
                for (sum, input) in sums.as_mut().iter_mut().zip(inputs.as_ref()) {
                    *sum += input * weight;
                }
            }
            for (value, &sum) in values.as_mut().iter_mut().zip(sums.as_ref()) {
                *value += neuron.output * Neuron::squash(sum);
            }
        }
        values
    }
}
