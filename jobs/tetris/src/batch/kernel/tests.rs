//! The features of random boards against their definition.

use proptest::prelude::*;

use super::{Boards, Landed, Visit};
use crate::batch::avx2::{U16x16, U32x8};
use crate::batch::dispatch::Path;
use crate::batch::lanes::{Lane, Lanes};
use crate::features::{Features, Wells};
use crate::rules::{Board, BoardSize, MAX_WIDTH, Overflow, Piece, placements};

/// Boards of one size without full rows, at most `most` high: columns of different heights with
/// and without holes.
fn boards(n: usize, most: u32) -> impl Strategy<Value = (BoardSize, Vec<Board>)> {
    (4_u32..=16, 4_u32..=32).prop_flat_map(move |(width, height)| {
        let size = BoardSize::new(width, height).expect("it is there");
        let column = (0..=height.min(most), prop_oneof![Just(u64::MAX), any::<u64>()])
            .prop_map(|(top, cells)| cells & ((1 << top) - 1));
        let board = prop::collection::vec(column, width as usize).prop_map(move |mut columns| {
            let full = columns.iter().fold(u64::MAX, |rows, column| rows & column);
            columns[0] &= !full;
            Board::of_columns(size, &columns)
        });
        (Just(size), prop::collection::vec(board, n))
    })
}

struct Check<'a> {
    boards: &'a [Board],
    piece: Piece,
    overflow: Overflow,
    wells: Wells,
    diversity: bool,
    n_seen: usize,
}

impl<L: Lanes> Visit<L> for Check<'_> {
    fn visit(&mut self, landed: &Landed<L>) {
        let [playable, removes, full] =
            [landed.playable, landed.removes, landed.full].map(L::store);
        let got = landed.features.map(L::store);
        for (lane, board) in self.boards.iter().enumerate() {
            let placement =
                placements(self.piece, board.size()).nth(self.n_seen).expect("it is there");
            let outcome = board.drop(self.piece, placement, self.overflow);
            let at = |array: &L::Array| array.as_ref()[lane].count();
            if outcome.n_lines != 0 {
                assert_ne!(at(&removes), 0, "{placement:?} on {board:?}");
                assert_eq!(at(&full).count_ones(), outcome.n_lines);
                assert_eq!(at(&playable), 0);
                continue;
            }
            assert_eq!(at(&removes), 0, "{placement:?} on {board:?}");
            assert_eq!(at(&playable) == 0, outcome.game_over, "{placement:?} on {board:?}");
            if !outcome.game_over {
                let expected = in_order(&Features::of(&outcome, self.wells), self.diversity);
                assert_eq!(got.map(|array| at(&array)), expected, "{placement:?}, {board:?}");
            }
        }
        self.n_seen += 1;
    }
}

fn in_order(features: &Features, diversity: bool) -> [i32; 9] {
    [
        features.landing_height_2,
        features.eroded_piece_cells,
        features.row_transitions,
        features.column_transitions,
        features.holes,
        features.wells,
        features.hole_depth,
        features.rows_with_holes,
        if diversity { features.pattern_diversity } else { 0 },
    ]
}

fn check<L: Lanes, const FAST: bool, const DIVERSITY: bool>(
    size: BoardSize,
    boards: &[Board],
    overflow: Overflow,
) {
    let mut columns = [L::ZEROS; MAX_WIDTH];
    for (lane, board) in boards.iter().enumerate() {
        for (array, &column) in columns.iter_mut().zip(board.columns()) {
            array.as_mut()[lane] = L::Lane::from_column(column);
        }
    }
    let mut prepared = Boards::<L, FAST, DIVERSITY>::none(size, overflow);
    prepared.set(&columns.map(|array| L::load(&array)));
    let wells = if FAST { Wells::Fast } else { Wells::Cumulative };
    for piece in Piece::ALL {
        let mut check = Check { boards, piece, overflow, wells, diversity: DIVERSITY, n_seen: 0 };
        prepared.each(piece, &mut check);
        assert_eq!(check.n_seen, placements(piece, size).count());
    }
}

fn check_all<L: Lanes>(size: BoardSize, boards: &[Board]) {
    for overflow in [Overflow::EndsGame, Overflow::ClearsFirst] {
        check::<L, false, false>(size, boards, overflow);
        check::<L, false, true>(size, boards, overflow);
        check::<L, true, false>(size, boards, overflow);
        check::<L, true, true>(size, boards, overflow);
    }
}

proptest! {
    #[test]
    fn narrow_lanes_equal_the_definition((size, boards) in boards(16, 12)) {
        if Path::available().contains(&Path::Avx2) {
            check_all::<U16x16>(size, &boards);
        }
    }

    #[test]
    fn wide_lanes_equal_the_definition((size, boards) in boards(8, 28)) {
        if Path::available().contains(&Path::Avx2) {
            check_all::<U32x8>(size, &boards);
        }
    }
}
