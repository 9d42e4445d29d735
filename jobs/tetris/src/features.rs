//! The features that controllers use to value boards.
//!
//! [`BoardFeatures::of`] is their readable definition; [`Afterstates`] computes the same for all
//! placements of a piece, from the changes that each makes.

mod afterstates;
mod landings;
mod steps;

pub use afterstates::Afterstates;

use hatchery_core::wire::WireElement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::{Board, DropOutcome, OverflowRule, Piece, Placement, height};

/// The number of features.
pub const N_FEATURES: usize = 9;

/// The features' names, in the order of their weights.
pub const FEATURE_NAMES: [&str; N_FEATURES] = [
    "landing_height",
    "eroded_piece_cells",
    "row_transitions",
    "column_transitions",
    "holes",
    "cumulative_wells",
    "hole_depth",
    "rows_with_holes",
    "pattern_diversity",
];

/// The features of a board and of the move that led to it (Thiery & Scherrer, "Building Controllers
/// for Tetris", ICGA Journal 32, 2009, as MDPTetris computes them; 1 to 8 are Table 1 of Miyazaki &
/// Arakawa), and the rows that it removed. The features of the board are taken after full rows were
/// removed, or before with [`FullRows::Standing`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardFeatures {
    /// Twice the height of the piece's middle: 2 x row of its lowest cell + its rows - 1. Doubled
    /// to be an integer.
    pub landing_height_2: i32,
    /// Rows removed x the piece's cells in them.
    pub eroded_piece_cells: i32,
    /// Changes between full and empty along all rows, both side walls full: an empty row has 2.
    pub row_transitions: i32,
    /// Changes between full and empty along all columns from the full floor to the empty sky: an
    /// empty column has 1.
    pub column_transitions: i32,
    /// Empty cells with a full one somewhere above.
    pub holes: i32,
    /// The sum over well cells of 1 + the empty cells directly below. A well cell is empty, its
    /// left and right neighbors are full, and so are walls. With [`WellRule::Fast`], all empty
    /// cells below a well cell are well cells.
    pub wells: i32,
    /// Full cells above holes: all full cells in a column except the cells in the run from the
    /// floor up.
    pub hole_depth: i32,
    /// Rows with at least one hole.
    pub rows_with_holes: i32,
    /// The number of values among -2, -1, 0, 1, 2 that occur as height differences of neighboring
    /// columns.
    pub pattern_diversity: i32,
    /// Rows removed (El-Ashi, El-Tetris, `rows_removed`). With [`FullRows::Standing`], all full
    /// rows of the board (Lee, `lines`).
    // Not among the nine: no network and no vector code has it.
    pub rows_removed: i32,
}

/// The rule that decides which cells under a well cell count as well cells.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "WellsParam")]
pub enum WellRule {
    /// Only cells with full neighbors.
    // Feature 6 of MDPTetris, used by Thiery & Scherrer.
    #[default]
    Cumulative,
    /// All empty cells.
    // Feature -6 of MDPTetris, used for DT-10 and DT-20 (JMLR 16, 2015, note 12).
    Fast,
}

/// The full rows of the boards that a controller values.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "FullRowsParam")]
pub enum FullRows {
    /// They have been removed, as the rules say.
    #[default]
    Removed,
    /// They are still there, also where a search puts the next piece on top of them.
    // Y. Lee, "Tetris AI: The (Near) Perfect Bot", 2013: his program removes rows only once a piece
    // is placed for good.
    Standing,
}

/// The count of a full cell in the top row in column transitions.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement,
)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "SkyParam")]
pub enum SkyRule {
    /// The sky above it is empty: a transition.
    // MDPTetris.
    #[default]
    Empty,
    /// Nothing is above it: no transition.
    // El-Tetris.
    Nothing,
}

impl SkyRule {
    /// Returns true for the rule of all published controllers but El-Tetris.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::Empty
    }
}

impl FullRows {
    /// Returns true for the rule of all published controllers but Lee's.
    #[must_use]
    pub fn is_removed(&self) -> bool {
        *self == Self::Removed
    }

    /// Drops `piece` at `placement` onto the board of a search.
    #[inline(always)]
    pub(crate) fn drop(
        self,
        board: &Board,
        piece: Piece,
        placement: Placement,
        overflow: OverflowRule,
    ) -> DropOutcome {
        match self {
            Self::Removed => board.drop(piece, placement, overflow),
            Self::Standing => board.stack(piece, placement, overflow),
        }
    }
}

impl BoardFeatures {
    /// Returns the nine features in the order of weights.
    pub(crate) fn in_order(&self) -> [i32; N_FEATURES] {
        [
            self.landing_height_2,
            self.eroded_piece_cells,
            self.row_transitions,
            self.column_transitions,
            self.holes,
            self.wells,
            self.hole_depth,
            self.rows_with_holes,
            self.pattern_diversity,
        ]
    }

    /// Returns the features of `outcome`, which must not have ended the game.
    #[must_use]
    pub fn of(outcome: &DropOutcome, wells: WellRule) -> Self {
        let columns = outcome.board.columns();
        let wall = outcome.board.size().full_column();
        let neighbors = |idx: usize| {
            let left = idx.checked_sub(1).map_or(wall, |left| columns[left]);
            (left, columns.get(idx + 1).copied().unwrap_or(wall))
        };
        let mut features = Self {
            landing_height_2: signed(2 * outcome.landing_row + outcome.piece_height - 1),
            eroded_piece_cells: signed(outcome.n_lines * outcome.n_eroded_cells),
            row_transitions: count(wall ^ columns[columns.len() - 1]),
            rows_removed: signed(outcome.n_lines),
            ..Self::default()
        };
        let (mut rows_with_holes, mut steps) = (0, 0);
        for (idx, &x) in columns.iter().enumerate() {
            let (left, right) = neighbors(idx);
            features.row_transitions += count(left ^ x);
            features.column_transitions += column_transitions(x);
            features.holes += count(holes(x));
            features.wells += well_sum(x, left & right & wall, wells);
            features.hole_depth += hole_depth(x);
            rows_with_holes |= holes(x);
            if idx != 0 {
                steps |= step(left, x);
            }
        }
        features.rows_with_holes = count(rows_with_holes);
        features.pattern_diversity = count(steps);
        features
    }
}

fn signed(count: u32) -> i32 {
    count.cast_signed()
}

fn count(bits: u64) -> i32 {
    signed(bits.count_ones())
}

fn column_transitions(x: u64) -> i32 {
    count(x ^ (x << 1 | 1))
}

/// Returns the holes of a column: its empty cells below its top.
fn holes(x: u64) -> u64 {
    ((1 << height(x)) - 1) & !x
}

/// Counts all full cells of a column except the run from the floor up.
fn hole_depth(x: u64) -> i32 {
    count(x & (x + 1))
}

/// Returns the sum over the wells of a column. `walled` are the rows with both neighbors full.
fn well_sum(x: u64, walled: u64, wells: WellRule) -> i32 {
    let mut well = walled & !x;
    if wells == WellRule::Fast {
        let mut below = well >> 1 & !x;
        while below & !well != 0 {
            well |= below;
            below = well >> 1 & !x;
        }
    }
    let mut sum = 0;
    while well != 0 {
        sum += count(well);
        well = well >> 1 & !x;
    }
    sum
}

/// Returns the height difference from `left` to `right` as a bit: bit 0 for -2 to bit 4 for 2, or
/// no bit for other differences.
fn step(left: u64, right: u64) -> u64 {
    match signed(height(right)) - signed(height(left)) {
        difference @ -2..=2 => 1 << (difference + 2),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Board, BoardSize};

    fn features(board: Board, wells: WellRule) -> BoardFeatures {
        let outcome = DropOutcome {
            board,
            landing_row: 0,
            piece_height: 1,
            n_lines: 0,
            n_eroded_cells: 0,
            game_over: false,
        };
        BoardFeatures::of(&outcome, wells)
    }

    #[test]
    fn the_empty_board_has_walls_and_floors_only() {
        // MDPTetris: 2 for each of 20 rows, 1 for each of 10 columns; all heights are equal.
        let empty = features(Board::new(BoardSize::STANDARD), WellRule::Cumulative);
        let expected = BoardFeatures {
            row_transitions: 40,
            column_transitions: 10,
            pattern_diversity: 1,
            ..BoardFeatures::default()
        };
        assert_eq!(empty, expected);
    }

    /// The numbers of `src-test/features_test.js` of ielashi/eltetris. Our boards have four rows;
    /// each empty row has two transitions.
    #[test]
    fn features_have_the_numbers_of_el_tetris() {
        let of =
            |rows: &[&str]| features(Board::from_drawing(rows, 4).unwrap(), WellRule::Cumulative);
        assert_eq!(of(&["...."]).row_transitions, 4 * 2);
        assert_eq!(of(&["X.X."]).row_transitions, 4 + 3 * 2);
        assert_eq!(of(&["X.X.X", ".X.X.", "X.X.X"]).holes, 5);
        assert_eq!(of(&["X.XX", "X.XX", "X.XX"]).wells, 6);
    }

    /// The expected values were counted by hand from the definitions.
    #[test]
    fn a_board_counted_by_hand() {
        let rows = [
            "X...", // row 4
            "X.XX", // row 3
            "X..X", // row 2
            "X.XX", // row 1
            "..XX", // row 0
        ];
        let board = Board::from_drawing(&rows, 6).unwrap();
        let expected = BoardFeatures {
            landing_height_2: 0,
            eroded_piece_cells: 0,
            // Rows 5, 4 and 0: 2 each; rows 3, 2 and 1: 2 each.
            row_transitions: 12,
            // Columns: 0 has a hole at the floor 3; 1 is empty 1; 2 has a hole 3; 3 is solid 1.
            column_transitions: 8,
            holes: 2,
            // Column 1: the cells of rows 3 and 1 have full neighbors, with 3 and 1 empty cells
            // below: 4 + 2. Column 0: row 0 has an empty neighbor. Column 2: so has row 2.
            wells: 6,
            // Column 0: 4 cells above the hole; column 2: 1 cell.
            hole_depth: 5,
            rows_with_holes: 2,
            // Heights 5, 0, 4, 4: differences -5, 4, 0.
            pattern_diversity: 1,
            rows_removed: 0,
        };
        assert_eq!(features(board, WellRule::Cumulative), expected);
        // All four empty cells from row 3 down count: 4 + 3 + 2 + 1.
        assert_eq!(features(board, WellRule::Fast), BoardFeatures { wells: 10, ..expected });
    }
}
