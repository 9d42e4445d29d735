//! Placements that remove rows: they change all features.

use super::load;
use crate::batch::judge::{Features, Judge};
use crate::batch::kernel::{N_FEATURES, Totals, totals};
use crate::batch::ranking::{Best, Value};
use crate::batch::vectors::{
    Block, Bytes, Each, Floats, Lane, N_BLOCKS, N_BOARDS, Rows, Task, Words,
};
use crate::rules::{BoardSize, MAX_WIDTH, Piece, Placement};

/// A placement that removes rows from one board.
#[derive(Clone, Copy)]
pub(super) struct Removing<V> {
    pub(super) lane: usize,
    /// The placement's index.
    pub(super) index: u8,
    /// The row of the piece's lowest cells.
    pub(super) row: u8,
    /// The full rows, from that one on.
    pub(super) full: u8,
    /// The value of what is left.
    pub(super) value: V,
}

/// Boards after rows were removed, in memory.
pub(super) struct Removed<R: Rows> {
    columns: [Each<R::Lane>; MAX_WIDTH],
    /// The rows that are full until then.
    full: Each<R::Lane>,
    /// The rows that have any cell after that.
    rows: Each<R::Lane>,
    /// Doubled.
    landing_heights: Each<u8>,
    eroded_cells: Each<u8>,
}

impl<R: Rows> Removed<R> {
    /// The boards with `piece` on them, with their full rows yet.
    #[inline(always)]
    pub(super) fn new(
        size: BoardSize,
        piece: Piece,
        placements: &[Placement],
        columns: &[Each<R::Lane>; MAX_WIDTH],
        removing: &[Removing<impl Value>],
    ) -> Self {
        let empty = [R::Lane::default(); N_BOARDS];
        let mut removed = Self {
            columns: [empty; MAX_WIDTH],
            full: empty,
            rows: empty,
            landing_heights: [0; N_BOARDS],
            eroded_cells: [0; N_BOARDS],
        };
        let width = size.width() as usize;
        for (at, removing) in removing.iter().enumerate() {
            for (to, from) in removed.columns[..width].iter_mut().zip(columns) {
                to[at] = from[removing.lane];
            }
            let Placement { orientation, column } = placements[removing.index as usize];
            let shape = &piece.orientations()[orientation];
            let mut n_eroded = 0;
            for (lanes, cells) in removed.columns[column..].iter_mut().zip(shape.cells) {
                let landed = lanes[at].column() | cells << removing.row;
                lanes[at] = R::Lane::of_column(landed);
                n_eroded += (cells & u64::from(removing.full)).count_ones();
            }
            let full = u64::from(removing.full);
            removed.full[at] = R::Lane::of_column(full << removing.row);
            #[expect(clippy::cast_possible_truncation, reason = "at most four times four")]
            let (n_rows, eroded) = (shape.height as u8, (full.count_ones() * n_eroded) as u8);
            removed.landing_heights[at] = 2 * removing.row + n_rows - 1;
            removed.eroded_cells[at] = eroded;
        }
        removed
    }
}

/// Removes the full rows and looks at what is left.
pub(super) struct Remove<'a, R: Rows, const FAST: bool> {
    pub(super) removed: &'a mut Removed<R>,
    pub(super) size: BoardSize,
    pub(super) diversity: bool,
    pub(super) totals: &'a mut Totals<<R::Bytes as Bytes>::Words>,
}

impl<R: Rows, const FAST: bool> Task for Remove<'_, R, FAST> {
    #[inline(always)]
    fn run(self) {
        let (zero, one) = (R::splat(0), R::splat(1));
        let width = self.size.width() as usize;
        let mut columns = load::<R>(&self.removed.columns);
        let mut full = R::load(&self.removed.full);
        while full.any() {
            // The lowest full row of each board; no row where none is left.
            let lowest = full.and(zero.sub(full));
            let below = lowest.sub(one);
            for column in &mut columns[..width] {
                *column = column.and(below).or(column.shr::<1>().and_not(below));
            }
            full = full.xor(lowest).shr::<1>();
        }
        let mut rows = zero;
        for column in &columns[..width] {
            rows = rows.or(*column);
        }
        self.removed.rows = rows.store();
        *self.totals = totals::<R, FAST>(self.size, self.diversity, &columns);
    }
}

/// Values boards whose rows were removed, and takes their placements in.
pub(super) struct Settle<'a, R: Rows, J: Judge> {
    pub(super) judge: &'a J,
    pub(super) size: BoardSize,
    pub(super) origins: &'a Totals<<R::Bytes as Bytes>::Words>,
    pub(super) removing: &'a mut [Removing<J::Value>],
    pub(super) removed: &'a Removed<R>,
    pub(super) totals: &'a Totals<<R::Bytes as Bytes>::Words>,
    pub(super) best: &'a mut Best<J::Value>,
}

impl<R: Rows, J: Judge> Task for Settle<'_, R, J> {
    #[inline(always)]
    fn run(self) {
        let mut features = [[<R::Bytes as Bytes>::Block::splat(0.0); N_BLOCKS]; N_FEATURES];
        for (idx, feature) in features.iter_mut().enumerate() {
            let mut total = self.totals[idx];
            if J::RELATIVE {
                let origins = self.origins[idx].store();
                let mut origin = [0; N_BOARDS];
                for (origin, removing) in origin.iter_mut().zip(&*self.removing) {
                    *origin = origins[removing.lane];
                }
                total = total.sub(Words::load(&origin));
            }
            *feature = total.floats();
        }
        features[0] = R::Bytes::load(&self.removed.landing_heights).floats();
        features[1] = R::Bytes::load(&self.removed.eroded_cells).floats();
        let values = self.judge.values::<R::Bytes, true>(&Settled::<R>(features));
        let values = <J::Value as Value>::in_order::<R::Bytes>(&values);
        for (at, removing) in self.removing.iter_mut().enumerate() {
            // A wall that is still too high ends the game.
            if self.removed.rows[at].column() <= self.size.full_column() {
                removing.value = values[at];
                self.best.take(removing.lane, values[at], removing.index);
            }
        }
    }
}

/// Features as they are.
struct Settled<R: Rows>([Floats<R::Bytes>; N_FEATURES]);

impl<R: Rows> Features<R::Bytes> for Settled<R> {
    #[inline(always)]
    fn feature<const IDX: usize>(&self) -> Floats<R::Bytes> {
        self.0[IDX]
    }
}
