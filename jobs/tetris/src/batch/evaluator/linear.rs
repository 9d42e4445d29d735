//! Batch evaluators for linear controllers.

use super::lane_weights::{LaneWeights, SeatedWeights};
use super::{BatchEvaluator, FeatureVectors, TieBreaker, all};
use crate::batch::kernel::N_FEATURES;
use crate::batch::vectors::{ByteVector, FloatBlock, FloatBlocks, N_BLOCKS, N_BOARDS, PerBoard};
use crate::players::{BoardEvaluator, LinearController};
use crate::rules::BoardSize;

/// Returns the integer weights of `linear` for features as they are stored, and the common divisor
/// that was taken out of the weights. Stored landing heights are doubled; to match, all other
/// features' weights are doubled.
fn integers(linear: &LinearController) -> ([i64; N_FEATURES], i64) {
    let mut weights = linear.scaled().map(|weight| 2 * weight);
    weights[0] /= 2;
    let divisor = weights.iter().fold(0, |divisor, weight| gcd(divisor, weight.unsigned_abs()));
    let divisor = divisor.max(1).cast_signed();
    (weights.map(|weight| weight / divisor), divisor)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns a bound on all values, and changes of values, of boards of `size` with `weights`: no sum
/// of products along the way exceeds it.
#[expect(clippy::cast_precision_loss, reason = "a bound, with more than enough reserve")]
fn bound(weights: &[i64; N_FEATURES], size: BoardSize) -> f64 {
    let (width, height) = (f64::from(size.width()), f64::from(size.height()));
    let cells = width * height;
    let most = [
        2.0 * (height + 8.0),
        16.0,
        cells + height + 16.0,
        cells + width + 16.0,
        cells,
        cells * (height + 1.0) / 2.0,
        cells,
        height,
        5.0,
    ];
    let products =
        weights.iter().zip(most).map(|(weight, most)| weight.unsigned_abs() as f64 * most);
    products.sum()
}

/// Linear controllers with the same rule for wells, in 32-bit floats, which decide between most
/// boards. Each values the boards of its own games.
pub(in crate::batch) struct LinearPlayers<'a> {
    players: &'a [&'a LinearController],
    seated: SeatedWeights,
    tie_breakers: Vec<Option<TieBreaker>>,
    diversity: bool,
}

impl<'a> LinearPlayers<'a> {
    /// Creates the evaluator of `players`, at least one, for boards of `size`.
    #[expect(clippy::cast_precision_loss, reason = "see the margin")]
    pub(in crate::batch) fn new(players: &'a [&'a LinearController], size: BoardSize) -> Self {
        let integers: Vec<_> = players.iter().map(|linear| integers(linear).0).collect();
        let floats = integers.iter().map(|weights| weights.map(|weight| weight as f32).to_vec());
        Self {
            players,
            seated: SeatedWeights::new(floats.collect()),
            tie_breakers: integers.iter().map(|weights| TieBreaker::new(weights, size)).collect(),
            diversity: players.iter().any(|linear| linear.needs_diversity()),
        }
    }
}

impl TieBreaker {
    /// Returns what decides between close values; `None` if all values are exact.
    #[expect(clippy::cast_possible_truncation, reason = "a bound with more than enough reserve")]
    fn new(weights: &[i64; N_FEATURES], size: BoardSize) -> Option<Self> {
        const EXACT: f64 = (1 << 24) as f64;
        let bound = bound(weights, size);
        // Rounded weights change a value by up to 2^-24 of the bound, each of nine fused steps by
        // as much; two values and their difference by less than 23 times as much in all. Below 2^24
        // nothing is rounded.
        let margin = (bound * 32.0 / EXACT) as f32;
        (EXACT <= bound).then_some(Self { margin, weights: *weights })
    }
}

/// Adds the feature `IDX` times its weight to `values`.
#[inline(always)]
fn accumulate<B: ByteVector, const IDX: usize>(
    values: &mut FloatBlocks<B>,
    features: &impl FeatureVectors<B>,
    weights: &LaneWeights,
) {
    let weights = weights.at::<B>(IDX);
    for ((value, feature), weight) in values.iter_mut().zip(features.feature::<IDX>()).zip(weights)
    {
        *value = feature.mul_add(weight, *value);
    }
}

impl BatchEvaluator for LinearPlayers<'_> {
    type Value = f32;
    type Scalar = LinearController;

    const RELATIVE: bool = true;
    const LOOKS_AHEAD: bool = false;

    fn scalar(&self) -> &LinearController {
        self.players[0]
    }

    #[inline(always)]
    fn needs_diversity(&self) -> bool {
        self.diversity
    }

    fn add(&self, _sum: &mut i128, _weight: u32, _value: f32) {
        unreachable!("values of changes have no sum: look-ahead has judges of features");
    }

    #[inline(always)]
    fn seated(&mut self) -> Option<&mut SeatedWeights> {
        Some(&mut self.seated)
    }

    #[inline(always)]
    fn tie_breaker(&self, lane: usize) -> Option<&TieBreaker> {
        self.tie_breakers[self.seated.player(lane)].as_ref()
    }

    #[inline(always)]
    fn values<B: ByteVector, const REMOVED: bool>(
        &self,
        features: &impl FeatureVectors<B>,
    ) -> FloatBlocks<B> {
        let mut values = [B::Block::splat(0.0); N_BLOCKS];
        let weights = self.seated.of::<REMOVED>();
        accumulate::<B, 0>(&mut values, features, weights);
        if REMOVED {
            accumulate::<B, 1>(&mut values, features, weights);
        }
        accumulate::<B, 2>(&mut values, features, weights);
        accumulate::<B, 3>(&mut values, features, weights);
        accumulate::<B, 4>(&mut values, features, weights);
        accumulate::<B, 5>(&mut values, features, weights);
        accumulate::<B, 6>(&mut values, features, weights);
        accumulate::<B, 7>(&mut values, features, weights);
        if self.diversity {
            accumulate::<B, 8>(&mut values, features, weights);
        }
        values
    }
}

/// A linear controller in 64-bit floats, which hold all of its integer sums exactly.
pub(in crate::batch) struct ExactLinear<'a> {
    weights: [f64; N_FEATURES],
    /// The common divisor that was taken out of the weights.
    divisor: i64,
    linear: &'a LinearController,
}

impl<'a> ExactLinear<'a> {
    /// Creates the evaluator for boards of `size`; `None` if weights are so large that floats would
    /// round.
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    pub(in crate::batch) fn new(linear: &'a LinearController, size: BoardSize) -> Option<Self> {
        const EXACT: f64 = (1_u64 << 52) as f64;
        let (weights, divisor) = integers(linear);
        let weights = (bound(&weights, size) < EXACT).then_some(weights)?;
        Some(Self { weights: weights.map(|weight| weight as f64), divisor, linear })
    }
}

impl BatchEvaluator for ExactLinear<'_> {
    type Value = f64;
    type Scalar = LinearController;

    const RELATIVE: bool = false;
    const LOOKS_AHEAD: bool = true;

    fn scalar(&self) -> &LinearController {
        self.linear
    }

    #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
    fn add(&self, sum: &mut i128, weight: u32, value: f64) {
        LinearController::add(sum, weight, value as i64 * self.divisor);
    }

    #[inline(always)]
    #[expect(clippy::disallowed_methods, reason = "paths have it, and exact sums have no rounding")]
    fn values<B: ByteVector, const REMOVED: bool>(
        &self,
        features: &impl FeatureVectors<B>,
    ) -> PerBoard<f64> {
        let mut values = [0.0; N_BOARDS];
        for (idx, (feature, weight)) in all(features).iter().zip(self.weights).enumerate() {
            if (idx != 1 || REMOVED) && (idx != 8 || self.needs_diversity()) {
                let feature = B::in_order(feature);
                for (value, feature) in values.iter_mut().zip(feature) {
                    *value = weight.mul_add(f64::from(feature), *value);
                }
            }
        }
        values
    }
}
