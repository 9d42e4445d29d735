//! The features of all placements of a piece on many boards at once.
//!
//! As in [`Afterstates`](crate::features::Afterstates), a placement that removes no row changes
//! features only in its own columns and beside them. A piece covers at most four rows and lands
//! above everything in its columns, so only four rows of the neighboring columns matter, moved down
//! to the piece's lowest row: numbers below 16, which index tables.

mod landed;
mod shape;
mod surroundings;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
mod totals;
mod wells;

pub(super) use landed::{LandPiece, LandedPlacement, origins};

pub(super) use totals::{FeatureTotals, totals};

use super::vectors::{ByteVector, NibbleTable, RowSets, WordVector};
pub(super) use crate::features::N_FEATURES;
use crate::rules::{BoardSize, MAX_WIDTH, OverflowRule};
use totals::{TotalsCounter, wall};
use wells::open;

/// The number of walls on each side, so that the columns beside a piece have two neighbors.
const N_WALLS: usize = 2;

/// The number of columns of the widest piece plus those beside it.
const WINDOW: usize = 4 + 2 * N_WALLS;

/// The number of columns of the widest board plus room for the last column's window.
const PADDED: usize = MAX_WIDTH + WINDOW;

/// The height of the side walls: no column is higher.
const WALL_HEIGHT: u8 = 32;

type WordsOf<R> = <<R as RowSets>::Bytes as ByteVector>::Words;

/// A prepared column of each board.
#[derive(Clone, Copy)]
struct PreparedColumn<R: RowSets> {
    cells: R,
    height: R::Bytes,
    /// The sum of the heights of the columns before.
    height_before: R::Bytes,
    /// All cells below the height.
    filled: R,
    holes: R,
    /// The mask of the boards on which the column has no holes.
    solid: R::Bytes,
    /// The mask of the boards on which the cell below the column's highest is empty or absent.
    thin: R::Bytes,
    /// The number of rows without holes below the column's height, and below the height minus one
    /// and minus two.
    hole_free_rows: [R::Bytes; 3],
    /// The cells and, above the height, those of the column to the left, or right: there, a piece
    /// on the other side makes wells.
    with_left: R,
    with_right: R,
    /// The holes with a full cell to the left only, or to the right only.
    walled_left: R,
    walled_right: R,
    /// The well cells above the column, and their depths.
    open_wells: R,
    open_depths: WordsOf<R>,
    /// The holes that are well cells.
    closed_wells: R,
    /// The rows that are full in all columns before, and in all from this one on.
    full_before: R,
    full_from: R,
    /// The height differences of neighboring columns as in [`step`], before this column and from it
    /// on.
    steps_before: R::Bytes,
    steps_from: R::Bytes,
}

impl<R: RowSets> PreparedColumn<R> {
    /// Creates a wall with `cells`.
    #[inline(always)]
    fn wall(cells: R) -> Self {
        let (none, zero) = (R::splat(0), R::Bytes::splat(0));
        let (all, set) = (R::splat(u32::MAX), R::Bytes::splat(u8::MAX));
        Self {
            cells,
            height: R::Bytes::splat(WALL_HEIGHT),
            height_before: zero,
            filled: cells,
            holes: none,
            solid: set,
            thin: zero,
            hole_free_rows: [zero; 3],
            with_left: all,
            with_right: all,
            walled_left: none,
            walled_right: none,
            open_wells: none,
            open_depths: WordsOf::<R>::splat(0),
            closed_wells: none,
            full_before: all,
            full_from: all,
            steps_before: zero,
            steps_from: zero,
        }
    }
}

/// Boards of one size, prepared for the features of their placements. `FAST` selects the rule for
/// wells.
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

impl<R: RowSets> PreparedColumn<R> {
    #[inline(always)]
    fn find_hole_free_rows(&mut self, rows_with_holes: R) {
        let one = R::Bytes::splat(1);
        let hole_free = self.filled.and_not(rows_with_holes);
        let highest = self.filled.xor(self.filled.shr::<1>());
        let n = hole_free.count();
        // A mask is -1 where it is set.
        let below = n.sub(one).sub(hole_free.and(highest).is_empty());
        let second = highest.shr::<1>();
        let below_second = below.sub(one).sub(hole_free.and(second).is_empty());
        self.hole_free_rows = [n, below, below_second];
    }
}

/// Returns the height difference from `left` to `right` as a bit: bit 0 for -2 to bit 4 for 2, or
/// no bit for other differences.
#[inline(always)]
fn step<B: ByteVector>(left: B, right: B) -> B {
    // The difference + 3, clamped to 0..=6: 1 to 5 are those that count.
    const STEPS: NibbleTable = [0, 1, 2, 4, 8, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let shifted = right.add(B::splat(3)).sub_saturating(left);
    shifted.min(B::splat(6)).lookup(&STEPS)
}

/// Returns the number of different steps.
#[inline(always)]
fn n_steps<B: ByteVector>(steps: B) -> B {
    const LOW: NibbleTable = super::vectors::COUNTS;
    let low = steps.and(B::splat(0xF));
    // The fifth step.
    let high = B::splat(1).add(steps.and(B::splat(0x10)).equal(B::splat(0)));
    low.lookup(&LOW).add(high)
}
