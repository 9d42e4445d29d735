//! Linear controllers that also weigh the wall's surface: the heights of the columns, the
//! differences between neighbors, and the largest height.
//!
//! With holes, these are the features of Bertsekas & Ioffe ("Temporal Differences-Based Policy
//! Iteration and Applications in Neuro-Dynamic Programming", 1996). Thiery & Scherrer's controller
//! BDU ("Building Controllers for Tetris", ICGA Journal 32, 2009) has these features beside the
//! features of BCTS, which the paper calls DU.

use hatchery_core::text::counted;
use hatchery_core::{InvalidValue, WireValue};

use super::BoardEvaluator;
use super::linear::{LinearController, MAX_SCALED, fixed_point};
use crate::features::{BoardFeatures, WellRule};
use crate::rules::{Board, WIDTHS, height};

/// The weights for the wall's surface, for boards with a given width.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(check)]
pub struct SurfaceWeights {
    #[wire(tag = 2, range(min = -MAX_SCALED, max = MAX_SCALED))]
    max_height: i64,
    /// One for each column.
    #[wire(tag = 3, inner(range(min = -MAX_SCALED, max = MAX_SCALED)))]
    heights: Vec<i64>,
    /// One for each two neighboring columns.
    #[wire(tag = 4, inner(range(min = -MAX_SCALED, max = MAX_SCALED)))]
    differences: Vec<i64>,
}

/// A weighted sum of features and of the wall's surface, which is taken after full rows were
/// removed.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct SurfaceController {
    /// The weighted sum of features.
    #[wire(tag = 1)]
    pub linear: LinearController,
    /// The weights of the surface.
    #[wire(flatten = 2)]
    pub surface: SurfaceWeights,
}

impl SurfaceWeights {
    /// Creates the weights of the largest height, of the columns' heights and of the differences of
    /// neighbors, both from left to right. They are rounded to eight decimals.
    ///
    /// # Errors
    /// If no board has as many columns, differences are not one less, or the magnitude of a weight
    /// is above [`MAX_WEIGHT`](super::MAX_WEIGHT).
    pub fn new(
        max_height: f64,
        heights: &[f64],
        differences: &[f64],
    ) -> Result<Self, InvalidValue> {
        let all = |feature, weights: &[f64]| {
            weights.iter().map(|&weight| fixed_point(feature, weight)).collect::<Result<_, _>>()
        };
        let weights = Self {
            max_height: fixed_point("max_height", max_height)?,
            heights: all("heights", heights)?,
            differences: all("differences", differences)?,
        };
        weights.check()?;
        Ok(weights)
    }

    /// Checks that the weights are for the columns of a board.
    fn check(&self) -> Result<(), InvalidValue> {
        let (n_heights, n_differences) = (self.heights.len(), self.differences.len());
        if !u32::try_from(n_heights).is_ok_and(|width| WIDTHS.contains(&width)) {
            let found = counted(n_heights, "weight");
            return Err(InvalidValue::new("heights", &found, "4 to 16, one for each column"));
        }
        if n_differences + 1 != n_heights {
            let found = counted(n_differences, "weight");
            let expected = format!("{}, one less than heights", n_heights - 1);
            return Err(InvalidValue::new("differences", &found, expected));
        }
        Ok(())
    }

    /// Returns the number of columns of the boards that the weights are for.
    #[must_use]
    pub fn width(&self) -> usize {
        self.heights.len()
    }

    /// Returns the value of the surface of `board`, in scaled weights x rows.
    ///
    /// Boards have as many columns as there are weights of heights. No column is higher than 36
    /// rows, and a piece has 4 rows, so the magnitude is at most (1 + 16 + 15) x 36 x 1e13 < 2^54:
    /// doubled and added to a linear value, which is below 2^61, it stays below 2^62.
    fn value(&self, board: &Board) -> i64 {
        let columns = board.columns();
        debug_assert_eq!(columns.len(), self.heights.len(), "weights for boards of another width");
        let height_of = |column: &u64| i64::from(height(*column));
        let mut value = 0;
        let mut max_height = 0;
        for (column, weight) in columns.iter().zip(&self.heights) {
            let height = height_of(column);
            value += weight * height;
            max_height = max_height.max(height);
        }
        for (neighbors, weight) in columns.windows(2).zip(&self.differences) {
            value += weight * (height_of(&neighbors[0]) - height_of(&neighbors[1])).abs();
        }
        value + self.max_height * max_height
    }
}

impl BoardEvaluator for SurfaceController {
    type Value = i64;
    type Sum = i128;

    fn add(sum: &mut i128, weight: u32, value: i64) {
        LinearController::add(sum, weight, value);
    }

    fn wells(&self) -> WellRule {
        self.linear.wells()
    }

    fn needs_diversity(&self) -> bool {
        self.linear.needs_diversity()
    }

    fn value(&self, features: &BoardFeatures, after: impl FnOnce() -> Board) -> i64 {
        let board = after();
        // The values of linear controllers are doubled.
        2 * self.surface.value(&board) + self.linear.value(features, || board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(n_heights: usize, n_differences: usize) -> Result<SurfaceWeights, InvalidValue> {
        SurfaceWeights::new(0.5, &vec![1.0; n_heights], &vec![1.0; n_differences])
    }

    /// The expected value was counted by hand: heights 5, 0, 4, 3; differences 5, 4, 1.
    #[test]
    fn the_surface_of_a_board_counted_by_hand() {
        let rows = ["X...", "X.X.", "X..X", "X.XX", "..XX"];
        let board = Board::from_drawing(&rows, 6).unwrap();
        let surface = SurfaceWeights::new(0.5, &[1.0, 10.0, 100.0, 1e3], &[1e4, -1e4, 1e5]);
        let expected = 2.5 + 5.0 + 400.0 + 3e3 + 5e4 - 4e4 + 1e5;
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let value = surface.unwrap().value(&board) as f64;
        assert!((value / super::super::WEIGHT_SCALE - expected).abs() < 1e-6);
    }

    /// The largest weights on the widest and highest board, with the largest differences.
    #[test]
    fn the_largest_values_do_not_overflow() {
        let mut columns = [0; 16];
        columns.iter_mut().step_by(2).for_each(|column| *column = u64::from(u32::MAX));
        let board = Board::from_columns(crate::rules::BoardSize::new(16, 32).unwrap(), &columns);
        for weight in [super::super::MAX_WEIGHT, -super::super::MAX_WEIGHT] {
            let surface = SurfaceWeights::new(weight, &[weight; 16], &[weight; 15]).unwrap();
            let n_rows = (8 + 15 + 1) * 32;
            assert_eq!(surface.value(&board), fixed_point("any", weight).unwrap() * n_rows);
        }
    }

    #[test]
    fn weights_fit_to_the_columns_of_a_board() {
        for n_heights in [4, 10, 16] {
            assert_eq!(weights(n_heights, n_heights - 1).unwrap().width(), n_heights);
        }
        for (n_heights, n_differences, expected) in [
            (3, 2, "heights is 3 weights, but must be 4 to 16, one for each column"),
            (17, 16, "heights is 17 weights, but must be 4 to 16, one for each column"),
            (10, 10, "differences is 10 weights, but must be 9, one less than heights"),
            (10, 0, "differences is 0 weights, but must be 9, one less than heights"),
        ] {
            assert_eq!(weights(n_heights, n_differences).unwrap_err().to_string(), expected);
        }
        let error = SurfaceWeights::new(f64::NAN, &[1.0; 4], &[1.0; 3]).unwrap_err();
        assert_eq!(error.to_string(), "max_height is NaN, but must be from -100000 to 100000");
        let wrong = SurfaceWeights { heights: vec![i64::MIN; 4], ..weights(4, 3).unwrap() };
        let error = SurfaceWeights::decode(&wrong.encode()).unwrap_err().to_string();
        assert!(error.starts_with("heights.0 is -9"), "{error}");
    }
}
