//! Whole games, piece by piece, as played by the literature's reference simulator (MDPTetris 1.2).

use hatchery_tetris::batch::{InstructionSet, PieceDealer, play_all};
use hatchery_tetris::features::{FEATURE_NAMES, WellRule};
use hatchery_tetris::players::{Controller, LinearController};
use hatchery_tetris::rules::{BoardSize, GameRules, PieceWeights};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use toml_edit::{DocumentMut, Item, Table};

/// S and Z three times as often as the others (Miyazaki & Arakawa, §3.1).
fn hard() -> PieceWeights {
    PieceWeights::new([1, 1, 1, 3, 3, 1, 1]).expect("weights are small")
}

/// Returns the published linear controller `name`, as in the preset that evaluates every published
/// controller.
fn published(name: &str) -> Controller {
    let spec: DocumentMut =
        include_str!("../../specs/evaluate-published.toml").parse().expect("presets are TOML");
    let controllers = spec["params"]["controllers"].as_array_of_tables().expect("it has several");
    let is_named = |table: &&Table| table["name"].as_str() == Some(name);
    let controller = controllers.iter().find(is_named).expect("it has all published ones");
    let weights = FEATURE_NAMES.map(|feature| {
        controller["weights"].get(feature).map_or(0.0, |weight| number(name, weight))
    });
    let wells = match controller.get("wells").and_then(Item::as_str) {
        None => WellRule::Cumulative,
        Some("fast") => WellRule::Fast,
        Some(other) => panic!("{name} has wells {other}"),
    };
    Controller::Linear(LinearController::new(weights, wells).expect("published weights are small"))
}

fn number(name: &str, weight: &Item) -> f64 {
    let integer = weight.as_integer().and_then(|weight| i32::try_from(weight).ok());
    let number = weight.as_float().or_else(|| integer.map(f64::from));
    number.unwrap_or_else(|| panic!("{name} has the weight {weight}"))
}

/// Returns a dealer of the pieces of the game with `seed`: xoshiro256++, seeded through splitmix64.
fn dealer(pieces: PieceWeights, seed: u64) -> PieceDealer<'static> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    Box::new(move || {
        let ticket = ((rng.next_u64() >> 32) * u64::from(pieces.sum())) >> 32;
        pieces.piece(u32::try_from(ticket).expect("it is below the sum"))
    })
}

/// Asserts the pieces and lines of the games with seeds 1, 2, 3 and so on, with every instruction
/// set.
fn check(name: &str, height: u32, pieces: &PieceWeights, expected: &[(u64, u64)]) {
    check_from(1, name, height, pieces, expected);
}

fn check_from(
    first_seed: u64,
    name: &str,
    height: u32,
    pieces: &PieceWeights,
    expected: &[(u64, u64)],
) {
    let controller = published(name);
    let size = BoardSize::new(10, height).expect("a usual board");
    let rules = GameRules::published(size);
    for instructions in InstructionSet::available() {
        let mut dealers = (first_seed..).zip(expected).map(|(seed, _)| dealer(*pieces, seed));
        let scores =
            play_all(&controller.clone().into(), rules, u64::MAX, &mut dealers, instructions);
        let scores: Vec<_> = scores.iter().map(|score| (score.pieces, score.lines)).collect();
        assert_eq!(scores, expected, "{instructions:?}");
    }
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
    check("bcts", 10, &PieceWeights::UNIFORM, &expected);
    check_from(18, "bcts", 10, &PieceWeights::UNIFORM, &[(72_258, 28_894)]);
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
    check("bcts", 20, &hard(), &expected);
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
    check("dellacherie", 10, &PieceWeights::UNIFORM, &expected);
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
    check("dt-20", 10, &PieceWeights::UNIFORM, &expected);
}
