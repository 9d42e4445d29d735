//! Evaluators that value many boards at once.

mod lane_weights;
mod linear;
mod network;

use lane_weights::SeatedWeights;
pub(super) use linear::{ExactLinear, LinearPlayers};
pub(super) use network::NetworkPlayers;

use super::kernel::N_FEATURES;
use super::ranking::BatchValue;
use super::vectors::{ByteVector, FloatBlocks};
use crate::players::BoardEvaluator;

/// Every board's features as floats, in the order of weights.
pub(super) trait FeatureVectors<B: ByteVector> {
    /// Returns the feature `IDX`; computed at each call, so that no feature has to be kept.
    fn feature<const IDX: usize>(&self) -> FloatBlocks<B>;
}

/// A function that values many boards at once.
pub(super) trait BatchEvaluator {
    /// The value of a board; larger is better.
    type Value: BatchValue;

    /// The evaluator of single boards with the same values.
    type Scalar: BoardEvaluator;

    /// True if changes of features are valued instead of features: both rank the placements on one
    /// board alike.
    const RELATIVE: bool;

    /// True for evaluators of games with look-ahead, which have one player; false for the others.
    const LOOKS_AHEAD: bool;

    fn scalar(&self) -> &Self::Scalar;

    /// Like [`BoardEvaluator::add`]; only for evaluators that look ahead.
    fn add(&self, sum: &mut <Self::Scalar as BoardEvaluator>::Sum, weight: u32, value: Self::Value);

    /// Returns the weights of the players in the lanes; `None` if the only player looks ahead.
    #[inline(always)]
    fn seated(&mut self) -> Option<&mut SeatedWeights> {
        None
    }

    /// Returns the exact weights that decide between close values of the game in `lane`; `None` if
    /// values are exact.
    #[inline(always)]
    fn tie_breaker(&self, _lane: usize) -> Option<&TieBreaker> {
        None
    }

    /// Returns true if pattern diversity counts; otherwise that feature is 0.
    #[inline(always)]
    fn needs_diversity(&self) -> bool {
        self.scalar().needs_diversity()
    }

    /// Returns every board's value. If `REMOVED` is false, no rows have been removed, so no cells
    /// of the piece have eroded.
    fn values<B: ByteVector, const REMOVED: bool>(
        &self,
        features: &impl FeatureVectors<B>,
    ) -> <Self::Value as BatchValue>::Of<B>;
}

/// Exact weights for values that floats cannot distinguish.
pub(super) struct TieBreaker {
    /// If two values differ by at most this, either may be the larger one.
    pub(super) margin: f32,
    /// The weights of features.
    weights: [i64; N_FEATURES],
}

impl TieBreaker {
    /// Returns the value of features in the order of weights.
    #[inline(always)]
    pub(super) fn value(&self, features: &[i64; N_FEATURES]) -> i64 {
        let mut value = 0;
        for (feature, weight) in features.iter().zip(self.weights) {
            value += feature * weight;
        }
        value
    }
}

/// Returns all features.
#[inline(always)]
fn all<B: ByteVector>(features: &impl FeatureVectors<B>) -> [FloatBlocks<B>; N_FEATURES] {
    [
        features.feature::<0>(),
        features.feature::<1>(),
        features.feature::<2>(),
        features.feature::<3>(),
        features.feature::<4>(),
        features.feature::<5>(),
        features.feature::<6>(),
        features.feature::<7>(),
        features.feature::<8>(),
    ]
}
