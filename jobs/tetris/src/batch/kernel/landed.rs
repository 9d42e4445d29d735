//! Landings of a piece on each board, and the changes of features.

use super::PreparedBoards;
use super::column::{N_WALLS, PreparedColumn, WINDOW, WordsOf, n_steps, step};
use super::shape::ConstShape;
use super::surroundings::PieceSurroundings;
use super::totals::FeatureTotals;
use crate::batch::vectors::{
    ByteVector, FloatBlock, FloatBlocks, N_BLOCKS, NibbleTable, RowSets, VectorTask, WordVector,
    counts,
};
use crate::features::N_FEATURES;
use crate::rules::{OverflowRule, Piece};

/// A number added to changes of row transitions so that they are not negative: a piece of four rows
/// may touch eight full cells.
const MOST_FEWER: u8 = 8;

/// One placement on all boards.
#[derive(Clone, Copy)]
pub(in crate::batch) struct LandedPlacement<R: RowSets> {
    /// The row of the piece's lowest cells.
    pub(in crate::batch) row: R::Bytes,
    /// The mask of the boards on which the placement neither ends the game nor removes rows.
    pub(in crate::batch) playable: R::Bytes,
    /// The mask of the boards on which rows are removed.
    pub(in crate::batch) removes: R::Bytes,
    /// The full rows that are removed, from `row` on.
    pub(in crate::batch) removed: R::Bytes,
    /// The changes of features, where `playable`.
    change: LandingChange<R>,
}

/// The changes of features. Landing height, doubled, and diversity are not changes, but the
/// placement's values.
#[derive(Clone, Copy)]
struct LandingChange<R: RowSets> {
    landing_height: R::Bytes,
    /// The change plus [`MOST_FEWER`].
    row_transitions: R::Bytes,
    column_transitions: R::Bytes,
    holes: R::Bytes,
    wells: WordsOf<R>,
    hole_depth: R::Bytes,
    rows_with_holes: R::Bytes,
    diversity: R::Bytes,
}

impl<R: RowSets> LandedPlacement<R> {
    /// Creates a placement that is never evaluated.
    #[inline(always)]
    pub(in crate::batch) fn empty() -> Self {
        let zero = R::Bytes::splat(0);
        let change = LandingChange {
            landing_height: zero,
            row_transitions: zero,
            column_transitions: zero,
            holes: zero,
            wells: WordsOf::<R>::splat(0),
            hole_depth: zero,
            rows_with_holes: zero,
            diversity: zero,
        };
        Self { row: zero, playable: zero, removes: zero, removed: zero, change }
    }

    /// Returns the change of the feature `IDX`, where `playable`, up to a constant that is the same
    /// for all placements.
    #[inline(always)]
    pub(in crate::batch) fn change<const IDX: usize>(&self) -> FloatBlocks<R::Bytes> {
        let change = &self.change;
        match IDX {
            0 => change.landing_height.floats(),
            2 => change.row_transitions.floats(),
            3 => change.column_transitions.floats(),
            4 => change.holes.floats(),
            5 => change.wells.floats(),
            6 => change.hole_depth.floats(),
            7 => change.rows_with_holes.floats(),
            8 => change.diversity.floats(),
            _ => [<R::Bytes as ByteVector>::Block::splat(0.0); N_BLOCKS],
        }
    }

    /// Returns every [`change`](Self::change) on one board.
    #[inline(always)]
    pub(in crate::batch) fn changes_of(&self, lane: usize) -> [i64; N_FEATURES] {
        let change = &self.change;
        let mut changes = [0; N_FEATURES];
        changes[0] = change.landing_height.at(lane).into();
        changes[2] = change.row_transitions.at(lane).into();
        changes[3] = change.column_transitions.at(lane).into();
        changes[4] = change.holes.at(lane).into();
        changes[5] = change.wells.store()[lane].into();
        changes[6] = change.hole_depth.at(lane).into();
        changes[7] = change.rows_with_holes.at(lane).into();
        changes[8] = change.diversity.at(lane).into();
        changes
    }
}

/// Returns the base values to which changes are added for features: `totals` minus the constants in
/// changes.
#[inline(always)]
pub(in crate::batch) fn origins<W: WordVector>(totals: &FeatureTotals<W>) -> FeatureTotals<W> {
    let mut origins = *totals;
    origins[2] = origins[2].sub(W::splat(MOST_FEWER.into()));
    origins
}

/// Computes the placements of a piece in the orientation `I` on all boards.
///
/// Each orientation has a separate function, since a single function with all orientations takes
/// longer to compile.
struct LandOrientation<'a, R: RowSets, const FAST: bool, const I: usize> {
    boards: &'a PreparedBoards<R, FAST>,
    landed: &'a mut [LandedPlacement<R>],
}

impl<R: RowSets, const FAST: bool, const I: usize> VectorTask for LandOrientation<'_, R, FAST, I> {
    #[inline(always)]
    fn run(self) {
        for (from, landed) in self.landed.iter_mut().enumerate() {
            *landed = self.boards.landed::<I>(from);
        }
    }
}

impl<R: RowSets, const FAST: bool> PreparedBoards<R, FAST> {
    /// Lands a piece in all placements on all boards. The results have the same order as the
    /// placements, which also decides ties. `landed` has as many elements as the piece has
    /// placements.
    pub(in crate::batch) fn land(&self, piece: Piece, landed: &mut [LandedPlacement<R>]) {
        let rest = landed;
        match piece {
            Piece::I => {
                let rest = self.land_in::<0>(rest);
                self.land_in::<1>(rest);
            }
            Piece::O => {
                self.land_in::<2>(rest);
            }
            Piece::T => {
                let rest = self.land_in::<3>(rest);
                let rest = self.land_in::<4>(rest);
                let rest = self.land_in::<5>(rest);
                self.land_in::<6>(rest);
            }
            Piece::Z => {
                let rest = self.land_in::<7>(rest);
                self.land_in::<8>(rest);
            }
            Piece::S => {
                let rest = self.land_in::<9>(rest);
                self.land_in::<10>(rest);
            }
            Piece::J => {
                let rest = self.land_in::<11>(rest);
                let rest = self.land_in::<12>(rest);
                let rest = self.land_in::<13>(rest);
                self.land_in::<14>(rest);
            }
            Piece::L => {
                let rest = self.land_in::<15>(rest);
                let rest = self.land_in::<16>(rest);
                let rest = self.land_in::<17>(rest);
                self.land_in::<18>(rest);
            }
        }
    }

    /// Computes the placements in the orientation `I`; returns the rest of `landed`.
    fn land_in<'a, const I: usize>(
        &self,
        landed: &'a mut [LandedPlacement<R>],
    ) -> &'a mut [LandedPlacement<R>] {
        let n = self.size.width() as usize + 1 - ConstShape::<I>::WIDTH;
        let (landed, rest) = landed.split_at_mut(n);
        R::run(LandOrientation::<R, FAST, I> { boards: self, landed });
        rest
    }

    /// Computes the placement of the piece in the orientation `I` above the columns from `from` on.
    #[inline(always)]
    fn landed<const I: usize>(&self, from: usize) -> LandedPlacement<R> {
        let splat = R::Bytes::splat;
        let window = self.window(from);
        let surroundings = PieceSurroundings::of::<I>(window);
        let PieceSurroundings { row, rests, .. } = surroundings;
        let (width, n_rows) = (ConstShape::<I>::WIDTH, ConstShape::<I>::N_ROWS);
        #[expect(clippy::cast_possible_truncation, reason = "at most four")]
        let mut floating = splat(width as u8);
        let mut gaps = splat(ConstShape::<I>::SUM_OF_BOTTOMS);
        gaps = gaps.add(window[N_WALLS].height_before).sub(window[N_WALLS + width].height_before);
        let mut depth = splat(0);
        for c in 0..width {
            // A mask is -1 where it is set.
            floating = floating.add(rests[c]);
            gaps = gaps.add(row);
            let stands = rests[c].and(window[N_WALLS + c].solid);
            depth = depth.add(splat(ConstShape::<I>::N_CELLS[c]).and_not(stands));
        }
        let n_touching = surroundings.n_touching::<I>();
        // Each row of the piece adds two transitions, and each full cell beside it removes two.
        let more = splat(n_rows + MOST_FEWER / 2).sub(n_touching);
        let wells = if FAST {
            surroundings.fast_wells_change::<I>(window)
        } else {
            surroundings.wells_change::<I>(window)
        };
        let change = LandingChange {
            landing_height: row.add(row).add(splat(n_rows - 1)),
            row_transitions: more.add(more),
            // A gap ends below the piece and begins above what the piece would have stood on.
            column_transitions: floating.add(floating),
            holes: gaps,
            wells,
            hole_depth: depth,
            rows_with_holes: self.more_rows_with_holes::<I>(window, &surroundings),
            diversity: if self.diversity { self.diversity::<I>(from, row) } else { splat(0) },
        };
        let full = surroundings.full_rows::<I>(window);
        #[expect(clippy::cast_possible_truncation, reason = "at most 32 rows")]
        let highest = self.size.height() as u8 - n_rows;
        let fits = row.sub_saturating(splat(highest)).equal(splat(0));
        let removes_none = full.equal(splat(0));
        let may_remove = match self.overflow {
            OverflowRule::EndsGame => fits,
            OverflowRule::ClearsFirst => splat(u8::MAX),
        };
        let (playable, removes) = (fits.and(removes_none), may_remove.and_not(removes_none));
        LandedPlacement { row, playable, removes, removed: full.and(removes), change }
    }

    /// Returns the number of rows without holes that get one.
    #[inline(always)]
    fn more_rows_with_holes<const I: usize>(
        &self,
        window: &[PreparedColumn<R>; WINDOW],
        surroundings: &PieceSurroundings<R>,
    ) -> R::Bytes {
        let splat = R::Bytes::splat;
        // Rows without holes below the piece, and below the gaps that it leaves: in the columns
        // that reach its lowest row, and in the others.
        let mut to_row = splat(0);
        let (mut low, mut high) = (splat(u8::MAX), splat(u8::MAX));
        for c in 0..ConstShape::<I>::WIDTH {
            let bottom = ConstShape::<I>::BOTTOMS[c];
            to_row = to_row.max(window[N_WALLS + c].hole_free_rows[bottom as usize]);
            let height = window[N_WALLS + c].hole_free_rows[0];
            if bottom == 0 {
                low = low.min(height);
            } else {
                high = high.min(height);
            }
        }
        if ConstShape::<I>::HIGH_BOTTOM == 0 {
            return to_row.sub(low);
        }
        let holes = self.rows_with_holes.window(surroundings.shift);
        let hole_free = holes.lookup(if ConstShape::<I>::HIGH_BOTTOM == 1 {
            &HOLE_FREE_1
        } else {
            &HOLE_FREE_2
        });
        let to_bottom = to_row.add(hole_free);
        let both = to_row.sub_saturating(low.max(high));
        to_row.sub(low).add(to_bottom.sub(high)).sub(both)
    }

    /// Returns the number of values among -2, -1, 0, 1, 2 that occur as height differences.
    #[inline(always)]
    fn diversity<const I: usize>(&self, from: usize, row: R::Bytes) -> R::Bytes {
        let (window, width) = (self.window(from), ConstShape::<I>::WIDTH);
        let mut ends = [row; 4];
        for (c, end) in ends[..width].iter_mut().enumerate() {
            *end = row.add(R::Bytes::splat(ConstShape::<I>::end(c)));
        }
        let mut steps = window[N_WALLS].steps_before.or(window[N_WALLS + width].steps_from);
        if 0 < from {
            steps = steps.or(step(window[N_WALLS - 1].height, ends[0]));
        }
        for c in 1..width {
            steps = steps.or(step(ends[c - 1], ends[c]));
        }
        if from + width < self.size.width() as usize {
            steps = steps.or(step(ends[width - 1], window[N_WALLS + width].height));
        }
        n_steps(steps)
    }
}

/// By the first rows with holes: the number of the first one or two rows that have none.
const HOLE_FREE_1: NibbleTable = hole_free(1);
const HOLE_FREE_2: NibbleTable = hole_free(2);

const fn hole_free(n: u8) -> NibbleTable {
    let within = counts((1 << n) - 1);
    let mut table = [0; 16];
    let mut number = 0;
    while number < 16 {
        table[number] = n - within[number];
        number += 1;
    }
    table
}
