//! The features of random boards against their definition.

use proptest::prelude::*;

use super::{Boards, Landed, Landings, origins};
use crate::batch::avx2::{Rows16, Rows32};
use crate::batch::dispatch::Path;
use crate::batch::group::Prepare;
use crate::batch::vectors::{Bytes, Lane, N_BOARDS, Rows, Words};
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

/// Checks all placements of `piece` on `boards`.
fn check_piece<R: Rows, const FAST: bool>(
    prepared: &Boards<R, FAST>,
    boards: &[Board],
    overflow: Overflow,
    diversity: bool,
    piece: Piece,
) {
    let wells = if FAST { Wells::Fast } else { Wells::Cumulative };
    let size = boards[0].size();
    let mut all = vec![Landed::nowhere(); placements(piece, size).count()];
    R::run(Landings { boards: prepared, piece, landed: &mut all });
    let origins = origins(prepared.totals()).map(Words::store);
    for (landed, placement) in all.iter().zip(placements(piece, size)) {
        let [playable, removes, full, row] =
            [landed.playable, landed.removes, landed.full, landed.row].map(Bytes::store);
        for (lane, board) in boards.iter().enumerate() {
            let outcome = board.drop(piece, placement, overflow);
            if outcome.n_lines != 0 {
                assert_eq!(removes[lane], u8::MAX, "{placement:?} on {board:?}");
                assert_eq!(u32::from(row[lane]), outcome.landing_row);
                assert_eq!(full[lane].count_ones(), outcome.n_lines);
                assert_eq!(playable[lane], 0);
                continue;
            }
            assert_eq!(removes[lane], 0, "{placement:?} on {board:?}");
            assert_eq!(playable[lane] == 0, outcome.game_over, "{placement:?} on {board:?}");
            if !outcome.game_over {
                let mut expected = Features::of(&outcome, wells).in_order();
                expected[8] *= i32::from(diversity);
                let changes = landed.changes_of(lane);
                let total = |idx: usize| changes[idx] + i64::from(origins[idx][lane]);
                let got: [i64; 9] = std::array::from_fn(total);
                assert_eq!(got, expected.map(i64::from), "{piece:?} {placement:?}, {board:?}");
            }
        }
    }
}

fn check<R: Rows, const FAST: bool>(
    size: BoardSize,
    boards: &[Board],
    overflow: Overflow,
    diversity: bool,
) {
    let mut columns = [[R::Lane::default(); N_BOARDS]; MAX_WIDTH];
    for (lane, board) in boards.iter().enumerate() {
        for (lanes, &column) in columns.iter_mut().zip(board.columns()) {
            lanes[lane] = R::Lane::of_column(column);
        }
    }
    let mut prepared = Boards::<R, FAST>::none(size, overflow, diversity);
    R::run(Prepare { columns: &columns, boards: &mut prepared });
    for piece in Piece::ALL {
        check_piece(&prepared, boards, overflow, diversity, piece);
    }
}

fn check_all<R: Rows>(size: BoardSize, boards: &[Board]) {
    for overflow in [Overflow::EndsGame, Overflow::ClearsFirst] {
        for diversity in [false, true] {
            check::<R, false>(size, boards, overflow, diversity);
            check::<R, true>(size, boards, overflow, diversity);
        }
    }
}

proptest! {
    #[test]
    fn narrow_rows_equal_the_definition((size, boards) in boards(N_BOARDS, 12)) {
        if Path::available().contains(&Path::Avx2) {
            check_all::<Rows16>(size, &boards);
        }
    }

    #[test]
    fn wide_rows_equal_the_definition((size, boards) in boards(N_BOARDS, 28)) {
        if Path::available().contains(&Path::Avx2) {
            check_all::<Rows32>(size, &boards);
        }
    }
}
