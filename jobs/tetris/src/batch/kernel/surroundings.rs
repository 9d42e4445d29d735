//! The cells around a piece where it lands.

use super::column::{N_WALLS, PreparedColumn, WINDOW};
use super::shape::ConstShape;
use crate::batch::vectors::{ByteVector, COUNTS, NibbleTable, RowSets};

/// The cells around a placement.
pub(super) struct PieceSurroundings<R: RowSets> {
    /// The row of the piece's lowest cells.
    pub(super) row: R::Bytes,
    pub(super) shift: R::Shift,
    /// The mask of the boards on which each column of the piece rests on the board's column.
    pub(super) rests: [R::Bytes; 4],
    /// The full cells of the board below the piece's cells, from `row` on.
    below: [R::Bytes; 4],
    /// The full cells of the columns beside the piece, from `row` on.
    pub(super) cells_left: R::Bytes,
    pub(super) cells_right: R::Bytes,
    /// The cells above those columns that have a full cell on their far side.
    pub(super) open_left: R::Bytes,
    pub(super) open_right: R::Bytes,
}

impl<R: RowSets> PieceSurroundings<R> {
    #[inline(always)]
    pub(super) fn of<const I: usize>(window: &[PreparedColumn<R>; WINDOW]) -> Self {
        // The mask of the rows below a height.
        const UP_TO: NibbleTable = [0, 1, 3, 7, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let splat = R::Bytes::splat;
        let (width, bottoms) = (ConstShape::<I>::WIDTH, ConstShape::<I>::BOTTOMS);
        let beside = [&window[N_WALLS - 1], &window[N_WALLS + width]];
        let mut row = splat(0);
        for c in 0..width {
            row = row.max(window[N_WALLS + c].height.sub_saturating(splat(bottoms[c])));
        }
        let (mut rests, mut below) = ([splat(0); 4], [splat(0); 4]);
        for c in 0..width {
            let height = window[N_WALLS + c].height;
            rests[c] = row.add(splat(bottoms[c])).equal(height);
            below[c] = match bottoms[c] {
                0 => splat(0),
                1 => rests[c].and(splat(1)),
                _ => {
                    let one = row.add(splat(1)).equal(height).and(splat(1));
                    rests[c].and(splat(3).add(window[N_WALLS + c].thin)).or(one)
                }
            };
        }
        let shift = R::shift(row);
        let above_left = beside[0].height.sub_saturating(row).min(splat(4));
        let above_right = beside[1].height.sub_saturating(row).min(splat(4));
        let (filled_left, filled_right) = (above_left.lookup(&UP_TO), above_right.lookup(&UP_TO));
        let (left, right) = (beside[0].with_left.window(shift), beside[1].with_right.window(shift));
        Self {
            row,
            shift,
            rests,
            below,
            cells_left: left.and(filled_left),
            cells_right: right.and(filled_right),
            open_left: left.and_not(filled_left),
            open_right: right.and_not(filled_right),
        }
    }

    /// Returns the full rows from the piece's lowest row on.
    #[inline(always)]
    pub(super) fn full_rows<const I: usize>(
        &self,
        window: &[PreparedColumn<R>; WINDOW],
    ) -> R::Bytes {
        let splat = R::Bytes::splat;
        let width = ConstShape::<I>::WIDTH;
        let others = window[N_WALLS].full_before.and(window[N_WALLS + width].full_from);
        let mut full = others.window(self.shift);
        let mut own = 0xF;
        for c in 0..width {
            let cells = ConstShape::<I>::cells(c);
            if ConstShape::<I>::BOTTOMS[c] == 0 {
                own &= cells;
            } else {
                full = full.and(self.below[c].or(splat(cells)));
            }
        }
        full.and(splat(own))
    }

    /// Returns the mask of the boards with a full cell in the piece's row `K`, left of its column
    /// `C`; `None` if there cannot be one.
    #[inline(always)]
    pub(super) fn full_left<const I: usize, const C: usize, const K: usize>(
        &self,
    ) -> Option<R::Bytes> {
        if C == 0 { Some(has_bit(self.cells_left, K)) } else { self.full_below::<I>(C - 1, K) }
    }

    /// Like [`full_left`](Self::full_left), right of the piece's column `C`.
    #[inline(always)]
    pub(super) fn full_right<const I: usize, const C: usize, const K: usize>(
        &self,
    ) -> Option<R::Bytes> {
        if C + 1 == ConstShape::<I>::WIDTH {
            Some(has_bit(self.cells_right, K))
        } else {
            self.full_below::<I>(C + 1, K)
        }
    }

    #[inline(always)]
    fn full_below<const I: usize>(&self, c: usize, k: usize) -> Option<R::Bytes> {
        match ConstShape::<I>::BOTTOMS[c] as usize {
            bottom if bottom <= k => None,
            bottom if bottom == k + 1 => Some(self.rests[c]),
            _ => Some(has_bit(self.below[c], k)),
        }
    }
}

/// Returns the mask of the numbers that have the bit `k`.
#[inline(always)]
fn has_bit<B: ByteVector>(rows: B, k: usize) -> B {
    let bit = B::splat(1 << k);
    rows.and(bit).equal(bit)
}

impl<R: RowSets> PieceSurroundings<R> {
    /// Returns the number of full cells that touch the piece's cells from the left or the right.
    #[inline(always)]
    pub(super) fn n_touching<const I: usize>(&self) -> R::Bytes {
        let mut n = self.cells_left.lookup(&ConstShape::<I>::TOUCHING_LEFT);
        n = n.add(self.cells_right.lookup(&ConstShape::<I>::TOUCHING_RIGHT));
        for c in 0..ConstShape::<I>::WIDTH {
            let left = if 0 < c { ConstShape::<I>::cells(c - 1) } else { 0 };
            for beside in [left, ConstShape::<I>::cells(c + 1)] {
                // A neighboring column of the piece is beside all cells below this one, or beside
                // none of them.
                match (ConstShape::<I>::BOTTOMS[c], beside & 1) {
                    (1, 1) => n = n.add(self.below[c]),
                    (2, 1) => n = n.add(self.below[c].lookup(&COUNTS)),
                    _ => {}
                }
            }
        }
        n
    }
}
