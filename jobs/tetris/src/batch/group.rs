//! A group of games that wait for the same piece: the best placement of each.

use super::episode::Seat;
use super::judge::Judge;
use super::kernel::{Boards, Landed, Visit};
use super::lanes::{Lane, Lanes};
use crate::rules::{Board, MAX_WIDTH, Piece, Placement, Rules, placements};

/// What groups of up to `L::N` games are valued with; it is used again for each.
pub(super) struct Group<L: Lanes, const FAST: bool, const DIVERSITY: bool> {
    rules: Rules,
    /// The placements of each piece, in the order in which ties are decided.
    placements: [Vec<Placement>; Piece::ALL.len()],
    columns: [L::Array; MAX_WIDTH],
    boards: Boards<L, FAST, DIVERSITY>,
    /// Boards after rows were removed.
    removed: Boards<L, FAST, DIVERSITY>,
    removing: Vec<Removing<L>>,
}

/// A placement that removes rows from one board.
#[derive(Clone, Copy)]
struct Removing<L: Lanes> {
    lane: usize,
    /// The placement's index.
    index: u8,
    /// As in [`Landed`].
    row_bit: L::Lane,
    full: L::Lane,
    landing_height: L::Lane,
}

/// The best placement of each board so far.
struct Best<'a, L: Lanes, J: Judge, const DIVERSITY: bool> {
    judge: &'a J,
    /// The number of boards.
    n: usize,
    values: L::Each<J::Value>,
    indices: L::Each<J::Value>,
    /// The index of the next placement.
    index: u8,
    removing: &'a mut Vec<Removing<L>>,
}

impl<L: Lanes, J: Judge, const DIVERSITY: bool> Visit<L> for Best<'_, L, J, DIVERSITY> {
    #[inline(always)]
    fn visit(&mut self, landed: &Landed<L>) {
        let mut values = self.judge.values::<L, false, DIVERSITY>(&landed.features);
        if !landed.playable.all() {
            let playable = landed.playable.store();
            for (value, playable) in values.as_mut().iter_mut().zip(playable.as_ref()) {
                *value = if playable.count() == 0 { J::WORST } else { *value };
            }
            self.note_removing(landed);
        }
        let index = J::Value::from(self.index);
        let (best, indices) = (self.values.as_mut(), self.indices.as_mut());
        for (lane, &value) in values.as_ref().iter().enumerate() {
            let better = best[lane] < value;
            best[lane] = if better { value } else { best[lane] };
            indices[lane] = if better { index } else { indices[lane] };
        }
        self.index += 1;
    }
}

impl<L: Lanes, J: Judge, const DIVERSITY: bool> Best<'_, L, J, DIVERSITY> {
    #[inline(always)]
    fn note_removing(&mut self, landed: &Landed<L>) {
        let [row_bits, full, heights] =
            [landed.row_bit, landed.full, landed.features[0]].map(L::store);
        for lane in landed.removes.each_set() {
            if self.n <= lane {
                break;
            }
            self.removing.push(Removing {
                lane,
                index: self.index,
                row_bit: row_bits.as_ref()[lane],
                full: full.as_ref()[lane],
                landing_height: heights.as_ref()[lane],
            });
        }
    }
}

impl<L: Lanes, const FAST: bool, const DIVERSITY: bool> Group<L, FAST, DIVERSITY> {
    #[inline(always)]
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            placements: Piece::ALL.map(|piece| placements(piece, rules.size).collect()),
            columns: [L::ZEROS; MAX_WIDTH],
            boards: Boards::none(rules.size, rules.overflow),
            removed: Boards::none(rules.size, rules.overflow),
            removing: Vec::new(),
        }
    }

    /// Appends to `moves` where `judge` puts `piece` in each game of `group`.
    #[inline(always)]
    pub(super) fn choose<J: Judge>(
        &mut self,
        judge: &J,
        piece: Piece,
        seats: &[Seat<'_>],
        group: &[usize],
        moves: &mut Vec<Placement>,
    ) {
        self.set(group.iter().map(|&seat| &seats[seat].episode.board));
        let (_, indices) = self.best(judge, piece, group.len());
        let placements = &self.placements[piece as usize];
        // If all placements end the game, the first is played.
        let indices = indices.as_ref()[..group.len()].iter().map(|&index| J::index(index));
        moves.extend(indices.map(|index| placements[index]));
    }

    pub(super) fn rules(&self) -> Rules {
        self.rules
    }

    /// Prepares up to `L::N` boards.
    #[inline(always)]
    pub(super) fn set<'b>(&mut self, boards: impl Iterator<Item = &'b Board>) {
        for (lane, board) in boards.enumerate() {
            for (array, &column) in self.columns.iter_mut().zip(board.padded_columns()) {
                array.as_mut()[lane] = L::Lane::from_column(column);
            }
        }
        self.boards.set(&load::<L>(&self.columns));
    }

    /// The value of the best placement of `piece` on each of the `n` boards, [`Judge::WORST`] if all
    /// end the game, and the first such placement's index.
    #[inline(always)]
    pub(super) fn best<J: Judge>(
        &mut self,
        judge: &J,
        piece: Piece,
        n: usize,
    ) -> (L::Each<J::Value>, L::Each<J::Value>) {
        self.removing.clear();
        let mut best = Best::<L, J, DIVERSITY> {
            judge,
            n,
            values: L::each(J::WORST),
            indices: L::each(J::Value::from(0)),
            index: 0,
            removing: &mut self.removing,
        };
        self.boards.each(piece, &mut best);
        let Best { mut values, mut indices, .. } = best;
        if !self.removing.is_empty() {
            self.settle(judge, piece, values.as_mut(), indices.as_mut());
        }
        (values, indices)
    }

    /// Values the placements that remove rows, and takes those that are better, or as good and
    /// first.
    #[inline(always)]
    fn settle<J: Judge>(
        &mut self,
        judge: &J,
        piece: Piece,
        best: &mut [J::Value],
        indices: &mut [J::Value],
    ) {
        let size = self.rules.size;
        let top = L::Lane::from_column(size.full_column());
        for chunk in self.removing.chunks(L::N) {
            let mut arrays = [L::ZEROS; MAX_WIDTH];
            let (mut heights, mut full, mut eroded) = (L::ZEROS, L::ZEROS, L::ZEROS);
            for (at, removing) in chunk.iter().enumerate() {
                for (array, columns) in arrays.iter_mut().zip(&self.columns) {
                    array.as_mut()[at] = columns.as_ref()[removing.lane];
                }
                let Placement { orientation, column } =
                    self.placements[piece as usize][removing.index as usize];
                let shape = &piece.orientations()[orientation];
                let mut n_eroded = 0;
                for (array, cells) in arrays[column..].iter_mut().zip(shape.cells) {
                    let landed = removing.row_bit.times(cells);
                    let cell = &mut array.as_mut()[at];
                    *cell = cell.or(landed);
                    n_eroded += landed.n_common(removing.full);
                }
                full.as_mut()[at] = removing.full;
                heights.as_mut()[at] = removing.landing_height;
                let n_lines = removing.full.n_common(removing.full);
                eroded.as_mut()[at] = L::Lane::from_column((n_lines * n_eroded).into());
            }
            let mut columns = load::<L>(&arrays);
            remove::<L>(&mut columns, L::load(&full), size.width() as usize);
            let rows = columns[..size.width() as usize].iter();
            let rows = rows.fold(L::splat(0), |rows, &column| rows.or(column)).store();
            self.removed.set(&columns);
            let mut features = self.removed.features();
            (features[0], features[1]) = (L::load(&heights), L::load(&eroded));
            let values = judge.values::<L, true, DIVERSITY>(&features);
            for (at, &Removing { lane, index, .. }) in chunk.iter().enumerate() {
                if rows.as_ref()[at].exceeds(top) {
                    // The wall is still too high: the game would be over.
                    continue;
                }
                let value = values.as_ref()[at];
                let first = best[lane] == value && J::Value::from(index) < indices[lane];
                if best[lane] < value || first {
                    (best[lane], indices[lane]) = (value, index.into());
                }
            }
        }
    }
}

#[inline(always)]
fn load<L: Lanes>(arrays: &[L::Array; MAX_WIDTH]) -> [L; MAX_WIDTH] {
    let mut columns = [L::splat(0); MAX_WIDTH];
    for (column, array) in columns.iter_mut().zip(arrays) {
        *column = L::load(array);
    }
    columns
}

/// Removes the rows `full` from the first `width` columns.
#[inline(always)]
fn remove<L: Lanes>(columns: &mut [L; MAX_WIDTH], mut full: L, width: usize) {
    let (zero, one) = (L::splat(0), L::splat(1));
    while full.any() {
        // The lowest full row of each board; no row where none is left.
        let lowest = full.and(zero.sub(full));
        let below = lowest.sub(one);
        for column in &mut columns[..width] {
            *column = column.and(below).or(column.shr(1).and_not(below));
        }
        full = full.xor(lowest).shr(1);
    }
}
