//! The features of boards themselves, counted column by column.

use super::column::{WordsOf, n_steps, step};
use super::wells::{closed_depths, open};
use crate::batch::vectors::{ByteVector, RowSets, WordVector};
use crate::features::N_FEATURES;
use crate::rules::{BoardSize, MAX_WIDTH};

/// The features of boards, in the order of weights. Landing height and eroded piece cells are
/// features of a placement and 0 here.
pub(in crate::batch) type FeatureTotals<W> = [W; N_FEATURES];

/// Running totals over columns.
pub(super) struct TotalsCounter<R: RowSets> {
    /// The counts by byte.
    row_transitions: R,
    column_transitions: R,
    n_holes: R,
    hole_depth: R,
    wells: WordsOf<R>,
    pub(super) rows_with_holes: R,
}

impl<R: RowSets> TotalsCounter<R> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        let none = R::splat(0);
        Self {
            row_transitions: none,
            column_transitions: none,
            n_holes: none,
            hole_depth: none,
            wells: WordsOf::<R>::splat(0),
            rows_with_holes: none,
        }
    }

    /// Adds the column `x`, which has `holes`, to the right of `left`.
    #[inline(always)]
    pub(super) fn take(&mut self, left: R, x: R, holes: R) {
        let one = R::splat(1);
        let changes = x.xor(x.add(x).or(one));
        // The cells above the run that stands on the floor.
        let deep = x.and(x.add(one));
        self.row_transitions = self.row_transitions.add(left.xor(x).byte_counts());
        self.column_transitions = self.column_transitions.add(changes.byte_counts());
        self.n_holes = self.n_holes.add(holes.byte_counts());
        self.hole_depth = self.hole_depth.add(deep.byte_counts());
        self.rows_with_holes = self.rows_with_holes.or(holes);
    }

    /// Adds the depths of the wells above the column `x`, and its holes that are `closed` wells.
    #[inline(always)]
    pub(super) fn take_wells<const FAST: bool>(&mut self, depths: WordsOf<R>, closed: R, x: R) {
        self.wells = self.wells.add(depths);
        if closed.any() {
            self.wells = self.wells.add(closed_depths::<R, FAST>(closed, x));
        }
    }

    /// Returns the totals, except pattern diversity, of boards of `size` whose last column is
    /// `last`.
    #[inline(always)]
    pub(super) fn totals(&self, size: BoardSize, last: R) -> FeatureTotals<WordsOf<R>> {
        let row_transitions = self.row_transitions.add(last.xor(wall(size)).byte_counts());
        // Rows beyond the bits of a lane are empty.
        #[expect(clippy::cast_possible_truncation, reason = "at most 32 rows")]
        let above = 2 * size.height().saturating_sub(R::N_ROWS) as i16;
        let nothing = WordsOf::<R>::splat(0);
        [
            nothing,
            nothing,
            row_transitions.sums().add(WordsOf::<R>::splat(above)),
            self.column_transitions.sums(),
            self.n_holes.sums(),
            self.wells,
            self.hole_depth.sums(),
            self.rows_with_holes.count().words(),
            nothing,
        ]
    }
}

/// Returns a wall beside boards of `size`.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "at most 32 rows")]
pub(super) fn wall<R: RowSets>(size: BoardSize) -> R {
    R::splat(size.full_column() as u32)
}

/// Returns the totals of boards of `size` with `columns`, with pattern diversity only if
/// `diversity` is true.
#[inline(always)]
pub(in crate::batch) fn totals<R: RowSets, const FAST: bool>(
    size: BoardSize,
    diversity: bool,
    columns: &[R; MAX_WIDTH],
) -> FeatureTotals<WordsOf<R>> {
    let mut counter = TotalsCounter::new();
    let width = size.width() as usize;
    let mut left: R = wall(size);
    let mut left_height = R::Bytes::splat(0);
    let mut steps = R::Bytes::splat(0);
    for c in 0..width {
        let x = columns[c];
        let right = if c + 1 == width { wall(size) } else { columns[c + 1] };
        let filled = x.filled();
        let (holes, height, walled) = (filled.and_not(x), filled.count(), left.and(right));
        counter.take(left, x, holes);
        let wells = walled.and_not(filled);
        if wells.any() {
            let depths = open::<R, FAST>(wells, filled).depths(height);
            counter.take_wells::<FAST>(depths, walled.and(holes), x);
        } else {
            counter.take_wells::<FAST>(WordsOf::<R>::splat(0), walled.and(holes), x);
        }
        if diversity && 0 < c {
            steps = steps.or(step(left_height, height));
        }
        (left, left_height) = (x, height);
    }
    let mut totals = counter.totals(size, left);
    totals[8] = n_steps(steps).words();
    totals
}
