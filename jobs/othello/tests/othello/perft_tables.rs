//! Perft in the three conventions, against the tables of other programs.

use hatchery_othello::rules::{BoardBackend, PerftConvention, Position, perft};

/// The numbers of games of 1, 2, ... plies: A. Bik's table, Edax 4.6 and Egaroucid. They differ
/// from 9 plies on for passes, and from 10 on for finished games.
const TABLES: [(PerftConvention, [u64; 10]); 3] = [
    (
        PerftConvention::PassesCount,
        [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284],
    ),
    (
        PerftConvention::PassesCountLivingOnly,
        [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_056],
    ),
    (
        PerftConvention::PassesAreFree,
        [4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_320, 24_571_420],
    ),
];

#[test]
fn perft_is_that_of_other_programs() {
    for (convention, table) in TABLES {
        for backend in BoardBackend::available() {
            let perft = |plies| perft(&Position::START, plies, convention, backend);
            assert_eq!(perft(0), 1);
            let found = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(perft);
            assert_eq!(found, table, "{convention:?}, {backend:?}");
        }
    }
}
