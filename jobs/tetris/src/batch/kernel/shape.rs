//! Constants for each orientation. Code is compiled for every orientation separately, so that the
//! constants cost nothing at run time.

use crate::batch::vectors::{NibbleTable, counts, row_sums};
use crate::rules::{ORIENTATIONS, Orientation};

/// The orientation with the index `I` among all 19.
pub(super) struct ConstShape<const I: usize>;

impl<const I: usize> ConstShape<I> {
    pub(super) const ORIENTATION: Orientation = ORIENTATIONS[I];
    pub(super) const WIDTH: usize = Self::ORIENTATION.width;
    pub(super) const BOTTOMS: [u8; 4] = Self::ORIENTATION.bottoms;
    pub(super) const N_CELLS: [u8; 4] = Self::ORIENTATION.n_cells;

    #[expect(clippy::cast_possible_truncation, reason = "a piece has at most four rows")]
    pub(super) const N_ROWS: u8 = Self::ORIENTATION.height as u8;

    /// The bottom of the columns that do not rest on the piece's lowest row; 0 if there are no such
    /// columns. All these columns have the same bottom.
    pub(super) const HIGH_BOTTOM: u8 = {
        let bottoms = Self::BOTTOMS;
        let (mut high, mut c) = (0, 0);
        while c < Self::WIDTH {
            if high < bottoms[c] {
                high = bottoms[c];
            }
            c += 1;
        }
        high
    };

    /// The number of cells that would be below the piece if it stood on its lowest row.
    pub(super) const SUM_OF_BOTTOMS: u8 =
        Self::BOTTOMS[0] + Self::BOTTOMS[1] + Self::BOTTOMS[2] + Self::BOTTOMS[3];

    /// Returns the cells in column `c` from the piece's lowest row; none beside the piece.
    #[expect(clippy::cast_possible_truncation, reason = "a piece has at most four rows")]
    pub(super) const fn cells(c: usize) -> u8 {
        if c < 4 { Self::ORIENTATION.cells[c] as u8 } else { 0 }
    }

    /// Returns the row above the cells of column `c`.
    pub(super) const fn end(c: usize) -> u8 {
        Self::BOTTOMS[c] + Self::N_CELLS[c]
    }

    /// Returns the cells in column `c` that are above the cells in column `beside`.
    const fn above(c: usize, beside: usize) -> u8 {
        Self::cells(c) & !((1 << Self::end(beside)) - 1)
    }

    /// By the first four rows of the column to the left: the number of cells that touch the piece.
    pub(super) const TOUCHING_LEFT: NibbleTable = counts(Self::cells(0));
    pub(super) const TOUCHING_RIGHT: NibbleTable = counts(Self::cells(Self::WIDTH - 1));

    /// Maps the cells beside the piece to a sum: the sum of row + 1 over the cells that touch the
    /// piece.
    pub(super) const ROWS_LEFT: NibbleTable = row_sums(Self::cells(0), 0);
    pub(super) const ROWS_RIGHT: NibbleTable = row_sums(Self::cells(Self::WIDTH - 1), 0);

    /// By the first four rows of the column to the left: the depths of the wells that it makes
    /// together with the second column, above the first one.
    pub(super) const WELLS_LEFT: NibbleTable = match Self::WIDTH {
        1 => [0; 16],
        _ => row_sums(Self::above(1, 0), Self::end(0) as i32),
    };
    pub(super) const WELLS_RIGHT: NibbleTable = match Self::WIDTH {
        1 => [0; 16],
        n => row_sums(Self::above(n - 2, n - 1), Self::end(n - 1) as i32),
    };
}

/// Returns true if all entries of a table are 0.
pub(super) const fn is_all_zero(table: &NibbleTable) -> bool {
    let mut number = 0;
    while number < table.len() {
        if table[number] != 0 {
            return false;
        }
        number += 1;
    }
    true
}
