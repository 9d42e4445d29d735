//! Controllers that are a weighted sum of features.
//!
//! Weights are fixed-point numbers, so that every machine plays the same games: with floats, the
//! order of additions decides the many exact ties of weights with few decimals.

use hatchery_core::{InvalidValue, WireValue};

use super::BoardEvaluator;
use crate::features::{BoardFeatures, FEATURE_NAMES, N_FEATURES, WellRule};
use crate::rules::Board;

/// The factor that turns weights into integers: weights have eight decimals.
pub const WEIGHT_SCALE: f64 = 1e8;

/// The largest magnitude of a weight.
///
/// A scaled weight is then at most 1e13, and no feature of a 16x32 board exceeds 16 x 528 wells:
/// the nine products, doubled, stay below 9 x 2 x 8448 x 1e13 < 2^61.
pub const MAX_WEIGHT: f64 = 1e5;

/// The largest magnitude of a scaled weight.
pub(super) const MAX_SCALED: i64 = 10_000_000_000_000;

/// A weighted sum of features.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct LinearController {
    #[wire(tag = 1, inner(range(min = -MAX_SCALED, max = MAX_SCALED)))]
    weights: [i64; N_FEATURES],
    #[wire(tag = 2)]
    wells: WellRule,
}

/// Returns the weight of `feature` as an integer.
pub(super) fn fixed_point(feature: &str, weight: f64) -> Result<i64, InvalidValue> {
    InvalidValue::check_range(feature, &weight, &-MAX_WEIGHT, &MAX_WEIGHT)?;
    #[expect(clippy::cast_possible_truncation, reason = "at most 1e13")]
    let fixed = (weight * WEIGHT_SCALE).round() as i64;
    Ok(fixed)
}

impl LinearController {
    /// Creates the controller with `weights` in the order of [`FEATURE_NAMES`], rounded to eight
    /// decimals.
    ///
    /// # Errors
    /// If a weight is not a number or its magnitude is above [`MAX_WEIGHT`].
    pub fn new(weights: [f64; N_FEATURES], wells: WellRule) -> Result<Self, InvalidValue> {
        let mut scaled = [0; N_FEATURES];
        for ((feature, weight), scaled) in FEATURE_NAMES.into_iter().zip(weights).zip(&mut scaled) {
            *scaled = fixed_point(feature, weight)?;
        }
        Ok(Self { weights: scaled, wells })
    }

    /// Returns the weights, scaled by [`WEIGHT_SCALE`].
    #[must_use]
    pub fn scaled(&self) -> [i64; N_FEATURES] {
        self.weights
    }

    /// Returns the rule for counting wells.
    #[must_use]
    pub fn wells(&self) -> WellRule {
        self.wells
    }

    /// Returns the weighted sum of `features`, doubled and scaled by [`WEIGHT_SCALE`].
    #[inline]
    pub(super) fn weighted_sum(&self, features: &BoardFeatures) -> i64 {
        let [landing, eroded, rows, columns, holes, wells, depth, hole_rows, diversity] =
            self.weights;
        let rest = eroded * i64::from(features.eroded_piece_cells)
            + rows * i64::from(features.row_transitions)
            + columns * i64::from(features.column_transitions)
            + holes * i64::from(features.holes)
            + wells * i64::from(features.wells)
            + depth * i64::from(features.hole_depth)
            + hole_rows * i64::from(features.rows_with_holes)
            + diversity * i64::from(features.pattern_diversity);
        landing * i64::from(features.landing_height_2) + 2 * rest
    }
}

impl BoardEvaluator for LinearController {
    type Value = i64;
    type Sum = i128;

    fn add(sum: &mut i128, weight: u32, value: i64) {
        *sum += i128::from(weight) * i128::from(value);
    }

    fn wells(&self) -> WellRule {
        self.wells
    }

    fn needs_diversity(&self) -> bool {
        self.weights[8] != 0
    }

    #[inline]
    fn value(&self, features: &BoardFeatures, _after: impl FnOnce() -> Board) -> i64 {
        self.weighted_sum(features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_become_exact_integers() {
        let weights = [-12.629, 6.601974, -9.215815, -19.77356, -11.33476346, 0.1, 1e5, -1e5, 0.0];
        let linear = LinearController::new(weights, WellRule::Fast).unwrap();
        let expected = [
            -1_262_900_000,
            660_197_400,
            -921_581_500,
            -1_977_356_000,
            -1_133_476_346,
            10_000_000,
            10_000_000_000_000,
            -10_000_000_000_000,
            0,
        ];
        assert_eq!(linear.scaled(), expected);
        assert_eq!(LinearController::decode(&linear.encode()).unwrap(), linear);
    }

    #[test]
    fn weights_out_of_range_are_refused() {
        for value in [f64::NAN, f64::INFINITY, 100_001.0] {
            let mut weights = [0.0; N_FEATURES];
            weights[4] = value;
            assert_eq!(LinearController::new(weights, WellRule::Fast).unwrap_err().key, "holes");
        }
        let wrong = LinearController { weights: [i64::MIN; N_FEATURES], wells: WellRule::Fast };
        let error = LinearController::decode(&wrong.encode()).unwrap_err().to_string();
        assert!(error.starts_with("weights.0 is -9"), "{error}");
    }
}
