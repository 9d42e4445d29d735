//! The splitting estimate is right, and the same with every instruction set.
//!
//! Seeds are fixed. Means are compared at three combined standard errors, which one seed in 370
//! exceeds by chance.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{Draws, GenerationSeed, RunSeed, StreamRng, erased};
use hatchery_stats::replicates_estimate;
use hatchery_tetris::TetrisEvaluate;
use hatchery_tetris::batch::{InstructionSet, PieceDealer};
use hatchery_tetris::features::WellRule;
use hatchery_tetris::players::{Controller, LinearController};
use hatchery_tetris::rules::{BoardSize, GameRules, PieceWeights};
use hatchery_tetris::splitting::{LevelClimbs, SplittingConfig, SplittingReplicate, mean_lines};

fn bcts() -> Controller {
    let weights =
        [-12.629, 6.601974, -9.215815, -19.77356, -13.08335, -10.48747, -1.611863, -24.04087, 0.0];
    Controller::Linear(LinearController::new(weights, WellRule::Cumulative).expect("small weights"))
}

fn rules(height: u32) -> GameRules {
    let size = BoardSize::new(10, height).expect("a usual board");
    GameRules::published(size)
}

fn dealer<'d>(pieces: PieceWeights, mut rng: StreamRng) -> PieceDealer<'d> {
    Box::new(move || pieces.piece(rng.below(pieces.sum())))
}

fn replicate(
    splitting: &SplittingConfig,
    rules: GameRules,
    pieces: PieceWeights,
    rng: &StreamRng,
    instructions: InstructionSet,
) -> SplittingReplicate {
    splitting.replicate(&bcts().into(), rules, &|part| dealer(pieces, rng.part(part)), instructions)
}

fn seed() -> GenerationSeed {
    RunSeed::new("splitting", 1).generation(0)
}

/// Checks the mean of `n` replicates against `expected` lines with a relative standard error.
fn check(height: u32, weights: [u32; 7], n: u32, (expected, relative_se): (f64, f64)) {
    let pieces = PieceWeights::new(weights).expect("small weights");
    let splits = (0..n).map(|trial| {
        let rng = seed().trial(Draws::PerSubject, 0, trial);
        replicate(
            &SplittingConfig::default(),
            rules(height),
            pieces,
            &rng,
            InstructionSet::fastest(),
        )
    });
    let splits: Vec<_> = splits.collect();
    let hazards: Vec<_> = splits.iter().map(SplittingReplicate::hazard).collect();
    let hazard = replicates_estimate(&hazards);
    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    let cells = splits.iter().map(|split| split.cells).sum::<u64>() as f64
        / splits.iter().map(SplittingReplicate::n_ends).sum::<u64>() as f64;
    let lines = mean_lines(1.0 / hazard.mean, 10, cells);
    // The half-width of a 95 % interval of n replicates is about 2.1 standard errors.
    let own_se = libm::log(hazard.high / hazard.mean) / 2.1;
    let tolerance = 3.0 * own_se.hypot(relative_se);
    let off = (lines / expected - 1.0).abs();
    assert!(off < tolerance, "{lines} lines instead of {expected}: off by {off}, not {tolerance}");
    assert!(tolerance < 0.25, "{tolerance} proves nothing");
}

/// The reference: 22,000 games.
#[test]
fn bcts_on_10x10() {
    check(10, [1; 7], 12, (3907.0, 0.0067));
}

/// The reference: 2,000 games with S and Z three times as often (Miyazaki & Arakawa, §3.1).
#[test]
fn bcts_on_10x20_with_many_s_and_z() {
    check(20, [1, 1, 1, 3, 3, 1, 1], 8, (1779.0, 0.022));
}

/// The reference: games with 75 million pieces each. Miyazaki & Arakawa played 1,000 such games
/// (29.8 million lines), and Scherrer et al. played others (31 million).
#[test]
fn bcts_on_10x20() {
    check(20, [1; 7], 16, (30.4e6, 0.03));
}

#[test]
fn every_instruction_set_gives_the_same_replicate() {
    let splitting = SplittingConfig {
        climbs: LevelClimbs::Same(60),
        streams: 9,
        burn_in: 20,
        pieces: 150,
        ..SplittingConfig::default()
    };
    let pieces = PieceWeights::new([1, 1, 1, 3, 3, 1, 1]).expect("small weights");
    for (height, trial) in [(8, 0), (9, 1), (10, 2), (20, 3), (32, 4)] {
        let rng = seed().trial(Draws::PerSubject, 1, trial);
        let split = |instructions| replicate(&splitting, rules(height), pieces, &rng, instructions);
        let expected = split(InstructionSet::Scalar);
        assert!(0 < expected.rises);
        for instructions in InstructionSet::available() {
            assert_eq!(split(instructions), expected, "{instructions:?}, height {height}");
        }
    }
}

/// A list of equal numbers is the same as one number; the last number counts for the last level.
#[test]
fn each_level_has_its_own_climbs() {
    let rng = seed().trial(Draws::PerSubject, 3, 0);
    let pieces = PieceWeights::new([1, 1, 1, 3, 3, 1, 1]).expect("small weights");
    let split = |climbs| {
        let splitting = SplittingConfig { climbs, ..SplittingConfig::default() };
        replicate(&splitting, rules(12), pieces, &rng, InstructionSet::fastest())
    };
    let each = |numbers: &[u32]| LevelClimbs::Each(numbers.to_vec());
    let expected = split(LevelClimbs::Same(4000));
    assert_eq!(split(each(&[4000; 3])), expected);
    let more = split(each(&[4000, 4000, 40_000]));
    assert_eq!(more.levels[..2], expected.levels[..2]);
    assert!(40_000 <= more.levels[2].begun, "{more:?}");
}

#[test]
fn lists_of_climbs_have_a_number_for_each_level() {
    let preset = include_str!("../../specs/evaluate-search-splitting.toml");
    let text = preset.replace("climbs = 2000", "climbs = [10, 20, 30]");
    assert_ne!(text, preset);
    let document = SpecDocument::parse("climbs", text.as_bytes()).unwrap();
    let message = erased::<TetrisEvaluate>().configure(&document).err().unwrap().to_string();
    let expected = "a number for each of the 2 levels of a board with 10 rows: heights 8, 10";
    assert!(message.contains("splitting.climbs") && message.contains(expected), "{message}");
}

/// The counts from one replicate are consistent.
#[test]
fn levels_follow_each_other() {
    let rng = seed().trial(Draws::PerSubject, 2, 0);
    let pieces = PieceWeights::new([1, 1, 1, 3, 3, 1, 1]).expect("small weights");
    let split =
        replicate(&SplittingConfig::default(), rules(20), pieces, &rng, InstructionSet::fastest());
    assert_eq!(split.levels.len(), SplittingConfig::default().levels(rules(20).size).len());
    let mut n_entries = split.rises;
    for level in &split.levels {
        assert!(level.begun % n_entries == 0 && 4000 <= level.begun, "{level:?}");
        assert!(level.begun < 4000 + n_entries);
        n_entries = level.reached;
    }
    // A game that is over has a wall higher than the board, and it is not full.
    let cells = split.cells / split.n_ends();
    assert!((20..200).contains(&cells), "{cells} cells");
    assert!(split.pieces == 256_000 && split.pieces < split.work);
}
