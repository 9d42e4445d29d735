//! A column on every board, prepared for the pieces that land on it or beside it.

use crate::batch::vectors::{ByteVector, COUNTS, NibbleTable, RowSets, WordVector};
use crate::rules::MAX_WIDTH;

/// The number of walls on each side, so that the columns beside a piece have two neighbors.
pub(super) const N_WALLS: usize = 2;

/// The number of columns of the widest piece plus those beside it.
pub(super) const WINDOW: usize = 4 + 2 * N_WALLS;

/// The number of columns of the widest board plus room for the last column's window.
pub(super) const PADDED: usize = MAX_WIDTH + WINDOW;

/// The height of the side walls: no column is higher.
const WALL_HEIGHT: u8 = 32;

pub(super) type WordsOf<R> = <<R as RowSets>::Bytes as ByteVector>::Words;

/// A prepared column on every board.
#[derive(Clone, Copy)]
pub(super) struct PreparedColumn<R: RowSets> {
    pub(super) cells: R,
    pub(super) height: R::Bytes,
    /// The sum of the heights of the columns before.
    pub(super) height_before: R::Bytes,
    /// All cells below the height.
    pub(super) filled: R,
    pub(super) holes: R,
    /// The mask of the boards on which the column has no holes.
    pub(super) solid: R::Bytes,
    /// The mask of the boards on which the cell below the column's highest is empty or absent.
    pub(super) thin: R::Bytes,
    /// The number of rows without holes below the column's height, and below the height minus one
    /// and minus two.
    pub(super) hole_free_rows: [R::Bytes; 3],
    /// The column's cells, with the cells of the left or right column above the column's height:
    /// there, a piece on the other side makes wells.
    pub(super) with_left: R,
    pub(super) with_right: R,
    /// The holes with a full cell to the left only, or to the right only.
    pub(super) walled_left: R,
    pub(super) walled_right: R,
    /// The well cells above the column, and their depths.
    pub(super) open_wells: R,
    pub(super) open_depths: WordsOf<R>,
    /// The holes that are well cells.
    pub(super) closed_wells: R,
    /// The rows that are full in all columns before, and in all from this one on.
    pub(super) full_before: R,
    pub(super) full_from: R,
    /// The height differences of neighboring columns as in [`step`], before this column and from it
    /// on.
    pub(super) steps_before: R::Bytes,
    pub(super) steps_from: R::Bytes,
}

impl<R: RowSets> PreparedColumn<R> {
    /// Creates a wall with `cells`.
    #[inline(always)]
    pub(super) fn wall(cells: R) -> Self {
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

    #[inline(always)]
    pub(super) fn find_hole_free_rows(&mut self, rows_with_holes: R) {
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
pub(super) fn step<B: ByteVector>(left: B, right: B) -> B {
    // The difference + 3, clamped to 0..=6: 1 to 5 are those that count.
    const STEPS: NibbleTable = [0, 1, 2, 4, 8, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let shifted = right.add(B::splat(3)).sub_saturating(left);
    shifted.min(B::splat(6)).lookup(&STEPS)
}

/// Returns the number of different steps.
#[inline(always)]
pub(super) fn n_steps<B: ByteVector>(steps: B) -> B {
    let low = steps.and(B::splat(0xF));
    // The fifth step.
    let high = B::splat(1).add(steps.and(B::splat(0x10)).equal(B::splat(0)));
    low.lookup(&COUNTS).add(high)
}
