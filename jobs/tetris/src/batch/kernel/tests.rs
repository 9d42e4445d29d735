//! Comparison of the features of random boards with their definition.

use proptest::prelude::*;

use super::{LandedPlacement, PreparedBoards, origins};
use crate::batch::avx2::{Avx2Rows16, Avx2Rows32};
use crate::batch::avx512::{Avx512Rows16, Avx512Rows32};
use crate::batch::dispatch::InstructionSet;
use crate::batch::group::PrepareBoards;
use crate::batch::vectors::{ByteVector, N_BOARDS, RowBits, RowSets, WordVector};
use crate::features::{BoardFeatures, WellRule};
use crate::rules::{Board, BoardSize, MAX_WIDTH, OverflowRule, Piece, placements};

/// Generates boards with the same size and without full rows, at most `most` high. Columns have
/// different heights; some have holes.
fn boards(n: usize, most: u32) -> impl Strategy<Value = (BoardSize, Vec<Board>)> {
    (4_u32..=16, 4_u32..=32).prop_flat_map(move |(width, height)| {
        let size = BoardSize::new(width, height).expect("a size in range");
        let column = (0..=height.min(most), prop_oneof![Just(u64::MAX), any::<u64>()])
            .prop_map(|(top, cells)| cells & ((1 << top) - 1));
        let board = prop::collection::vec(column, width as usize).prop_map(move |mut columns| {
            let full = columns.iter().fold(u64::MAX, |rows, column| rows & column);
            columns[0] &= !full;
            Board::from_columns(size, &columns)
        });
        (Just(size), prop::collection::vec(board, n))
    })
}

/// Checks all placements of `piece` on `boards`.
fn check_piece<R: RowSets, const FAST: bool>(
    prepared: &PreparedBoards<R, FAST>,
    boards: &[Board],
    overflow: OverflowRule,
    diversity: bool,
    piece: Piece,
) {
    let wells = if FAST { WellRule::Fast } else { WellRule::Cumulative };
    let size = boards[0].size();
    let mut all = vec![LandedPlacement::empty(); placements(piece, size).count()];
    prepared.land(piece, &mut all);
    let origins = origins(prepared.totals()).map(WordVector::store);
    for (landed, placement) in all.iter().zip(placements(piece, size)) {
        let [playable, removes, removed, row] =
            [landed.playable, landed.removes, landed.removed, landed.row].map(ByteVector::store);
        for (lane, board) in boards.iter().enumerate() {
            let outcome = board.drop(piece, placement, overflow);
            if outcome.n_lines != 0 {
                assert_eq!(removes[lane], u8::MAX, "{placement:?} on {board:?}");
                assert_eq!(u32::from(row[lane]), outcome.landing_row);
                assert_eq!(removed[lane].count_ones(), outcome.n_lines);
                assert_eq!(playable[lane], 0);
                continue;
            }
            assert_eq!(removes[lane], 0, "{placement:?} on {board:?}");
            assert_eq!(playable[lane] == 0, outcome.game_over, "{placement:?} on {board:?}");
            if !outcome.game_over {
                let mut expected = BoardFeatures::of(&outcome, wells).in_order();
                expected[8] *= i32::from(diversity);
                let changes = landed.changes_of(lane);
                let total = |idx: usize| changes[idx] + i64::from(origins[idx][lane]);
                let got: [i64; 9] = std::array::from_fn(total);
                assert_eq!(got, expected.map(i64::from), "{piece:?} {placement:?}, {board:?}");
            }
        }
    }
}

fn check<R: RowSets, const FAST: bool>(
    size: BoardSize,
    boards: &[Board],
    overflow: OverflowRule,
    diversity: bool,
) {
    let mut rows = [[R::Lane::default(); MAX_WIDTH]; N_BOARDS];
    for (rows, board) in rows.iter_mut().zip(boards) {
        for (rows, &column) in rows.iter_mut().zip(board.columns()) {
            *rows = R::Lane::from_column(column);
        }
    }
    let mut prepared = PreparedBoards::<R, FAST>::none(size, overflow, diversity);
    R::run(PrepareBoards { rows: &rows, boards: &mut prepared });
    for piece in Piece::ALL {
        check_piece(&prepared, boards, overflow, diversity, piece);
    }
}

fn check_all<R: RowSets>(size: BoardSize, boards: &[Board]) {
    for overflow in [OverflowRule::EndsGame, OverflowRule::ClearsFirst] {
        for diversity in [false, true] {
            check::<R, false>(size, boards, overflow, diversity);
            check::<R, true>(size, boards, overflow, diversity);
        }
    }
}

proptest! {
    #[test]
    fn narrow_rows_equal_the_definition((size, boards) in boards(N_BOARDS, 12)) {
        if InstructionSet::available().contains(&InstructionSet::Avx2) {
            check_all::<Avx2Rows16>(size, &boards);
        }
        if InstructionSet::available().contains(&InstructionSet::Avx512) {
            check_all::<Avx512Rows16>(size, &boards);
        }
    }

    #[test]
    fn wide_rows_equal_the_definition((size, boards) in boards(N_BOARDS, 28)) {
        if InstructionSet::available().contains(&InstructionSet::Avx2) {
            check_all::<Avx2Rows32>(size, &boards);
        }
        if InstructionSet::available().contains(&InstructionSet::Avx512) {
            check_all::<Avx512Rows32>(size, &boards);
        }
    }
}
