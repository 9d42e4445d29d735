//! Whole games, piece by piece, as the literature's reference simulator (MDPTetris 1.2) plays them.

use hatchery_tetris::features::Wells;
use hatchery_tetris::players::{Controller, Linear};
use hatchery_tetris::rules::{BoardSize, Overflow, PieceWeights, Rules};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const BCTS: [f64; 9] =
    [-12.629, 6.601974, -9.215815, -19.77356, -13.08335, -10.48747, -1.611863, -24.04087, 0.0];
const DELLACHERIE: [f64; 9] = [-1.0, 1.0, -1.0, -1.0, -4.0, -1.0, 0.0, 0.0, 0.0];
const DT_20: [f64; 9] = [-2.68, 1.38, -2.41, -6.32, 2.03, -2.71, -0.43, -9.48, 0.89];

fn uniform() -> PieceWeights {
    PieceWeights::UNIFORM
}

/// S and Z three times as often as the others (Miyazaki & Arakawa, §3.1).
fn hard() -> PieceWeights {
    PieceWeights::new([1, 1, 1, 3, 3, 1, 1]).unwrap()
}

/// The numbers of pieces and lines of the game with `seed`: pieces are drawn by xoshiro256++,
/// seeded through splitmix64.
fn game(controller: &Controller, height: u32, pieces: &PieceWeights, seed: u64) -> (u64, u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let next_piece = || {
        let ticket = (rng.next_u64() >> 32) * u64::from(pieces.sum()) >> 32;
        pieces.piece(u32::try_from(ticket).unwrap())
    };
    let size = BoardSize::new(10, height).unwrap();
    let rules = Rules { size, overflow: Overflow::EndsGame };
    let score = controller.play(rules, u64::MAX, next_piece, |_| {});
    (score.pieces, score.lines)
}

fn check(
    weights: [f64; 9],
    wells: Wells,
    (height, pieces): (u32, &PieceWeights),
    expected: [(u64, u64); 12],
) {
    let controller = Controller::Linear(Linear::new(weights, wells).unwrap());
    let got: Vec<_> = (1..=12).map(|seed| game(&controller, height, pieces, seed)).collect();
    assert_eq!(got, expected);
}

#[test]
fn bcts_on_10x10() {
    let expected = [
        (1514, 597),
        (4126, 1641),
        (11_484, 4585),
        (26_018, 10_398),
        (39_292, 15_708),
        (34_194, 13_669),
        (4610, 1835),
        (3555, 1413),
        (5754, 2293),
        (5279, 2103),
        (15_433, 6164),
        (825, 321),
    ];
    check(BCTS, Wells::Cumulative, (10, &uniform()), expected);
    let controller = Controller::Linear(Linear::new(BCTS, Wells::Cumulative).unwrap());
    assert_eq!(game(&controller, 10, &uniform(), 18), (72_258, 28_894));
}

#[test]
fn bcts_on_10x20_with_many_s_and_z() {
    let expected = [
        (4112, 1628),
        (8620, 3431),
        (7712, 3067),
        (1137, 437),
        (1257, 486),
        (1183, 456),
        (5312, 2108),
        (745, 280),
        (759, 286),
        (1384, 536),
        (2032, 796),
        (11_538, 4598),
    ];
    check(BCTS, Wells::Cumulative, (20, &hard()), expected);
}

#[test]
fn dellacherie_on_10x10() {
    let expected = [
        (4115, 1637),
        (1744, 689),
        (19_650, 7851),
        (9967, 3978),
        (2724, 1081),
        (2532, 1004),
        (180, 63),
        (1894, 749),
        (12_340, 4927),
        (3320, 1319),
        (6668, 2658),
        (929, 363),
    ];
    check(DELLACHERIE, Wells::Cumulative, (10, &uniform()), expected);
}

#[test]
fn dt_20_on_10x10() {
    let expected = [
        (33_601, 13_432),
        (6378, 2543),
        (5457, 2174),
        (983, 384),
        (53_255, 21_293),
        (4043, 1608),
        (1633, 645),
        (128, 43),
        (6929, 2763),
        (6087, 2426),
        (7252, 2892),
        (6509, 2595),
    ];
    check(DT_20, Wells::Fast, (10, &uniform()), expected);
}
