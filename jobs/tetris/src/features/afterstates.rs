//! The features of all placements of a piece, computed from what changes.
//!
//! A piece changes at most four columns. What the others contribute is summed once per board; per
//! placement only the changed columns, their seams and the wells beside them are taken anew. The
//! few placements that remove rows change everything and are computed as [`Features::of`] does.

use super::{
    Features, Wells, column_transitions, count, hole_depth, holes, signed, step, well_sum,
};
use crate::rules::{Board, MAX_WIDTH, Orientation, Overflow, Piece, Placement, height, placements};

/// A board prepared for the features of its placements.
#[derive(Debug)]
pub struct Afterstates<'a> {
    board: &'a Board,
    overflow: Overflow,
    wells: Wells,
    /// The columns between two walls: column c is at c + 1.
    padded: [u64; MAX_WIDTH + 2],
    heights: [u32; MAX_WIDTH],
    /// The parts of column c: transitions, holes and hole depth.
    parts: [Part; MAX_WIDTH],
    /// The wells of column c.
    well_sums: [i32; MAX_WIDTH],
    /// The row transitions between column c - 1 and column c.
    seams: [i32; MAX_WIDTH + 1],
    /// The rows with holes in columns below c, and from c on.
    holes_before: [u64; MAX_WIDTH + 1],
    holes_from: [u64; MAX_WIDTH + 1],
    /// The rows that are full in columns below c, and from c on.
    full_before: [u64; MAX_WIDTH + 1],
    full_from: [u64; MAX_WIDTH + 1],
    total: Features,
}

/// What a column contributes alone.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    transitions: i32,
    holes: i32,
    depth: i32,
}

impl Part {
    fn of(x: u64) -> Self {
        Self { transitions: column_transitions(x), holes: count(holes(x)), depth: hole_depth(x) }
    }
}

impl<'a> Afterstates<'a> {
    /// Prepares `board`.
    #[must_use]
    pub fn new(board: &'a Board, overflow: Overflow, wells: Wells) -> Self {
        let wall = board.size().full_column();
        let width = board.columns().len();
        let mut this = Self {
            board,
            overflow,
            wells,
            padded: [wall; MAX_WIDTH + 2],
            heights: [0; MAX_WIDTH],
            parts: [Part::default(); MAX_WIDTH],
            well_sums: [0; MAX_WIDTH],
            seams: [0; MAX_WIDTH + 1],
            holes_before: [0; MAX_WIDTH + 1],
            holes_from: [0; MAX_WIDTH + 1],
            full_before: [u64::MAX; MAX_WIDTH + 1],
            full_from: [u64::MAX; MAX_WIDTH + 1],
            total: Features::default(),
        };
        this.padded[1..=width].copy_from_slice(board.columns());
        for (c, &x) in board.columns().iter().enumerate() {
            this.heights[c] = height(x);
            this.parts[c] = Part::of(x);
            this.well_sums[c] = well_sum(x, this.padded[c] & this.padded[c + 2] & wall, wells);
            this.holes_before[c + 1] = this.holes_before[c] | holes(x);
            this.full_before[c + 1] = this.full_before[c] & x;
            this.total.column_transitions += this.parts[c].transitions;
            this.total.holes += this.parts[c].holes;
            this.total.hole_depth += this.parts[c].depth;
            this.total.wells += this.well_sums[c];
        }
        for c in (0..width).rev() {
            this.holes_from[c] = this.holes_from[c + 1] | holes(this.padded[c + 1]);
            this.full_from[c] = this.full_from[c + 1] & this.padded[c + 1];
        }
        for c in 0..=width {
            this.seams[c] = count(this.padded[c] ^ this.padded[c + 1]);
            this.total.row_transitions += this.seams[c];
        }
        this
    }

    /// Each placement of `piece` that does not end the game, with its features, in the order of
    /// [`placements`]. `DIVERSITY` says whether pattern diversity is needed; without, it is 0.
    pub fn each<const DIVERSITY: bool>(
        &self,
        piece: Piece,
        mut visit: impl FnMut(Placement, &Features),
    ) {
        for placement in placements(piece, self.board.size()) {
            let shape = &piece.orientations()[placement.orientation];
            if let Some(features) = self.placed::<DIVERSITY>(piece, placement, shape) {
                visit(placement, &features);
            }
        }
    }

    fn placed<const DIVERSITY: bool>(
        &self,
        piece: Piece,
        placement: Placement,
        shape: &Orientation,
    ) -> Option<Features> {
        let (from, to) = (placement.column, placement.column + shape.width);
        let mut landing_row = 0;
        for (height, bottom) in self.heights[from..to].iter().zip(shape.bottoms) {
            landing_row = landing_row.max(height.saturating_sub(bottom));
        }
        let size = self.board.size();
        let too_high = size.height() < landing_row + shape.height;
        if too_high && self.overflow == Overflow::EndsGame {
            return None;
        }
        // The neighbors of the changed columns as well: their wells change.
        let mut x = [0; 6];
        x[..shape.width + 2].copy_from_slice(&self.padded[from..to + 2]);
        let mut full = self.full_before[from] & self.full_from[to];
        for (column, cells) in x[1..].iter_mut().zip(&shape.cells[..shape.width]) {
            *column |= cells << landing_row;
            full &= *column;
        }
        if full != 0 {
            let outcome = self.board.drop(piece, placement, self.overflow);
            return (!outcome.game_over).then(|| Features::of(&outcome, self.wells));
        }
        if too_high {
            return None;
        }
        Some(self.changed::<DIVERSITY>(&x[..shape.width + 2], from, landing_row, shape.height))
    }

    /// The features when the columns from `from` on become `x[1..]` without its last, and no row is
    /// removed.
    fn changed<const DIVERSITY: bool>(
        &self,
        x: &[u64],
        from: usize,
        landing_row: u32,
        piece_height: u32,
    ) -> Features {
        let wall = self.board.size().full_column();
        let n_columns = self.board.columns().len();
        let to = from + x.len() - 2;
        let mut features = self.total;
        features.landing_height_2 = signed(2 * landing_row + piece_height - 1);
        let mut with_holes = self.holes_before[from] | self.holes_from[to];
        for (idx, c) in (from..to).enumerate() {
            let part = Part::of(x[idx + 1]);
            features.column_transitions += part.transitions - self.parts[c].transitions;
            features.holes += part.holes - self.parts[c].holes;
            features.hole_depth += part.depth - self.parts[c].depth;
            let walled = x[idx] & x[idx + 2] & wall;
            features.wells += well_sum(x[idx + 1], walled, self.wells) - self.well_sums[c];
            with_holes |= holes(x[idx + 1]);
        }
        for (idx, seam) in self.seams[from..=to].iter().enumerate() {
            features.row_transitions += count(x[idx] ^ x[idx + 1]) - seam;
        }
        if 0 < from {
            let walled = self.padded[from - 1] & x[1] & wall;
            features.wells += well_sum(x[0], walled, self.wells) - self.well_sums[from - 1];
        }
        if to < n_columns {
            let walled = x[x.len() - 2] & self.padded[to + 2] & wall;
            features.wells += well_sum(x[x.len() - 1], walled, self.wells) - self.well_sums[to];
        }
        features.rows_with_holes = count(with_holes);
        if DIVERSITY {
            features.pattern_diversity = self.diversity(x, from, to);
        }
        features
    }

    fn diversity(&self, x: &[u64], from: usize, to: usize) -> i32 {
        let mut columns = self.padded;
        columns[from + 1..=to].copy_from_slice(&x[1..x.len() - 1]);
        let columns = &columns[1..=self.board.columns().len()];
        count(columns.windows(2).fold(0, |steps, pair| steps | step(pair[0], pair[1])))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::BoardSize;

    /// A board without full rows, of any size, low or high.
    fn board() -> impl Strategy<Value = Board> {
        (4_usize..=16, 4_u32..=32, 0.3..0.95_f64, any::<u64>()).prop_map(
            |(width, height, density, noise)| {
                let mut state = noise | 1;
                let mut random = || {
                    // Knuth's linear congruential generator: any noise will do.
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1_u32 << 31)
                };
                let n_rows = u32::try_from(noise % u64::from(height)).unwrap() + 1;
                let rows: Vec<String> = (0..n_rows)
                    .map(|_| {
                        let mut row: Vec<char> = (0..width)
                            .map(|_| if random() < density { 'X' } else { '.' })
                            .collect();
                        if !row.contains(&'.') {
                            row[0] = '.';
                        }
                        row.into_iter().collect()
                    })
                    .collect();
                let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
                Board::drawn(&rows, height).unwrap()
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn afterstates_equal_the_definition(board in board(), fast: bool, clears: bool) {
            let wells = if fast { Wells::Fast } else { Wells::Cumulative };
            let overflow = if clears { Overflow::ClearsFirst } else { Overflow::EndsGame };
            let afterstates = Afterstates::new(&board, overflow, wells);
            for piece in Piece::ALL {
                let mut got = Vec::new();
                afterstates.each::<true>(piece, |placement, features| got.push((placement, *features)));
                let expected: Vec<_> = placements(piece, board.size())
                    .map(|placement| (placement, board.drop(piece, placement, overflow)))
                    .filter(|(_, outcome)| !outcome.game_over)
                    .map(|(placement, outcome)| (placement, Features::of(&outcome, wells)))
                    .collect();
                prop_assert_eq!(got, expected);
            }
        }
    }

    #[test]
    fn without_diversity_the_rest_is_the_same() {
        let board = Board::new(BoardSize::STANDARD);
        let afterstates = Afterstates::new(&board, Overflow::EndsGame, Wells::Cumulative);
        let (mut with, mut without) = (Vec::new(), Vec::new());
        afterstates.each::<true>(Piece::S, |_, features| {
            with.push(Features { pattern_diversity: 0, ..*features });
        });
        afterstates.each::<false>(Piece::S, |_, features| without.push(*features));
        assert_eq!(with, without);
    }
}
