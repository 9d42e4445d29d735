//! Linear controllers that also weigh rows removed and the wall's surface: the heights of the
//! columns, the differences between neighbors, and the largest height.
//!
//! With holes, these are the features of Bertsekas & Ioffe ("Temporal Differences-Based Policy
//! Iteration and Applications in Neuro-Dynamic Programming", 1996). Thiery & Scherrer's controller
//! BDU ("Building Controllers for Tetris", ICGA Journal 32, 2009) has these features beside the
//! features of BCTS, which the paper calls DU.
//!
//! Two weight sets that many programs use need rows removed and the sums over all columns: I.
//! El-Ashi, "El-Tetris: An Improvement on Pierre Dellacherie's Algorithm", and Y. Lee, "Tetris AI:
//! The (Near) Perfect Bot", 2013, both with their programs.

use hatchery_core::text::counted;
use hatchery_core::{InvalidValue, WireValue};

use super::BoardEvaluator;
use super::linear::{LinearController, MAX_SCALED, fixed_point};
use crate::features::{BoardFeatures, FullRows, SkyRule, WellRule};
use crate::rules::{Board, WIDTHS, height};

/// The weights for the wall's surface, for boards with a given width; the default has none, and is
/// for boards of any width.
#[derive(Clone, Debug, Default, PartialEq, Eq, WireValue)]
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

/// The weights of measures of a placement and of the whole wall, for boards of any width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, WireValue)]
pub struct StackWeights {
    #[wire(tag = 5, range(min = -MAX_SCALED, max = MAX_SCALED))]
    rows_removed: i64,
    #[wire(tag = 6, range(min = -MAX_SCALED, max = MAX_SCALED))]
    aggregate_height: i64,
    #[wire(tag = 7, range(min = -MAX_SCALED, max = MAX_SCALED))]
    bumpiness: i64,
}

/// A weighted sum of features, of measures of the wall and of the wall's surface.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct SurfaceController {
    /// The weighted sum of features.
    #[wire(tag = 1)]
    pub linear: LinearController,
    /// The weights of the surface.
    #[wire(flatten = 2)]
    pub surface: SurfaceWeights,
    /// The weights of measures of the wall.
    #[wire(flatten = 5)]
    pub stack: StackWeights,
    /// The rule for the full rows of the boards.
    #[wire(tag = 8)]
    pub full_rows: FullRows,
    /// The rule for full cells in the top row.
    #[wire(tag = 9)]
    pub sky: SkyRule,
}

impl StackWeights {
    /// Creates the weights of the rows that a placement removes, of the sum of all columns'
    /// heights, and of the sum of the height differences of neighbors. They are rounded to eight
    /// decimals.
    ///
    /// # Errors
    /// If the magnitude of a weight is above [`MAX_WEIGHT`](super::MAX_WEIGHT).
    pub fn new(
        rows_removed: f64,
        aggregate_height: f64,
        bumpiness: f64,
    ) -> Result<Self, InvalidValue> {
        Ok(Self {
            rows_removed: fixed_point("rows_removed", rows_removed)?,
            aggregate_height: fixed_point("aggregate_height", aggregate_height)?,
            bumpiness: fixed_point("bumpiness", bumpiness)?,
        })
    }

    /// Returns true if all weights are 0.
    pub(crate) fn is_zero(&self) -> bool {
        *self == Self::default()
    }
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
        if *self == Self::default() {
            return Ok(());
        }
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

    /// Returns the number of columns of the boards that the weights are for; `None` without
    /// weights.
    #[must_use]
    pub fn width(&self) -> Option<usize> {
        (!self.heights.is_empty()).then_some(self.heights.len())
    }
}

impl SurfaceController {
    /// Returns true if the controller values boards by their columns, beside the features.
    fn needs_board(&self) -> bool {
        let StackWeights { rows_removed: _, aggregate_height, bumpiness } = self.stack;
        let has_weights = self.surface.width().is_some() || aggregate_height != 0 || bumpiness != 0;
        has_weights || !self.sky.is_empty()
    }

    /// Returns the value of the transitions to the empty sky that do not count.
    fn sky_value(&self, board: &Board) -> i64 {
        let top = board.size().height() - 1;
        let is_high = |column: &&u64| **column >> top & 1 == 1;
        match self.sky {
            SkyRule::Empty => 0,
            SkyRule::Nothing => board
                .columns()
                .iter()
                .filter(is_high)
                .fold(0, |value, _| value - self.linear.scaled()[3]),
        }
    }

    /// Returns the value of the surface of `board`, in scaled weights x rows.
    ///
    /// Boards have as many columns as there are weights of heights, if any. In a search where full
    /// rows stand, no column is higher than 60 rows. Each weight counts a height or a difference
    /// once, so the magnitude is at most (1 + 16 + 15 + 16 + 15) x 60 x 1e13 < 2^56: with the rows
    /// removed, doubled and added to a linear value, which is below 2^61, it stays below 2^62.
    fn surface_value(&self, board: &Board) -> i64 {
        let SurfaceWeights { max_height, heights, differences } = &self.surface;
        let columns = board.columns();
        let height_of = |column: &u64| i64::from(height(*column));
        let (mut value, mut highest) = (0, 0);
        let mut weights = heights.iter();
        for column in columns {
            let height = height_of(column);
            value += (weights.next().unwrap_or(&0) + self.stack.aggregate_height) * height;
            highest = highest.max(height);
        }
        let mut weights = differences.iter();
        for neighbors in columns.windows(2) {
            let difference = (height_of(&neighbors[0]) - height_of(&neighbors[1])).abs();
            value += (weights.next().unwrap_or(&0) + self.stack.bumpiness) * difference;
        }
        value + max_height * highest
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

    fn full_rows(&self) -> FullRows {
        self.full_rows
    }

    fn value(&self, features: &BoardFeatures, after: impl FnOnce() -> Board) -> i64 {
        let mut value = self.stack.rows_removed * i64::from(features.rows_removed);
        if self.needs_board() {
            let board = after();
            value += self.surface_value(&board) + self.sky_value(&board);
        }
        // The values of linear controllers are doubled.
        2 * value + self.linear.weighted_sum(features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Afterstates;
    use crate::rules::{OverflowRule, Piece, Placement};

    fn controller(surface: SurfaceWeights, stack: StackWeights) -> SurfaceController {
        let linear = LinearController::new([0.0; 9], WellRule::Cumulative).unwrap();
        let (full_rows, sky) = (FullRows::Removed, SkyRule::Empty);
        SurfaceController { linear, surface, stack, full_rows, sky }
    }

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
        let check = |surface: SurfaceWeights, stack, expected: f64| {
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let value = controller(surface, stack).surface_value(&board) as f64;
            assert!((value / super::super::WEIGHT_SCALE - expected).abs() < 1e-6, "{value}");
        };
        let surface = surface.unwrap();
        check(surface.clone(), StackWeights::default(), expected);
        // The sums: 12 rows and 10 rows.
        let sums = StackWeights::new(7.0, 1e3, 1e-2).unwrap();
        check(SurfaceWeights::default(), sums, 12e3 + 0.1);
        check(surface, sums, expected + 12e3 + 0.1);
    }

    /// A vertical I fills the row above a hole. With that row, heights are 3, 2, 4 and 2, and there
    /// is a hole; without it, heights are 2, 1, 3 and 0.
    #[test]
    fn full_rows_stand_or_are_removed() {
        let board = Board::from_drawing(&["X...", "XX.X", "XX.."], 8).unwrap();
        let placement = Placement { orientation: 0, column: 2 };
        let overflow = OverflowRule::EndsGame;
        for (full_rows, expected) in
            [(FullRows::Standing, 5000 + 1100 + 10 + 1), (FullRows::Removed, 6000 + 600 + 10)]
        {
            let mut holes = [0.0; 9];
            holes[4] = 1.0;
            let linear = LinearController::new(holes, WellRule::Cumulative).unwrap();
            let stack = StackWeights::new(10.0, 100.0, 1000.0).unwrap();
            let surface = SurfaceWeights::default();
            let sky = SkyRule::Empty;
            let controller = SurfaceController { linear, surface, stack, full_rows, sky };
            let mut value = None;
            let afterstates = Afterstates::new(&board, overflow, WellRule::Cumulative);
            afterstates.with_full_rows(full_rows).each::<false>(Piece::I, |at, features| {
                if at == placement {
                    let after = || full_rows.drop(&board, Piece::I, at, overflow).board;
                    value = Some(controller.value(features, after));
                }
            });
            // Values are doubled, and weights have eight decimals.
            assert_eq!(value, Some(2 * expected * 100_000_000));
        }
    }

    /// The largest weights on the widest and highest board, with the largest differences.
    #[test]
    fn the_largest_values_do_not_overflow() {
        let mut columns = [0; 16];
        columns.iter_mut().step_by(2).for_each(|column| *column = u64::from(u32::MAX));
        let board = Board::from_columns(crate::rules::BoardSize::new(16, 32).unwrap(), &columns);
        for weight in [super::super::MAX_WEIGHT, -super::super::MAX_WEIGHT] {
            let surface = SurfaceWeights::new(weight, &[weight; 16], &[weight; 15]).unwrap();
            let stack = StackWeights::new(weight, weight, weight).unwrap();
            let n_rows = (2 * (8 + 15) + 1) * 32;
            let value = controller(surface, stack).surface_value(&board);
            assert_eq!(value, fixed_point("any", weight).unwrap() * n_rows);
        }
    }

    #[test]
    fn weights_fit_to_the_columns_of_a_board() {
        for n_heights in [4, 10, 16] {
            assert_eq!(weights(n_heights, n_heights - 1).unwrap().width(), Some(n_heights));
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
