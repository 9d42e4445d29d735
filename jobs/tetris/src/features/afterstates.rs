//! The features for every placement of a piece, computed from the changes that the placement makes.
//!
//! A piece has one run of cells in each of its columns and in each of its rows, and it lands above
//! everything in its columns. So if it removes no row, holes and the features that depend on them
//! change by the gaps below it, and row transitions by the cells beside it; only wells are
//! recounted, where they change. The few placements that remove rows change everything and are
//! computed by [`BoardFeatures::of`].

use super::landings::{BoardSurface, LandingProfile};
use super::steps::HeightSteps;
use super::{BoardFeatures, FullRows, WellRule, column_transitions, count, hole_depth, holes};
use crate::rules::{Board, MAX_WIDTH, Orientation, OverflowRule, Piece, Placement, height};

/// The number of walls on each side, so that every column beside a piece has two neighbors.
const N_WALLS: usize = 2;

/// The number of columns that a placement reads: up to four of the piece and those beside them.
const WINDOW: usize = 4 + 2 * N_WALLS;

/// The number of columns of the widest board plus room for the last column's window.
const PADDED: usize = MAX_WIDTH + WINDOW;

/// A board prepared for the features of its placements.
#[derive(Debug)]
pub struct Afterstates<'a> {
    board: &'a Board,
    overflow: OverflowRule,
    wells: WellRule,
    full_rows: FullRows,
    surface: BoardSurface,
    /// The columns between walls: column c is at index c + `N_WALLS`, also in the next two fields.
    columns: [u64; PADDED],
    /// The well cells in every column. Walls have none.
    well_cells: [u64; PADDED],
    /// The sum over the wells in every column.
    well_sums: [i32; PADDED],
    rows_with_holes: u64,
    /// The rows that are full in all columns before c, and in all from c on.
    full_before: [u64; MAX_WIDTH + 1],
    full_from: [u64; MAX_WIDTH + 1],
    total: BoardFeatures,
}

impl<'a> Afterstates<'a> {
    /// Prepares `board`.
    #[must_use]
    pub fn new(board: &'a Board, overflow: OverflowRule, wells: WellRule) -> Self {
        let wall = board.size().full_column();
        let width = board.columns().len();
        let mut this = Self {
            board,
            overflow,
            wells,
            full_rows: FullRows::Removed,
            surface: BoardSurface::of(board.columns()),
            columns: [wall; PADDED],
            well_cells: [0; PADDED],
            well_sums: [0; PADDED],
            rows_with_holes: 0,
            full_before: [u64::MAX; MAX_WIDTH + 1],
            full_from: [u64::MAX; MAX_WIDTH + 1],
            total: BoardFeatures::default(),
        };
        this.columns[N_WALLS..N_WALLS + width].copy_from_slice(board.columns());
        for (c, &x) in board.columns().iter().enumerate() {
            let at = c + N_WALLS;
            this.well_cells[at] = this.columns[at - 1] & this.columns[at + 1] & !x;
            this.well_sums[at] = well_sum(x, this.well_cells[at], wells);
            this.rows_with_holes |= holes(x);
            this.full_before[c + 1] = this.full_before[c] & x;
            this.total.row_transitions += count(this.columns[at - 1] ^ x);
            this.total.column_transitions += column_transitions(x);
            this.total.holes += count(holes(x));
            this.total.wells += this.well_sums[at];
            this.total.hole_depth += hole_depth(x);
        }
        this.total.row_transitions += count(this.columns[width + N_WALLS - 1] ^ wall);
        for (c, &x) in board.columns().iter().enumerate().rev() {
            this.full_from[c] = this.full_from[c + 1] & x;
        }
        this
    }

    /// Returns the same with another rule for the full rows of the boards afterwards.
    #[must_use]
    pub fn with_full_rows(self, full_rows: FullRows) -> Self {
        Self { full_rows, ..self }
    }

    /// Calls `visit` with each placement of `piece` that does not end the game and its features, in
    /// the order of [`placements`](crate::rules::placements). If `DIVERSITY` is false, pattern
    /// diversity is not computed and is 0.
    pub fn each<const DIVERSITY: bool>(
        &self,
        piece: Piece,
        mut visit: impl FnMut(Placement, &BoardFeatures),
    ) {
        let heights = &self.surface.heights[..self.board.columns().len()];
        let steps = if DIVERSITY { Some(HeightSteps::of(heights)) } else { None };
        for (orientation, shape) in piece.orientations().iter().enumerate() {
            let steps = steps.as_ref();
            // Loops over a known number of columns are unrolled.
            match shape.width {
                1 => self.each_column::<1>(piece, orientation, steps, &mut visit),
                2 => self.each_column::<2>(piece, orientation, steps, &mut visit),
                3 => self.each_column::<3>(piece, orientation, steps, &mut visit),
                _ => self.each_column::<4>(piece, orientation, steps, &mut visit),
            }
        }
    }

    /// Visits the placements of `piece` in one orientation, where it covers `N` columns.
    fn each_column<const N: usize>(
        &self,
        piece: Piece,
        orientation: usize,
        steps: Option<&HeightSteps<'_>>,
        visit: &mut impl FnMut(Placement, &BoardFeatures),
    ) {
        let shape = &piece.orientations()[orientation];
        let landings = self.surface.landings::<N>(shape);
        let height = self.board.size().height();
        for column in 0..=self.board.columns().len() - N {
            let placement = Placement { orientation, column };
            let row = u32::from(landings.row[column]);
            let too_high = height < row + shape.height;
            if too_high && self.overflow == OverflowRule::EndsGame {
                continue;
            }
            let mut columns = *window(&self.columns, column);
            let mut full = self.full_before[column] & self.full_from[column + N];
            for c in 0..N {
                columns[N_WALLS + c] |= shape.cells[c] << row;
                full &= columns[N_WALLS + c];
            }
            if full != 0 {
                if let Some(features) = self.cleared(piece, placement) {
                    visit(placement, &features);
                }
            } else if !too_high {
                let mut features = self.landed::<N>(shape, column, &landings, &columns);
                if let Some(steps) = steps {
                    let row = landings.row[column];
                    features.pattern_diversity = steps.diversity::<N>(shape, column, row);
                }
                visit(placement, &features);
            }
        }
    }

    #[cold]
    fn cleared(&self, piece: Piece, placement: Placement) -> Option<BoardFeatures> {
        let outcome = self.full_rows.drop(self.board, piece, placement, self.overflow);
        (!outcome.game_over).then(|| BoardFeatures::of(&outcome, self.wells))
    }

    /// Returns the features except pattern diversity after `shape` has landed above the columns
    /// from `from` on, which turns their window into `columns`, and no row is removed.
    // Called from one place; without the attribute it is not inlined, and a tenth slower.
    #[inline(always)]
    fn landed<const N: usize>(
        &self,
        shape: &Orientation,
        from: usize,
        landings: &LandingProfile,
        columns: &[u64; WINDOW],
    ) -> BoardFeatures {
        let row = landings.row[from];
        let mut with_holes = self.rows_with_holes;
        for c in 0..N {
            with_holes |= (1 << (row + shape.bottoms[c])) - (1 << self.surface.heights[from + c]);
        }
        let mut around = 0;
        for c in 0..N + 2 {
            around |= (columns[N_WALLS - 1 + c] >> row & 0xF) << (4 * c);
        }
        // Each row of the piece adds two transitions, and each full cell beside it removes two.
        let n_rows = shape.height.cast_signed();
        let row_transitions = 2 * n_rows - 2 * count(around & shape.beside);
        BoardFeatures {
            landing_height_2: 2 * i32::from(row) + n_rows - 1,
            eroded_piece_cells: 0,
            row_transitions: self.total.row_transitions + row_transitions,
            // A gap ends below the piece and begins above what the piece would have stood on.
            column_transitions: self.total.column_transitions
                + 2 * i32::from(landings.floating[from]),
            holes: self.total.holes + i32::from(landings.gaps[from]),
            wells: self.total.wells + self.wells_change::<N>(from, columns),
            hole_depth: self.total.hole_depth + i32::from(landings.depth[from]),
            rows_with_holes: count(with_holes),
            pattern_diversity: 0,
            rows_removed: 0,
        }
    }

    /// Returns the change in the wells when the window for column `from` becomes `columns`. A piece
    /// is in `N` columns of the window.
    fn wells_change<const N: usize>(&self, from: usize, columns: &[u64; WINDOW]) -> i32 {
        let (old_columns, old_cells) =
            (window(&self.columns, from), window(&self.well_cells, from));
        let old_sums = window(&self.well_sums, from);
        let mut change = 0;
        // The piece's columns and the two beside them.
        for c in N_WALLS - 1..N_WALLS + N + 1 {
            let cells = columns[c - 1] & columns[c + 1] & !columns[c];
            // Unchanged well cells keep their depths, unless a piece may be below them.
            if cells != old_cells[c] || old_columns[c] < old_cells[c] {
                change += well_sum(columns[c], cells, self.wells) - old_sums[c];
            }
        }
        change
    }
}

/// Returns the window of the column `from`, which begins `N_WALLS` columns to its left.
fn window<T>(padded: &[T; PADDED], from: usize) -> &[T; WINDOW] {
    padded[from..].first_chunk().expect("columns are padded by a window")
}

/// Returns the sum over the wells of a column with the well cells `cells`: each adds its height
/// above the full cell, or the floor, below it.
fn well_sum(column: u64, mut cells: u64, wells: WellRule) -> i32 {
    let mut sum = 0;
    while cells != 0 {
        let top = cells.ilog2();
        let bottom = height(column & ((1 << top) - 1));
        let depth = (top + 1 - bottom).cast_signed();
        match wells {
            WellRule::Cumulative => {
                sum += depth;
                cells ^= 1 << top;
            }
            WellRule::Fast => {
                // All empty cells from here down are well cells: depth + ... + 2 + 1.
                sum += depth * (depth + 1) / 2;
                cells &= (1 << bottom) - 1;
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::{BoardSize, placements};

    /// Generates boards without full rows, of any size: columns of different heights with and
    /// without holes.
    fn board() -> impl Strategy<Value = Board> {
        (4_usize..=16, 4_u32..=32).prop_flat_map(|(width, height)| {
            let column = (0..=height, prop_oneof![Just(u64::MAX), any::<u64>()])
                .prop_map(|(top, cells)| cells & ((1 << top) - 1));
            prop::collection::vec(column, width).prop_map(move |mut columns| {
                let full = columns.iter().fold(u64::MAX, |rows, column| rows & column);
                columns[0] &= !full;
                drawn(&columns, height)
            })
        })
    }

    fn drawn(columns: &[u64], height: u32) -> Board {
        let cell = |column: &u64, row| if column >> row & 1 == 1 { 'X' } else { '.' };
        let row = |row| -> String { columns.iter().map(|column| cell(column, row)).collect() };
        let rows: Vec<String> = (0..height).rev().map(row).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        Board::from_drawing(&rows, height).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn afterstates_equal_the_definition(
            board in board(),
            fast: bool,
            clears: bool,
            stand: bool,
        ) {
            let wells = if fast { WellRule::Fast } else { WellRule::Cumulative };
            let overflow = if clears { OverflowRule::ClearsFirst } else { OverflowRule::EndsGame };
            let full_rows = if stand { FullRows::Standing } else { FullRows::Removed };
            let afterstates = Afterstates::new(&board, overflow, wells).with_full_rows(full_rows);
            for piece in Piece::ALL {
                let mut got = Vec::new();
                afterstates.each::<true>(piece, |placement, features| {
                    got.push((placement, *features));
                });
                let expected: Vec<_> = placements(piece, board.size())
                    .map(|at| (at, full_rows.drop(&board, piece, at, overflow)))
                    .filter(|(_, outcome)| !outcome.game_over)
                    .map(|(placement, outcome)| (placement, BoardFeatures::of(&outcome, wells)))
                    .collect();
                prop_assert_eq!(got, expected);
            }
        }
    }

    #[test]
    fn without_diversity_the_rest_is_the_same() {
        let board = Board::new(BoardSize::STANDARD);
        let afterstates = Afterstates::new(&board, OverflowRule::EndsGame, WellRule::Cumulative);
        let (mut with, mut without) = (Vec::new(), Vec::new());
        afterstates.each::<true>(Piece::S, |_, features| {
            with.push(BoardFeatures { pattern_diversity: 0, ..*features });
        });
        afterstates.each::<false>(Piece::S, |_, features| without.push(*features));
        assert_eq!(with, without);
    }
}
