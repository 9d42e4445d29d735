//! Where a piece lands, computed for all columns at once.
//!
//! Each column is a lane; loops over lanes become vector instructions, on every machine.

use crate::rules::{MAX_WIDTH, Orientation, height};

/// The columns of the widest board and those that a piece on its last column would also cover.
const N_COLUMNS: usize = MAX_WIDTH + 3;

/// What a landing depends on.
#[derive(Debug)]
pub(super) struct Surface {
    /// The height of each column.
    pub(super) heights: [u8; N_COLUMNS],
    /// For each column all ones if it has holes, and 0 otherwise.
    hollow: [u8; N_COLUMNS],
}

/// Where a piece in one orientation lands, by the column of its leftmost cells, and what that
/// changes in the columns it covers if no row is removed.
pub(super) struct Landings {
    /// The row of the piece's lowest cells.
    pub(super) row: [u8; MAX_WIDTH],
    /// The number of cells between the piece and what it lands on: they become holes.
    pub(super) gaps: [u8; MAX_WIDTH],
    /// The number of columns in which there are such cells.
    pub(super) floating: [u8; MAX_WIDTH],
    /// The number of the piece's cells above holes.
    pub(super) depth: [u8; MAX_WIDTH],
}

impl Surface {
    pub(super) fn of(columns: &[u64]) -> Self {
        let mut surface = Self { heights: [0; N_COLUMNS], hollow: [0; N_COLUMNS] };
        for (c, &x) in columns.iter().enumerate() {
            surface.heights[c] = height(x).to_le_bytes()[0];
            // A column without holes is one run of ones from bit 0 on.
            surface.hollow[c] = u8::from(x & (x + 1) != 0).wrapping_neg();
        }
        surface
    }

    /// The landings of `shape`, which covers `N` columns.
    pub(super) fn landings<const N: usize>(&self, shape: &Orientation) -> Landings {
        let zero = [0; MAX_WIDTH];
        let (mut row, mut gaps, mut floating, mut depth) = (zero, zero, zero, zero);
        for c in 0..N {
            let (heights, bottom) = (lanes(&self.heights, c), shape.bottoms[c]);
            for lane in 0..MAX_WIDTH {
                row[lane] = row[lane].max(heights[lane].saturating_sub(bottom));
            }
        }
        for c in 0..N {
            let (heights, hollow) = (lanes(&self.heights, c), lanes(&self.hollow, c));
            for lane in 0..MAX_WIDTH {
                let gap = row[lane] + shape.bottoms[c] - heights[lane];
                let floats = u8::from(gap != 0);
                gaps[lane] += gap;
                floating[lane] += floats;
                depth[lane] += shape.n_cells[c] & (floats.wrapping_neg() | hollow[lane]);
            }
        }
        Landings { row, gaps, floating, depth }
    }
}

/// The columns from `from` on, one for each lane.
fn lanes(columns: &[u8; N_COLUMNS], from: usize) -> &[u8; MAX_WIDTH] {
    columns[from..].first_chunk().expect("a piece covers at most four columns")
}
