//! Landings of a piece, computed for all columns at once.
//!
//! Each column is a lane; loops over lanes become vector instructions, on every machine.

use crate::rules::{MAX_WIDTH, Orientation, height};

/// The widest board's number of columns plus the columns that a piece on its last column would also
/// cover.
const N_COLUMNS: usize = MAX_WIDTH + 3;

/// The properties of a board that a landing depends on.
#[derive(Debug)]
pub(super) struct BoardSurface {
    /// The columns' heights.
    pub(super) heights: [u8; N_COLUMNS],
    /// For each column, all ones if it has holes, and 0 otherwise.
    hollow: [u8; N_COLUMNS],
}

/// The landings of a piece in one orientation, by the column of its leftmost cells, and the changes
/// in the columns that it covers if no row is removed.
pub(super) struct LandingProfile {
    /// The row of the piece's lowest cells.
    pub(super) row: [u8; MAX_WIDTH],
    /// The number of cells between the piece and the cells it lands on: they become holes.
    pub(super) gaps: [u8; MAX_WIDTH],
    /// The number of columns with such gaps.
    pub(super) floating: [u8; MAX_WIDTH],
    /// The number of the piece's cells above holes.
    pub(super) depth: [u8; MAX_WIDTH],
}

impl BoardSurface {
    pub(super) fn of(columns: &[u64]) -> Self {
        let mut surface = Self { heights: [0; N_COLUMNS], hollow: [0; N_COLUMNS] };
        for (c, &x) in columns.iter().enumerate() {
            surface.heights[c] = height(x).to_le_bytes()[0];
            // A column without holes is one run of ones from bit 0 on.
            surface.hollow[c] = u8::from(x & (x + 1) != 0).wrapping_neg();
        }
        surface
    }

    /// Returns the landings of `shape`, which covers `N` columns.
    pub(super) fn landings<const N: usize>(&self, shape: &Orientation) -> LandingProfile {
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
        LandingProfile { row, gaps, floating, depth }
    }
}

/// Returns the columns from `from` on, one for each lane.
fn lanes(columns: &[u8; N_COLUMNS], from: usize) -> &[u8; MAX_WIDTH] {
    columns[from..].first_chunk().expect("a piece covers at most four columns")
}
