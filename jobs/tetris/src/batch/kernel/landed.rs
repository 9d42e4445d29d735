//! Where a piece lands on each board, and what changes.

use super::around::Around;
use super::shape::Shape;
use super::{Boards, Column, N_FEATURES, N_WALLS, Totals, WINDOW, WordsOf, n_steps, step};
use crate::batch::vectors::{Block, Bytes, Floats, N_BLOCKS, Rows, Table, Task, Words, counts};
use crate::rules::{Overflow, Piece};

/// What is added to changes of row transitions so that they are not negative: a piece of four rows
/// may touch eight full cells.
const MOST_FEWER: u8 = 8;

/// One placement on all boards.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Landed<R: Rows> {
    /// The row of the piece's lowest cells.
    pub(in crate::batch) row: R::Bytes,
    /// The mask of the boards on which the placement neither ends the game nor removes rows.
    pub(in crate::batch) playable: R::Bytes,
    /// The mask of the boards on which rows are removed.
    pub(in crate::batch) removes: R::Bytes,
    /// The rows that are full, from `row` on, before they are removed.
    pub(in crate::batch) full: R::Bytes,
    /// By how much features change, where `playable`.
    change: Change<R>,
}

/// By how much features change. Landing height, doubled, and diversity are those of the placement.
#[derive(Clone, Copy)]
struct Change<R: Rows> {
    landing_height: R::Bytes,
    /// [`MOST_FEWER`] more.
    row_transitions: R::Bytes,
    column_transitions: R::Bytes,
    holes: R::Bytes,
    wells: WordsOf<R>,
    hole_depth: R::Bytes,
    rows_with_holes: R::Bytes,
    diversity: R::Bytes,
}

impl<R: Rows> Landed<R> {
    /// What is never looked at.
    #[inline(always)]
    pub(in crate::batch) fn nowhere() -> Self {
        let zero = R::Bytes::splat(0);
        let change = Change {
            landing_height: zero,
            row_transitions: zero,
            column_transitions: zero,
            holes: zero,
            wells: WordsOf::<R>::splat(0),
            hole_depth: zero,
            rows_with_holes: zero,
            diversity: zero,
        };
        Self { row: zero, playable: zero, removes: zero, full: zero, change }
    }

    /// By how much the feature `IDX` changes, where `playable`, but for a constant that is the same
    /// for all placements.
    #[inline(always)]
    pub(in crate::batch) fn change<const IDX: usize>(&self) -> Floats<R::Bytes> {
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
            _ => [<R::Bytes as Bytes>::Block::splat(0.0); N_BLOCKS],
        }
    }

    /// Each [`change`](Self::change) of one board.
    #[inline(always)]
    pub(in crate::batch) fn changes_of(&self, lane: usize) -> [i64; N_FEATURES] {
        let Change { row_transitions, column_transitions, .. } = self.change;
        let Change { landing_height, holes, hole_depth, rows_with_holes, diversity, .. } =
            self.change;
        let mut changes = [0; N_FEATURES];
        changes[0] = landing_height.store()[lane].into();
        changes[2] = row_transitions.store()[lane].into();
        changes[3] = column_transitions.store()[lane].into();
        changes[4] = holes.store()[lane].into();
        changes[5] = self.change.wells.store()[lane].into();
        changes[6] = hole_depth.store()[lane].into();
        changes[7] = rows_with_holes.store()[lane].into();
        changes[8] = diversity.store()[lane].into();
        changes
    }
}

/// What changes are to be added to for features: `totals`, less the constants in changes.
#[inline(always)]
pub(in crate::batch) fn origins<W: Words>(totals: &Totals<W>) -> Totals<W> {
    let mut origins = *totals;
    origins[2] = origins[2].sub(W::splat(MOST_FEWER.into()));
    origins
}

/// The placements of a piece on all boards.
pub(in crate::batch) struct Landings<'a, R: Rows, const FAST: bool> {
    pub(in crate::batch) boards: &'a Boards<R, FAST>,
    pub(in crate::batch) piece: Piece,
    /// Where they go, in the order in which ties are decided: as many as the piece has placements.
    pub(in crate::batch) landed: &'a mut [Landed<R>],
}

impl<R: Rows, const FAST: bool> Task for Landings<'_, R, FAST> {
    #[inline(always)]
    fn run(self) {
        let boards = self.boards;
        let rest = self.landed;
        match self.piece {
            Piece::I => {
                let rest = boards.all_landed::<0>(rest);
                boards.all_landed::<1>(rest);
            }
            Piece::O => {
                boards.all_landed::<2>(rest);
            }
            Piece::T => {
                let rest = boards.all_landed::<3>(rest);
                let rest = boards.all_landed::<4>(rest);
                let rest = boards.all_landed::<5>(rest);
                boards.all_landed::<6>(rest);
            }
            Piece::Z => {
                let rest = boards.all_landed::<7>(rest);
                boards.all_landed::<8>(rest);
            }
            Piece::S => {
                let rest = boards.all_landed::<9>(rest);
                boards.all_landed::<10>(rest);
            }
            Piece::J => {
                let rest = boards.all_landed::<11>(rest);
                let rest = boards.all_landed::<12>(rest);
                let rest = boards.all_landed::<13>(rest);
                boards.all_landed::<14>(rest);
            }
            Piece::L => {
                let rest = boards.all_landed::<15>(rest);
                let rest = boards.all_landed::<16>(rest);
                let rest = boards.all_landed::<17>(rest);
                boards.all_landed::<18>(rest);
            }
        }
    }
}

impl<R: Rows, const FAST: bool> Boards<R, FAST> {
    /// The placements in the orientation `I`; what is left of `landed`.
    #[inline(always)]
    fn all_landed<'a, const I: usize>(&self, landed: &'a mut [Landed<R>]) -> &'a mut [Landed<R>] {
        let n = self.size.width() as usize + 1 - Shape::<I>::WIDTH;
        let (landed, rest) = landed.split_at_mut(n);
        for (from, landed) in landed.iter_mut().enumerate() {
            *landed = self.landed::<I>(from);
        }
        rest
    }

    /// The piece in the orientation `I` above the columns from `from` on.
    #[inline(always)]
    fn landed<const I: usize>(&self, from: usize) -> Landed<R> {
        let splat = R::Bytes::splat;
        let window = self.window(from);
        let around = Around::of::<I>(window);
        let Around { row, rests, .. } = around;
        let (width, n_rows) = (Shape::<I>::WIDTH, Shape::<I>::N_ROWS);
        #[expect(clippy::cast_possible_truncation, reason = "at most four")]
        let mut floating = splat(width as u8);
        let mut gaps = splat(Shape::<I>::SUM_OF_BOTTOMS);
        gaps = gaps.add(window[N_WALLS].height_before).sub(window[N_WALLS + width].height_before);
        let mut depth = splat(0);
        for c in 0..width {
            // A mask is -1 where it is set.
            floating = floating.add(rests[c]);
            gaps = gaps.add(row);
            let stands = rests[c].and(window[N_WALLS + c].solid);
            depth = depth.add(splat(Shape::<I>::N_CELLS[c]).and_not(stands));
        }
        let touching = around.touching::<I>();
        // Each of the piece's rows brings two transitions, and each full cell beside it takes two.
        let more = splat(n_rows + MOST_FEWER / 2).sub(touching);
        let wells = if FAST {
            Self::fast_wells_change::<I>(window, row)
        } else {
            Self::wells_change::<I>(window, &around)
        };
        let change = Change {
            landing_height: row.add(row).add(splat(n_rows - 1)),
            row_transitions: more.add(more),
            // A gap ends below the piece and begins above what the piece would have stood on.
            column_transitions: floating.add(floating),
            holes: gaps,
            wells,
            hole_depth: depth,
            rows_with_holes: self.more_rows_with_holes::<I>(window, &around),
            diversity: if self.diversity { self.diversity::<I>(from, row) } else { splat(0) },
        };
        let full = around.full_rows::<I>(window);
        #[expect(clippy::cast_possible_truncation, reason = "at most 32 rows")]
        let highest = self.size.height() as u8 - n_rows;
        let fits = row.sub_saturating(splat(highest)).equal(splat(0));
        let removes_none = full.equal(splat(0));
        let may_remove = match self.overflow {
            Overflow::EndsGame => fits,
            Overflow::ClearsFirst => splat(u8::MAX),
        };
        let (playable, removes) = (fits.and(removes_none), may_remove.and_not(removes_none));
        Landed { row, playable, removes, full, change }
    }

    /// How many rows get holes that had none.
    #[inline(always)]
    fn more_rows_with_holes<const I: usize>(
        &self,
        window: &[Column<R>; WINDOW],
        around: &Around<R>,
    ) -> R::Bytes {
        let splat = R::Bytes::splat;
        // Rows without holes below the piece, and below what it leaves empty: in the columns that
        // stand lowest, and in the others.
        let mut to_row = splat(0);
        let (mut low, mut high) = (splat(u8::MAX), splat(u8::MAX));
        for c in 0..Shape::<I>::WIDTH {
            let bottom = Shape::<I>::BOTTOMS[c];
            to_row = to_row.max(window[N_WALLS + c].sound_rows[bottom as usize]);
            let height = window[N_WALLS + c].sound_rows[0];
            if bottom == 0 {
                low = low.min(height);
            } else {
                high = high.min(height);
            }
        }
        if Shape::<I>::HIGH_BOTTOM == 0 {
            return to_row.sub(low);
        }
        let holes = self.rows_with_holes.window(around.shift);
        let sound = holes.lookup(if Shape::<I>::HIGH_BOTTOM == 1 { &SOUND_1 } else { &SOUND_2 });
        let to_bottom = to_row.add(sound);
        let both = to_row.sub_saturating(low.max(high));
        to_row.sub(low).add(to_bottom.sub(high)).sub(both)
    }

    /// How many of -2, -1, 0, 1, 2 occur among the height differences.
    #[inline(always)]
    fn diversity<const I: usize>(&self, from: usize, row: R::Bytes) -> R::Bytes {
        let (window, width) = (self.window(from), Shape::<I>::WIDTH);
        let mut ends = [row; 4];
        for (c, end) in ends[..width].iter_mut().enumerate() {
            *end = row.add(R::Bytes::splat(Shape::<I>::end(c)));
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

/// By the first rows with holes: how many of the first one or two have none.
const SOUND_1: Table = sound(1);
const SOUND_2: Table = sound(2);

const fn sound(n: u8) -> Table {
    let within = counts((1 << n) - 1);
    let mut table = [0; 16];
    let mut number = 0;
    while number < 16 {
        table[number] = n - within[number];
        number += 1;
    }
    table
}
