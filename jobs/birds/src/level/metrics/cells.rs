//! The cells of a grid that a level occupies, and how much levels share.

use std::iter::zip;

use crate::level::{ElementOutline, GROUND_TOP, GROUND_WIDTH, LEVEL_HEIGHT, Level};

/// The number of columns and rows that the widest level needs. The number of columns is even, with
/// half the columns on each side of the origin.
const COLUMNS: usize = 796;
const ROWS: usize = 53;

/// The farthest that the center of an occupied cell may be outside of an object: far more than what
/// rounding does to objects whose sides go through centers.
const MARGIN: f32 = 1e-4;

/// The cells of a grid on the ground whose centers are inside of objects.
///
/// Cells are squares with sides as long as the sides of the smallest block. The grid is as wide and
/// high as the widest level. Objects outside the grid do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OccupiedCells {
    /// A bit for each cell, row by row.
    words: Vec<u64>,
}

impl OccupiedCells {
    /// The length of a cell's sides.
    pub const SIDE: f32 = 0.22;

    /// Returns the cells that `level` occupies.
    #[must_use]
    pub fn of(level: &Level) -> Self {
        Self::around(level, 0.0)
    }

    /// Returns the number of cells.
    #[must_use]
    pub fn n(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the Jaccard distance: the share of the cells occupied by either that are not
    /// occupied by both; 0 if no cell is occupied.
    #[must_use]
    pub fn distance(&self, other: &Self) -> f64 {
        let pairs = || zip(&self.words, &other.words);
        let both: u32 = pairs().map(|(a, b)| (a & b).count_ones()).sum();
        let either: u32 = pairs().map(|(a, b)| (a | b).count_ones()).sum();
        f64::from(either - both) / f64::from(either.max(1))
    }

    /// Returns the cells that `level` occupies in a grid whose middle is at `middle`.
    fn around(level: &Level, middle: f32) -> Self {
        let mut cells = Self { words: vec![0; (COLUMNS * ROWS).div_ceil(64)] };
        let left = middle - Self::SIDE * to_f32(COLUMNS / 2);
        level.outlines().for_each(|outline| cells.occupy(&outline, left));
        cells
    }

    /// Occupies the cells of an object in a grid that begins at `left`.
    fn occupy(&mut self, outline: &ElementOutline, left: f32) {
        let [x, y, x_end, y_end] = outline.bounds();
        let is_beside = x_end < left || left + Self::SIDE * to_f32(COLUMNS) < x;
        if is_beside || y_end < GROUND_TOP || GROUND_TOP + Self::SIDE * to_f32(ROWS) < y {
            return;
        }
        let columns = index(x - MARGIN - left, COLUMNS)..=index(x_end + MARGIN - left, COLUMNS);
        for row in index(y - MARGIN - GROUND_TOP, ROWS)..=index(y_end + MARGIN - GROUND_TOP, ROWS) {
            for column in columns.clone() {
                let center = |cell: usize| Self::SIDE * (to_f32(cell) + 0.5);
                if outline.contains([left + center(column), GROUND_TOP + center(row)], MARGIN) {
                    self.set(column, row);
                }
            }
        }
    }

    fn mirrored(&self) -> Self {
        let mut mirrored = Self { words: vec![0; self.words.len()] };
        for row in 0..ROWS {
            for column in (0..COLUMNS).filter(|&column| self.is_set(column, row)) {
                mirrored.set(COLUMNS - 1 - column, row);
            }
        }
        mirrored
    }

    fn set(&mut self, column: usize, row: usize) {
        let bit = COLUMNS * row + column;
        self.words[bit / 64] |= 1 << (bit % 64);
    }

    fn is_set(&self, column: usize, row: usize) -> bool {
        let bit = COLUMNS * row + column;
        self.words[bit / 64] >> (bit % 64) & 1 == 1
    }
}

/// Returns the mean Jaccard distance of two different levels: 0 if all are the same, 1 if no two
/// share a cell. `None` for fewer than two.
#[must_use]
pub fn mean_distance(levels: &[OccupiedCells]) -> Option<f64> {
    let pairs = levels
        .iter()
        .enumerate()
        .flat_map(|(idx, a)| levels[..idx].iter().map(move |b| a.distance(b)));
    let (sum, n) = pairs.fold((0.0, 0.0), |(sum, n), distance| (sum + distance, n + 1.0));
    (0.0 < n).then(|| sum / n)
}

/// Returns the share of the cells occupied by `level` or its mirror image that both occupy, with
/// the mirror at `middle`; `None` if there are none.
pub(super) fn symmetry(level: &Level, middle: f32) -> Option<f64> {
    let cells = OccupiedCells::around(level, middle);
    (cells.n() != 0).then(|| 1.0 - cells.distance(&cells.mirrored()))
}

/// Returns the index of the row or column at a distance from the first one's beginning: the nearest
/// one of `n`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0 to the number of columns"
)]
fn index(distance: f32, n: usize) -> usize {
    (distance / OccupiedCells::SIDE).clamp(0.0, to_f32(n - 1)) as usize
}

#[expect(clippy::cast_precision_loss, reason = "at most the number of columns")]
const fn to_f32(cell: usize) -> f32 {
    cell as f32
}

const _: () = {
    let (width, height) = (10.0 * GROUND_WIDTH, LEVEL_HEIGHT);
    assert!(width <= OccupiedCells::SIDE * to_f32(COLUMNS), "the widest level is inside");
    assert!(height <= OccupiedCells::SIDE * to_f32(ROWS), "a level is inside");
};
