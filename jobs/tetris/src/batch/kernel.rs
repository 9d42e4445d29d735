//! Computes the features for every placement of a piece on many boards at once.
//!
//! As in [`Afterstates`](crate::features::Afterstates), a placement that removes no row changes
//! features only in its own columns and beside them. A piece covers at most four rows and lands
//! above everything in its columns, so only four rows of the neighboring columns matter, moved down
//! to the piece's lowest row: numbers below 16, which index tables.

mod column;
mod landed;
mod shape;
mod surroundings;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
mod totals;
mod wells;

pub(super) use landed::{LandedPlacement, origins};

pub(super) use totals::{FeatureTotals, totals};

use super::vectors::{ByteVector, RowSets, WordVector};
pub(super) use crate::features::N_FEATURES;
use crate::rules::{BoardSize, MAX_WIDTH, OverflowRule};
use column::{N_WALLS, PADDED, PreparedColumn, WINDOW, WordsOf, step};
use totals::{TotalsCounter, wall};
use wells::open;

/// Boards with the same size, prepared for the features of their placements. `FAST` selects the
/// rule for wells.
pub(super) struct PreparedBoards<R: RowSets, const FAST: bool> {
    size: BoardSize,
    overflow: OverflowRule,
    /// True if pattern diversity is needed; otherwise it is 0.
    diversity: bool,
    /// Column c is at c + `N_WALLS`, between walls that are full.
    columns: [PreparedColumn<R>; PADDED],
    rows_with_holes: R,
    totals: FeatureTotals<WordsOf<R>>,
}

impl<R: RowSets, const FAST: bool> PreparedBoards<R, FAST> {
    /// Creates empty boards.
    #[inline(always)]
    pub(super) fn none(size: BoardSize, overflow: OverflowRule, diversity: bool) -> Self {
        Self {
            size,
            overflow,
            diversity,
            columns: [PreparedColumn::wall(wall(size)); PADDED],
            rows_with_holes: R::splat(0),
            totals: [WordsOf::<R>::splat(0); N_FEATURES],
        }
    }

    /// Returns the features of the boards themselves.
    #[inline(always)]
    pub(super) fn totals(&self) -> &FeatureTotals<WordsOf<R>> {
        &self.totals
    }

    /// Returns the columns around a piece whose leftmost column is `from`: that is at `N_WALLS`.
    #[inline(always)]
    fn window(&self, from: usize) -> &[PreparedColumn<R>; WINDOW] {
        self.columns[from..].first_chunk().expect("columns are padded by a window")
    }

    /// Prepares the boards with `columns`, which must have no full rows and room for a piece below
    /// [`RowSets::N_ROWS`].
    #[inline(always)]
    pub(super) fn set(&mut self, columns: &[R; MAX_WIDTH]) {
        let width = self.size.width() as usize;
        let mut counter = TotalsCounter::new();
        let mut left = wall(self.size);
        for c in 0..width {
            let right = if c + 1 == width { wall(self.size) } else { columns[c + 1] };
            self.set_column(c + N_WALLS, [left, columns[c], right], &mut counter);
            left = columns[c];
        }
        self.rows_with_holes = counter.rows_with_holes;
        self.totals = counter.totals(self.size, left);
        for at in (N_WALLS..N_WALLS + width).rev() {
            self.columns[at].full_from = self.columns[at + 1].full_from.and(self.columns[at].cells);
            self.columns[at].find_hole_free_rows(counter.rows_with_holes);
        }
        if self.diversity {
            self.find_steps(width);
        }
    }

    /// Prepares the column at index `at`, the second of `columns`; those to its left are already
    /// prepared.
    #[inline(always)]
    fn set_column(&mut self, at: usize, columns: [R; 3], counter: &mut TotalsCounter<R>) {
        let [left, cells, right] = columns;
        let filled = cells.filled();
        let holes = filled.and_not(cells);
        let height = filled.count();
        let walled = left.and(right);
        let open_wells = walled.and_not(filled);
        let open_depths = open::<R, FAST>(open_wells, filled).depths(height);
        let closed_wells = walled.and(holes);
        let second = filled.shr::<1>().xor(filled.shr::<2>());
        counter.take(left, cells, holes);
        counter.take_wells::<FAST>(open_depths, closed_wells, cells);
        let column = &mut self.columns[at];
        column.cells = cells;
        column.height = height;
        column.filled = filled;
        column.holes = holes;
        column.solid = holes.is_empty();
        column.thin = second.and(cells).is_empty();
        column.with_left = cells.or(left.and_not(filled));
        column.with_right = cells.or(right.and_not(filled));
        column.walled_left = holes.and(left).and_not(right);
        column.walled_right = holes.and(right).and_not(left);
        column.open_wells = open_wells;
        column.open_depths = open_depths;
        column.closed_wells = closed_wells;
        let (full, heights) = (column.full_before.and(cells), column.height_before.add(height));
        self.columns[at + 1].full_before = full;
        self.columns[at + 1].height_before = heights;
    }

    #[inline(always)]
    fn find_steps(&mut self, width: usize) {
        for at in N_WALLS + 1..N_WALLS + width {
            let step = step(self.columns[at - 1].height, self.columns[at].height);
            self.columns[at + 1].steps_before = self.columns[at].steps_before.or(step);
        }
        for at in (N_WALLS + 1..N_WALLS + width).rev() {
            let step = step(self.columns[at - 1].height, self.columns[at].height);
            self.columns[at - 1].steps_from = self.columns[at].steps_from.or(step);
        }
    }
}
