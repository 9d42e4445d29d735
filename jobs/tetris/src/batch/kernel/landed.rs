//! Where a piece lands on each board, and what changes.

use super::{Boards, FeatureLanes, N_WALLS, WINDOW, closed_depths, open, step};
use crate::batch::lanes::Lanes;
use crate::rules::{Orientation, Overflow, Piece};

/// One placement on all boards.
pub(in crate::batch) struct Landed<L> {
    /// The features, where `playable`.
    pub(in crate::batch) features: FeatureLanes<L>,
    /// The mask of the boards on which the placement neither ends the game nor removes rows.
    pub(in crate::batch) playable: L,
    /// The mask of the boards on which rows are removed.
    pub(in crate::batch) removes: L,
    /// The rows that are full, before they are removed.
    pub(in crate::batch) full: L,
    /// `1 <<` the row of the piece's lowest cells.
    pub(in crate::batch) row_bit: L,
}

/// Who looks at placements. No closure: closures are not compiled for the instructions of the
/// function that they are inlined into.
pub(in crate::batch) trait Visit<L> {
    /// Looks at the next placement.
    fn visit(&mut self, landed: &Landed<L>);
}

/// An orientation, in every lane.
struct Shape<L> {
    bottom: [u32; 4],
    bottoms: [L; 4],
    /// The cells of each column, those with none of the piece to their left, and to their right.
    cells: [L; 4],
    left: [L; 4],
    right: [L; 4],
    n_cells: [L; 4],
    /// The row above the cells of each column, and `1 <<` that and the lowest row.
    ends: [L; 4],
    bottom_bits: [L; 4],
    end_bits: [L; 4],
    sum_of_bottoms: L,
    n_rows: L,
}

impl<L: Lanes> Shape<L> {
    #[inline(always)]
    fn of(orientation: &Orientation) -> Self {
        let cells = orientation.cells;
        let beside = |c: usize| cells.get(c).copied().unwrap_or(0);
        let bottom = orientation.bottoms.map(u32::from);
        let end = |c: usize| bottom[c] + u32::from(orientation.n_cells[c]);
        Self {
            bottom,
            bottoms: splats([0, 1, 2, 3].map(|c: usize| bottom[c].into())),
            cells: splats([0, 1, 2, 3].map(|c: usize| cells[c])),
            left: splats([0, 1, 2, 3].map(|c: usize| cells[c] & !beside(c.wrapping_sub(1)))),
            right: splats([0, 1, 2, 3].map(|c: usize| cells[c] & !beside(c + 1))),
            n_cells: splats([0, 1, 2, 3].map(|c: usize| orientation.n_cells[c].into())),
            ends: splats([0, 1, 2, 3].map(|c: usize| end(c).into())),
            bottom_bits: splats([0, 1, 2, 3].map(|c: usize| 1 << bottom[c])),
            end_bits: splats([0, 1, 2, 3].map(|c: usize| 1 << end(c))),
            sum_of_bottoms: L::splat(bottom[..orientation.width].iter().sum()),
            n_rows: L::splat(orientation.height),
        }
    }
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a piece has at most four rows")]
fn splats<L: Lanes>(numbers: [u64; 4]) -> [L; 4] {
    let [a, b, c, d] = numbers;
    [L::splat(a as u32), L::splat(b as u32), L::splat(c as u32), L::splat(d as u32)]
}

impl<L: Lanes, const FAST: bool, const DIVERSITY: bool> Boards<L, FAST, DIVERSITY> {
    /// Each placement of `piece` on all boards, in the order in which ties are decided. Above
    /// the boards there must be bits for the piece.
    #[inline(always)]
    pub(in crate::batch) fn each(&self, piece: Piece, visit: &mut impl Visit<L>) {
        for orientation in piece.orientations() {
            let shape = Shape::of(orientation);
            // Loops over a known number of columns are unrolled.
            match orientation.width {
                1 => self.each_column::<1>(&shape, visit),
                2 => self.each_column::<2>(&shape, visit),
                3 => self.each_column::<3>(&shape, visit),
                _ => self.each_column::<4>(&shape, visit),
            }
        }
    }

    #[inline(always)]
    fn each_column<const N: usize>(&self, shape: &Shape<L>, visit: &mut impl Visit<L>) {
        for column in 0..=self.size.width() as usize - N {
            visit.visit(&self.landed::<N>(shape, column));
        }
    }

    /// The piece of `shape`, which covers `N` columns, above the columns from `from` on.
    #[inline(always)]
    fn landed<const N: usize>(&self, shape: &Shape<L>, from: usize) -> Landed<L> {
        let at = from + N_WALLS;
        let zero = L::splat(0);
        let (mut row, mut row_bit) = (zero, L::splat(1));
        for c in 0..N {
            row = row.max(self.heights[at + c].sub_saturating(shape.bottoms[c]));
            row_bit = row_bit.max(self.tops[at + c].shr(shape.bottom[c]));
        }
        let mut window: [L; WINDOW] = *self.columns[from..].first_chunk().expect("padded");
        let mut full = self.full_before[from].and(self.full_from[from + N]);
        let (mut left, mut right) = (zero, zero);
        let mut with_holes = self.rows_with_holes;
        let (mut floating, mut gaps, mut depth) = (L::splat(0), shape.sum_of_bottoms, zero);
        for c in 0..N {
            let height = self.heights[at + c];
            let rests = row.add(shape.bottoms[c]).equal(height);
            // A mask is -1 where it is set.
            floating = floating.add(L::splat(1)).add(rests);
            gaps = gaps.add(row).sub(height);
            depth = depth.add(shape.n_cells[c].and_not(rests.and(self.solid[at + c])));
            with_holes = with_holes.or(row_bit.mul(shape.bottom_bits[c]).sub(self.tops[at + c]));
            left = left.or(self.columns[at + c - 1].and(row_bit.mul(shape.left[c])));
            right = right.or(self.columns[at + c + 1].and(row_bit.mul(shape.right[c])));
            window[N_WALLS + c] = window[N_WALLS + c].or(row_bit.mul(shape.cells[c]));
            full = full.and(window[N_WALLS + c]);
        }
        let beside = left.byte_counts().add(right.byte_counts()).sum_bytes();
        let rows = shape.n_rows.sub(beside);
        let diversity = if DIVERSITY { self.diversity::<N>(shape, from, row) } else { zero };
        let features = [
            row.add(row).add(shape.n_rows).sub(L::splat(1)),
            zero,
            // Each of the piece's rows brings two transitions, and each full cell beside it takes
            // two.
            self.row_transitions.add(rows).add(rows),
            // A gap ends below the piece and begins above what the piece would have stood on.
            self.column_transitions.add(floating).add(floating),
            self.n_holes.add(gaps),
            self.well_sum.add(self.wells_change::<N>(shape, from, row, row_bit, &window)),
            self.hole_depth.add(depth),
            with_holes.count_ones(),
            diversity,
        ];
        let too_high = row.add(shape.n_rows).sub_saturating(L::splat(self.size.height()));
        let fits = too_high.equal(zero);
        let removes_none = full.equal(zero);
        let may_remove = match self.overflow {
            Overflow::EndsGame => fits,
            Overflow::ClearsFirst => L::splat(u32::MAX),
        };
        Landed {
            features,
            playable: fits.and(removes_none),
            removes: may_remove.and_not(removes_none),
            full,
            row_bit,
        }
    }

    /// By how much wells change when the columns around `from` become `window`.
    #[inline(always)]
    fn wells_change<const N: usize>(
        &self,
        shape: &Shape<L>,
        from: usize,
        row: L,
        row_bit: L,
        window: &[L; WINDOW],
    ) -> L {
        let one = L::splat(1);
        let mut change = L::splat(0);
        // Holes that were no well cells become some if the piece walls them in.
        let mut newly_closed = L::splat(0);
        for c in N_WALLS..N_WALLS + N {
            let at = from + c;
            let walled = window[c - 1].and(window[c + 1]);
            newly_closed =
                newly_closed.or(walled.and(self.holes[at]).and_not(self.closed_well_cells[at]));
            let cells = walled.and_not(self.filled[at]);
            let below = row_bit.mul(shape.bottom_bits[c - N_WALLS]).sub(one);
            let under = open::<L, FAST>(cells.and(below), self.filled[at]);
            let filled_to_end = row_bit.mul(shape.end_bits[c - N_WALLS]).sub(one);
            let over = open::<L, FAST>(cells.and_not(filled_to_end), filled_to_end);
            let end = L::above(row.add(shape.ends[c - N_WALLS]));
            change = change.sub(self.open_wells[at]);
            change = change.add(under.depths(self.above[at])).add(over.depths(end));
        }
        // The columns beside the piece.
        for c in [N_WALLS - 1, N_WALLS + N] {
            let at = from + c;
            let walled = window[c - 1].and(window[c + 1]);
            newly_closed =
                newly_closed.or(walled.and(self.holes[at]).and_not(self.closed_well_cells[at]));
            let cells = open::<L, FAST>(walled.and_not(self.filled[at]), self.filled[at]);
            change = change.sub(self.open_wells[at]).add(cells.depths(self.above[at]));
        }
        if newly_closed.any() {
            change = change.add(self.closed_change::<N>(from, window));
        }
        change
    }

    /// By how much the wells inside holes change.
    #[inline(always)]
    fn closed_change<const N: usize>(&self, from: usize, window: &[L; WINDOW]) -> L {
        let mut change = L::splat(0);
        for c in N_WALLS - 1..N_WALLS + N + 1 {
            let at = from + c;
            let x = self.columns[at];
            let closed = window[c - 1].and(window[c + 1]).and(self.holes[at]);
            let old = self.closed_well_cells[at];
            change = change.add(closed_depths::<L, FAST>(closed, x));
            change = change.sub(closed_depths::<L, FAST>(old, x));
        }
        change
    }

    /// How many of -2, -1, 0, 1, 2 occur among the height differences.
    #[inline(always)]
    fn diversity<const N: usize>(&self, shape: &Shape<L>, from: usize, row: L) -> L {
        let at = from + N_WALLS;
        let mut steps = self.steps_before[from].or(self.steps_from[from + N]);
        if 0 < from {
            steps = steps.or(step(self.heights[at - 1], row.add(shape.ends[0])));
        }
        for c in 1..N {
            steps = steps.or(step(row.add(shape.ends[c - 1]), row.add(shape.ends[c])));
        }
        if from + N < self.size.width() as usize {
            steps = steps.or(step(row.add(shape.ends[N - 1]), self.heights[at + N]));
        }
        steps.count_ones()
    }
}
