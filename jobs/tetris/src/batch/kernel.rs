//! The features of all placements of a piece on many boards at once: one board in each lane.
//!
//! As in [`Afterstates`](crate::features::Afterstates), a placement that removes no row changes
//! features only in its own columns and beside them. A lane's landing row is never used to shift by:
//! `1 << row` is the largest of the columns' `1 << height`, and what lands there is a product.

mod landed;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

pub(super) use landed::{Landed, Visit};

use super::lanes::{Lane, Lanes};
use crate::rules::{BoardSize, MAX_WIDTH, Overflow};

/// The walls on each side, so that the columns beside a piece have two neighbors.
const N_WALLS: usize = 2;

/// The columns of the widest piece and those beside it.
const WINDOW: usize = 4 + 2 * N_WALLS;

/// The columns of the widest board with room for the last column's window.
const PADDED: usize = MAX_WIDTH + WINDOW;

/// Features in the order of weights; landing height is doubled.
pub(super) type FeatureLanes<L> = [L; 9];

/// Boards of one size, prepared for the features of their placements. `FAST` says which wells
/// count, `DIVERSITY` whether pattern diversity is needed; without, it is 0.
pub(super) struct Boards<L, const FAST: bool, const DIVERSITY: bool> {
    size: BoardSize,
    overflow: Overflow,
    /// Column c is at c + `N_WALLS`, between walls that are full.
    columns: [L; PADDED],
    heights: [L; PADDED],
    /// `1 << height`.
    tops: [L; PADDED],
    /// All cells below the height.
    filled: [L; PADDED],
    holes: [L; PADDED],
    /// The mask of the boards on which the column has no hole.
    solid: [L; PADDED],
    /// [`Lanes::above`] of the heights.
    above: [L; PADDED],
    /// The depths of the well cells above the column.
    open_wells: [L; PADDED],
    /// The holes that are well cells.
    closed_well_cells: [L; PADDED],
    /// The rows that are full in all columns before c, and in all from c on.
    full_before: [L; MAX_WIDTH + 1],
    full_from: [L; MAX_WIDTH + 1],
    rows_with_holes: L,
    row_transitions: L,
    column_transitions: L,
    n_holes: L,
    well_sum: L,
    hole_depth: L,
    /// Height differences of neighboring columns as in [`step`], before column c and from c on.
    steps_before: [L; MAX_WIDTH + 1],
    steps_from: [L; MAX_WIDTH + 1],
}

impl<L: Lanes, const FAST: bool, const DIVERSITY: bool> Boards<L, FAST, DIVERSITY> {
    /// No boards yet.
    #[inline(always)]
    pub(super) fn none(size: BoardSize, overflow: Overflow) -> Self {
        let zero = L::splat(0);
        let mut wall = L::ZEROS;
        wall.as_mut().fill(L::Lane::from_column(size.full_column()));
        let wall = L::load(&wall);
        Self {
            size,
            overflow,
            columns: [wall; PADDED],
            heights: [zero; PADDED],
            tops: [zero; PADDED],
            filled: [wall; PADDED],
            holes: [zero; PADDED],
            solid: [zero; PADDED],
            above: [zero; PADDED],
            open_wells: [zero; PADDED],
            closed_well_cells: [zero; PADDED],
            full_before: [L::splat(u32::MAX); MAX_WIDTH + 1],
            full_from: [L::splat(u32::MAX); MAX_WIDTH + 1],
            rows_with_holes: zero,
            row_transitions: zero,
            column_transitions: zero,
            n_holes: zero,
            well_sum: zero,
            hole_depth: zero,
            steps_before: [zero; MAX_WIDTH + 1],
            steps_from: [zero; MAX_WIDTH + 1],
        }
    }

    /// Prepares the boards whose columns are `columns`, without full rows and less than
    /// [`Lanes::BITS`] high.
    #[inline(always)]
    pub(super) fn set(&mut self, columns: &[L; MAX_WIDTH]) {
        let (this, zero, one) = (self, L::splat(0), L::splat(1));
        let wall = this.columns[0];
        let (mut rows_with_holes, mut column_transitions, mut n_holes) = (zero, zero, zero);
        let (mut well_sum, mut hole_depth) = (zero, zero);
        // Rows that lanes have no bits for are empty.
        let mut row_transitions = L::splat(2 * this.size.height().saturating_sub(L::BITS));
        let width = this.size.width() as usize;
        this.columns[N_WALLS..N_WALLS + width].copy_from_slice(&columns[..width]);
        for c in 0..width {
            let at = c + N_WALLS;
            let (left, x) = (this.columns[at - 1], this.columns[at]);
            let walled = left.and(this.columns[at + 1]);
            let filled = x.filled();
            let holes = filled.and_not(x);
            let height = filled.count_ones();
            let closed = walled.and(holes);
            this.heights[at] = height;
            this.tops[at] = filled.add(one);
            this.filled[at] = filled;
            this.holes[at] = holes;
            this.solid[at] = holes.equal(zero);
            this.above[at] = L::above(height);
            this.open_wells[at] =
                open::<L, FAST>(walled.and_not(filled), filled).depths(this.above[at]);
            this.closed_well_cells[at] = closed;
            this.full_before[c + 1] = this.full_before[c].and(x);
            rows_with_holes = rows_with_holes.or(holes);
            n_holes = n_holes.add(holes.count_ones());
            row_transitions = row_transitions.add(left.xor(x).count_ones());
            column_transitions = column_transitions.add(x.xor(x.shl_1().or(one)).count_ones());
            hole_depth = hole_depth.add(x.and(x.add(one)).count_ones());
            well_sum = well_sum.add(this.open_wells[at]);
            if closed.any() {
                well_sum = well_sum.add(closed_depths::<L, FAST>(closed, x));
            }
        }
        let last = this.columns[width + N_WALLS - 1];
        row_transitions = row_transitions.add(last.xor(wall).count_ones());
        for c in (0..width).rev() {
            this.full_from[c] = this.full_from[c + 1].and(this.columns[c + N_WALLS]);
        }
        (this.rows_with_holes, this.row_transitions) = (rows_with_holes, row_transitions);
        (this.column_transitions, this.n_holes) = (column_transitions, n_holes);
        (this.well_sum, this.hole_depth) = (well_sum, hole_depth);
        if DIVERSITY {
            this.find_steps(width);
        }
    }

    #[inline(always)]
    fn find_steps(&mut self, width: usize) {
        let heights = &self.heights[N_WALLS..];
        for c in 1..width {
            self.steps_before[c + 1] = self.steps_before[c].or(step(heights[c - 1], heights[c]));
        }
        for c in (1..width).rev() {
            self.steps_from[c - 1] = self.steps_from[c].or(step(heights[c - 1], heights[c]));
        }
    }

    /// The features of the boards themselves, but the first two.
    #[inline(always)]
    pub(super) fn features(&self) -> FeatureLanes<L> {
        let zero = L::splat(0);
        [
            zero,
            zero,
            self.row_transitions,
            self.column_transitions,
            self.n_holes,
            self.well_sum,
            self.hole_depth,
            self.rows_with_holes.count_ones(),
            self.steps_from[0].count_ones(),
        ]
    }
}

/// The well cells among those above `filled`, where `cells` are the walled ones of a run.
#[inline(always)]
fn open<L: Lanes, const FAST: bool>(cells: L, filled: L) -> L {
    if FAST { cells.filled().and_not(filled) } else { cells }
}

/// The depths of well cells that are holes of the columns `x`.
#[inline(always)]
fn closed_depths<L: Lanes, const FAST: bool>(mut cells: L, x: L) -> L {
    if FAST {
        loop {
            let more = cells.or(cells.shr(1).and_not(x));
            if !more.xor(cells).any() {
                break;
            }
            cells = more;
        }
    }
    let mut sum = L::splat(0);
    while cells.any() {
        sum = sum.add(cells.count_ones());
        cells = cells.shr(1).and_not(x);
    }
    sum
}

/// The height difference from `left` to `right` as a bit: bit 0 for -2 to bit 4 for 2, or none.
#[inline(always)]
fn step<L: Lanes>(left: L, right: L) -> L {
    // The difference + 3, clamped to 0..=6: 1 to 5 are those that count.
    const STEPS: [u8; 16] = [0, 1, 2, 4, 8, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let shifted = right.add(L::splat(3)).sub_saturating(left);
    let six = L::splat(6);
    six.sub(six.sub_saturating(shifted)).lookup(&STEPS)
}
