//! Evaluation of placements that remove rows: they change all features.

use crate::batch::evaluator::{BatchEvaluator, FeatureVectors};
use crate::batch::kernel::{FeatureTotals, N_FEATURES, totals};
use crate::batch::ranking::{BatchValue, BestPlacements};
use crate::batch::vectors::{
    BoardRows, ByteVector, FloatBlock, FloatBlocks, N_BLOCKS, N_BOARDS, PerBoard, RowBits, RowSets,
    VectorTask, WordVector,
};
use crate::rules::{BoardSize, MAX_WIDTH, Piece, Placement};

/// A placement that removes rows from one board.
#[derive(Clone, Copy)]
pub(super) struct ClearingPlacement<V> {
    pub(super) lane: usize,
    /// The index of the placement.
    pub(super) index: u8,
    /// The row of the piece's lowest cells.
    pub(super) row: u8,
    /// The full rows, from `row` on.
    pub(super) full: u8,
    /// The value of the board afterwards.
    pub(super) value: V,
}

/// Boards after rows were removed, in memory.
pub(super) struct ClearedBoards<R: RowSets> {
    rows: BoardRows<R>,
    /// The full rows, before they are removed.
    full: PerBoard<R::Lane>,
    /// The rows with any full cell, after the full ones are removed.
    occupied: PerBoard<R::Lane>,
    /// The landing heights, doubled.
    landing_heights: PerBoard<u8>,
    eroded_cells: PerBoard<u8>,
}

impl<R: RowSets> ClearedBoards<R> {
    /// Creates the boards with `piece` on them, before their full rows are removed.
    #[inline(always)]
    pub(super) fn new(
        piece: Piece,
        placements: &[Placement],
        rows: &BoardRows<R>,
        clearing: &[ClearingPlacement<impl BatchValue>],
    ) -> Self {
        let empty = [R::Lane::default(); N_BOARDS];
        let mut cleared = Self {
            rows: [[R::Lane::default(); MAX_WIDTH]; N_BOARDS],
            full: empty,
            occupied: empty,
            landing_heights: [0; N_BOARDS],
            eroded_cells: [0; N_BOARDS],
        };
        for (at, clearing) in clearing.iter().enumerate() {
            let Placement { orientation, column } = placements[clearing.index as usize];
            let shape = &piece.orientations()[orientation];
            let (before, after) = (&rows[clearing.lane], &mut cleared.rows[at]);
            for ((before, after), &cells) in before.iter().zip(after).zip(shape.cells_from(column))
            {
                *after = before.with(cells, clearing.row);
            }
            let full = u64::from(clearing.full);
            let n_eroded = shape.n_cells_in(full);
            cleared.full[at] = R::Lane::from_column(full << clearing.row);
            #[expect(clippy::cast_possible_truncation, reason = "at most four times four")]
            let (n_rows, eroded) = (shape.height as u8, (full.count_ones() * n_eroded) as u8);
            cleared.landing_heights[at] = 2 * clearing.row + n_rows - 1;
            cleared.eroded_cells[at] = eroded;
        }
        cleared
    }
}

/// Removes the full rows and computes the features of the remaining boards.
pub(super) struct ClearRows<'a, R: RowSets, const FAST: bool> {
    pub(super) cleared: &'a mut ClearedBoards<R>,
    pub(super) size: BoardSize,
    pub(super) diversity: bool,
    pub(super) totals: &'a mut FeatureTotals<<R::Bytes as ByteVector>::Words>,
}

impl<R: RowSets, const FAST: bool> VectorTask for ClearRows<'_, R, FAST> {
    #[inline(always)]
    fn run(self) {
        let (zero, one) = (R::splat(0), R::splat(1));
        let width = self.size.width() as usize;
        let mut columns: [R; MAX_WIDTH] = R::load_columns(&self.cleared.rows);
        let mut full = R::load(&self.cleared.full);
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
        self.cleared.occupied = rows.store();
        *self.totals = totals::<R, FAST>(self.size, self.diversity, &columns);
    }
}

/// Values the boards after rows were removed, and ranks their placements.
pub(super) struct RankCleared<'a, R: RowSets, E: BatchEvaluator> {
    pub(super) evaluator: &'a E,
    pub(super) size: BoardSize,
    pub(super) origins: &'a FeatureTotals<<R::Bytes as ByteVector>::Words>,
    pub(super) clearing: &'a mut [ClearingPlacement<E::Value>],
    pub(super) cleared: &'a ClearedBoards<R>,
    pub(super) totals: &'a FeatureTotals<<R::Bytes as ByteVector>::Words>,
    pub(super) best: &'a mut BestPlacements<E::Value>,
}

impl<R: RowSets, E: BatchEvaluator> VectorTask for RankCleared<'_, R, E> {
    #[inline(always)]
    fn run(self) {
        let mut features = [[<R::Bytes as ByteVector>::Block::splat(0.0); N_BLOCKS]; N_FEATURES];
        for (idx, feature) in features.iter_mut().enumerate() {
            let mut total = self.totals[idx];
            if E::RELATIVE {
                let origins = self.origins[idx].store();
                let mut origin = [0; N_BOARDS];
                for (origin, clearing) in origin.iter_mut().zip(&*self.clearing) {
                    *origin = origins[clearing.lane];
                }
                total = total.sub(WordVector::load(&origin));
            }
            *feature = total.floats();
        }
        features[0] = R::Bytes::load(&self.cleared.landing_heights).floats();
        features[1] = R::Bytes::load(&self.cleared.eroded_cells).floats();
        let values = self.evaluator.values::<R::Bytes, true>(&ClearedFeatures::<R>(features));
        let values = <E::Value as BatchValue>::in_order::<R::Bytes>(&values);
        for (at, clearing) in self.clearing.iter_mut().enumerate() {
            // A wall that is still too high ends the game.
            if self.cleared.occupied[at].column() <= self.size.full_column() {
                clearing.value = values[at];
                self.best.take(clearing.lane, values[at], clearing.index);
            }
        }
    }
}

/// Features in the order of boards.
struct ClearedFeatures<R: RowSets>([FloatBlocks<R::Bytes>; N_FEATURES]);

impl<R: RowSets> FeatureVectors<R::Bytes> for ClearedFeatures<R> {
    #[inline(always)]
    fn feature<const IDX: usize>(&self) -> FloatBlocks<R::Bytes> {
        self.0[IDX]
    }
}
