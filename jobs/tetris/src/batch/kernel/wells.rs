//! The changes of wells by a piece.

use super::column::{N_WALLS, PreparedColumn, WINDOW, WordsOf};
use super::shape::{ConstShape, is_all_zero};
use super::surroundings::PieceSurroundings;
use crate::batch::vectors::{ByteVector, RowSets, WordVector};

/// Returns the well cells above `filled`, where `cells` are the empty ones between full neighbors;
/// fast wells reach down to `filled`.
#[inline(always)]
pub(super) fn open<R: RowSets, const FAST: bool>(cells: R, filled: R) -> R {
    if FAST { cells.filled().and_not(filled) } else { cells }
}

/// Returns the depths of well cells that are holes of the columns `x`.
#[inline(always)]
pub(super) fn closed_depths<R: RowSets, const FAST: bool>(mut cells: R, x: R) -> WordsOf<R> {
    if FAST {
        loop {
            let more = cells.or(cells.shr::<1>().and_not(x));
            if !more.xor(cells).any() {
                break;
            }
            cells = more;
        }
    }
    let mut sum = WordsOf::<R>::splat(0);
    while cells.any() {
        sum = sum.add(cells.count().words());
        cells = cells.shr::<1>().and_not(x);
    }
    sum
}

impl<R: RowSets> PieceSurroundings<R> {
    /// Returns the change of the wells. Only the piece's own cells and those beside it become well
    /// cells or cease to be, except above a vertical I and in holes.
    #[inline(always)]
    pub(super) fn wells_change<const I: usize>(
        &self,
        window: &[PreparedColumn<R>; WINDOW],
    ) -> WordsOf<R> {
        let beside = [&window[N_WALLS - 1], &window[N_WALLS + ConstShape::<I>::WIDTH]];
        let Self { row, cells_left, cells_right, open_left, open_right, .. } = *self;
        let (touching_left, touching_right) = (
            open_left.lookup(&ConstShape::<I>::TOUCHING_LEFT),
            open_right.lookup(&ConstShape::<I>::TOUCHING_RIGHT),
        );
        let mut change = R::Bytes::products(
            touching_left,
            row.sub(beside[0].height),
            touching_right,
            row.sub(beside[1].height),
        );
        let mut depths = open_left.lookup(&ConstShape::<I>::ROWS_LEFT);
        depths = depths.add(open_right.lookup(&ConstShape::<I>::ROWS_RIGHT));
        if const { !is_all_zero(&ConstShape::<I>::WELLS_LEFT) } {
            depths = depths.add(cells_left.lookup(&ConstShape::<I>::WELLS_LEFT));
        }
        if const { !is_all_zero(&ConstShape::<I>::WELLS_RIGHT) } {
            depths = depths.add(cells_right.lookup(&ConstShape::<I>::WELLS_RIGHT));
        }
        depths = self.own_column::<I, 0>(window, depths);
        depths = self.own_column::<I, 1>(window, depths);
        depths = self.own_column::<I, 2>(window, depths);
        change = change.add(depths.signed_words());
        if ConstShape::<I>::WIDTH == 1 {
            change = change.add(Self::wells_under_vertical_i(&window[N_WALLS]));
        }
        let mut closed = beside[0].walled_left.window(self.shift);
        closed = closed.and(R::Bytes::splat(ConstShape::<I>::cells(0)));
        let right = beside[1].walled_right.window(self.shift);
        let last = ConstShape::<I>::cells(ConstShape::<I>::WIDTH - 1);
        closed = closed.or(right.and(R::Bytes::splat(last)));
        closed = closed.or(self.deep_hole::<I>(window));
        if closed.any() {
            change = change.add(Self::newly_closed::<I>(window, row));
        }
        change
    }

    /// Adds to `depths` the depths of the wells that the piece makes or covers in its column `C`,
    /// below its cells and at them.
    #[inline(always)]
    fn own_column<const I: usize, const C: usize>(
        &self,
        window: &[PreparedColumn<R>; WINDOW],
        depths: R::Bytes,
    ) -> R::Bytes {
        let depths = self.own_row::<I, C, 0>(window, depths);
        let depths = self.own_row::<I, C, 1>(window, depths);
        self.own_row::<I, C, 2>(window, depths)
    }

    /// Like [`own_column`](Self::own_column), for the piece's row `K`.
    #[inline(always)]
    fn own_row<const I: usize, const C: usize, const K: usize>(
        &self,
        window: &[PreparedColumn<R>; WINDOW],
        depths: R::Bytes,
    ) -> R::Bytes {
        if ConstShape::<I>::WIDTH == 1 || ConstShape::<I>::WIDTH <= C {
            return depths;
        }
        let is_cell = |c: usize| ConstShape::<I>::cells(c) >> K & 1 == 1;
        let (piece_left, piece_right) = (0 < C && is_cell(C - 1), is_cell(C + 1));
        // 0 where the board is full up to this row.
        #[expect(clippy::cast_possible_truncation, reason = "0 to 2")]
        let depth =
            self.row.add(R::Bytes::splat(K as u8 + 1)).sub_saturating(window[N_WALLS + C].height);
        let left = self.full_left::<I, C, K>();
        let right = self.full_right::<I, C, K>();
        if K < ConstShape::<I>::BOTTOMS[C] as usize {
            // Below the piece.
            return match (piece_left, piece_right, left, right) {
                (true, true, _, _) => depths.add(depth),
                (true, false, _, Some(wall)) | (false, true, Some(wall), _) => {
                    depths.add(depth.and(wall))
                }
                _ => depths,
            };
        }
        match (is_cell(C), left, right) {
            (true, Some(left), Some(right)) => depths.sub(depth.and(left).and(right)),
            _ => depths,
        }
    }

    /// Returns the change of the wells above a column after a vertical I lands on the column.
    #[inline(always)]
    fn wells_under_vertical_i(column: &PreparedColumn<R>) -> WordsOf<R> {
        let filled = column.filled.times(16).or(R::splat(0xF));
        let over = column.open_wells.and_not(filled);
        let mut change = WordsOf::<R>::splat(0).sub(column.open_depths);
        if over.any() {
            let height = column.height.add(R::Bytes::splat(4));
            change = change.add(over.depths(height));
        }
        change
    }

    /// Returns the mask of the boards on which a hole beside the piece's lowest row, two below its
    /// cells, is now between full cells.
    #[inline(always)]
    fn deep_hole<const I: usize>(&self, window: &[PreparedColumn<R>; WINDOW]) -> R::Bytes {
        let bottoms = ConstShape::<I>::BOTTOMS;
        let none = R::Bytes::splat(0);
        match ConstShape::<I>::WIDTH {
            2 if bottoms[0] == 2 => {
                let wall = self.full_left::<I, 0, 0>().unwrap_or(none);
                self.rests[0].and(window[N_WALLS].thin).and(wall)
            }
            2 if bottoms[1] == 2 => {
                let wall = self.full_right::<I, 1, 0>().unwrap_or(none);
                self.rests[1].and(window[N_WALLS + 1].thin).and(wall)
            }
            _ => none,
        }
    }

    /// Returns the depths of holes that become well cells.
    #[inline(always)]
    fn newly_closed<const I: usize>(
        window: &[PreparedColumn<R>; WINDOW],
        row: R::Bytes,
    ) -> WordsOf<R> {
        let row = R::from_row(row);
        let mut change = WordsOf::<R>::splat(0);
        for c in N_WALLS - 1..=N_WALLS + ConstShape::<I>::WIDTH {
            let (mut left, mut right) = (window[c - 1].cells, window[c + 1].cells);
            if N_WALLS < c {
                left = left.or(row.times(ConstShape::<I>::cells(c - 1 - N_WALLS).into()));
            }
            right = right.or(row.times(ConstShape::<I>::cells(c + 1 - N_WALLS).into()));
            let PreparedColumn { cells, holes, closed_wells, .. } = window[c];
            let closed = left.and(right).and(holes).and_not(closed_wells);
            if closed.any() {
                change = change.add(closed_depths::<R, false>(closed, cells));
            }
        }
        change
    }

    /// Returns the change of the wells by the fast rule.
    #[inline(always)]
    pub(super) fn fast_wells_change<const I: usize>(
        &self,
        window: &[PreparedColumn<R>; WINDOW],
    ) -> WordsOf<R> {
        let row = self.row;
        let row_bit = R::from_row(row);
        let mut after = [R::splat(0); WINDOW];
        for (after, column) in after.iter_mut().zip(window) {
            *after = column.cells;
        }
        for c in 0..ConstShape::<I>::WIDTH {
            let own = row_bit.times(ConstShape::<I>::cells(c).into());
            after[N_WALLS + c] = after[N_WALLS + c].or(own);
        }
        let one = R::splat(1);
        let mut change = WordsOf::<R>::splat(0);
        // Holes become well cells if the piece walls them in.
        let mut newly_closed = R::splat(0);
        for c in N_WALLS - 1..N_WALLS + ConstShape::<I>::WIDTH + 1 {
            let PreparedColumn { height, filled, holes, open_depths, closed_wells, .. } = window[c];
            let walled = after[c - 1].and(after[c + 1]);
            newly_closed = newly_closed.or(walled.and(holes).and_not(closed_wells));
            let mut cells = walled.and_not(filled);
            change = change.sub(open_depths);
            if (N_WALLS..N_WALLS + ConstShape::<I>::WIDTH).contains(&c) {
                let end = ConstShape::<I>::end(c - N_WALLS);
                let filled_to_end = row_bit.times(1 << end).sub(one);
                let over = open::<R, true>(cells.and_not(filled_to_end), filled_to_end);
                change = change.add(over.depths(row.add(R::Bytes::splat(end))));
                let below = row_bit.times(1 << ConstShape::<I>::BOTTOMS[c - N_WALLS]).sub(one);
                cells = cells.and(below);
            }
            change = change.add(open::<R, true>(cells, filled).depths(height));
        }
        if newly_closed.any() {
            for c in N_WALLS - 1..N_WALLS + ConstShape::<I>::WIDTH + 1 {
                let PreparedColumn { cells, holes, closed_wells, .. } = window[c];
                let closed = after[c - 1].and(after[c + 1]).and(holes);
                change = change.add(closed_depths::<R, true>(closed, cells));
                change = change.sub(closed_depths::<R, true>(closed_wells, cells));
            }
        }
        change
    }
}
