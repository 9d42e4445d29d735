//! Controllers that value many boards at once.

mod linear;
mod network;

pub(super) use linear::{ExactLinear, QuickLinear};

use super::kernel::N_FEATURES;
use super::ranking::Value;
use super::vectors::{Bytes, Floats};
use crate::players::Evaluate;

/// The features of each board as floats, in the order of weights.
pub(super) trait Features<B: Bytes> {
    /// The feature `IDX`; it is computed at each call, so that none need be kept.
    fn feature<const IDX: usize>(&self) -> Floats<B>;
}

/// What values boards.
pub(super) trait Judge {
    /// A value; the larger, the better.
    type Value: Value;

    /// The same for one board.
    type Scalar: Evaluate;

    /// Whether it values changes of features instead of features: placements on one board are
    /// ranked in the same way then.
    const RELATIVE: bool;

    fn scalar(&self) -> &Self::Scalar;

    /// As [`Evaluate::add`]; for judges of features only.
    fn add(&self, sum: &mut <Self::Scalar as Evaluate>::Sum, weight: u32, value: Self::Value);

    /// What tells close values apart; none if values are exact.
    fn tie_breaker(&self) -> Option<&TieBreaker>;

    /// Whether pattern diversity counts; without, that feature is 0.
    fn needs_diversity(&self) -> bool;

    /// The value of each board. `REMOVED` says whether rows may have been removed; without, no cells
    /// of the piece have eroded.
    fn values<B: Bytes, const REMOVED: bool>(
        &self,
        features: &impl Features<B>,
    ) -> <Self::Value as Value>::Of<B>;
}

/// Exact values for those that floats can't tell apart.
pub(super) struct TieBreaker {
    /// Of two values that differ by no more, either may be the larger one.
    pub(super) margin: f32,
    /// The weights of features.
    weights: [i64; N_FEATURES],
}

impl TieBreaker {
    /// The value of features, which are given in the order of weights.
    #[inline(always)]
    pub(super) fn value(&self, features: &[i64; N_FEATURES]) -> i64 {
        let mut value = 0;
        for (feature, weight) in features.iter().zip(self.weights) {
            value += feature * weight;
        }
        value
    }
}

/// All features.
#[inline(always)]
fn all<B: Bytes>(features: &impl Features<B>) -> [Floats<B>; N_FEATURES] {
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
