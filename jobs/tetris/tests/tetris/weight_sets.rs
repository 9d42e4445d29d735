//! The weight sets of El-Tetris and of Lee, with the features that no other controller has.
//!
//! The expected games are those of the authors' programs: `src/eltetris.js` of ielashi/eltetris at
//! 55fce0c, and the grid of LeeYiyuan/tetrisai at 960350e, with placements in the order of the
//! former, because the order decides ties. Both had the pieces of [`dealer`].

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use hatchery_core::spec::SpecDocument;
use hatchery_core::{conformance, erased, reference};
use hatchery_tetris::TetrisEvaluate;
use hatchery_tetris::batch::{InstructionSet, PieceDealer, play_all};
use hatchery_tetris::features::{FullRows, SkyRule, WellRule};
use hatchery_tetris::players::{
    Controller, LinearController, PlacementPolicy, StackWeights, SurfaceController, SurfaceWeights,
};
use hatchery_tetris::rules::{Board, BoardSize, GameRules, OverflowRule, Piece, QueueRules};

/// The pieces by the upper bits of the linear congruential generator of ANSI C.
fn dealer(seed: u32) -> PieceDealer<'static> {
    let mut state = seed;
    Box::new(move || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7FFF_FFFF;
        Piece::ALL[usize::try_from((state >> 16) % 7).unwrap()]
    })
}

fn policy(
    linear: [f64; 9],
    stack: [f64; 3],
    (full_rows, sky): (FullRows, SkyRule),
) -> PlacementPolicy {
    let linear = LinearController::new(linear, WellRule::Cumulative).unwrap();
    let [rows_removed, aggregate_height, bumpiness] = stack;
    let stack = StackWeights::new(rows_removed, aggregate_height, bumpiness).unwrap();
    let surface = SurfaceWeights::default();
    Controller::Surface(SurfaceController { linear, surface, stack, full_rows, sky }).into()
}

fn el_tetris() -> PlacementPolicy {
    let linear = [
        -4.500158825082766,
        0.0,
        -3.2178882868487753,
        -9.348695305445199,
        -7.899265427351652,
        -3.3855972247263626,
        0.0,
        0.0,
        0.0,
    ];
    policy(linear, [3.4181268101392694, 0.0, 0.0], (FullRows::Removed, SkyRule::Nothing))
}

fn lee() -> PlacementPolicy {
    let linear = [0.0, 0.0, 0.0, 0.0, -0.35663, 0.0, 0.0, 0.0, 0.0];
    policy(linear, [0.760666, -0.510066, -0.184483], (FullRows::Standing, SkyRule::Empty))
}

/// Checks the pieces and lines of a whole game of El-Tetris.
#[track_caller]
fn check_el_tetris((width, height): (u32, u32), seed: u32, pieces: u64, lines: u64) {
    let rules = GameRules::published(BoardSize::new(width, height).unwrap());
    let mut dealers = std::iter::once(dealer(seed));
    let fastest = InstructionSet::fastest();
    let [score] = play_all(&el_tetris(), rules, 200_000, &mut dealers, fastest)[..] else {
        panic!("one game was played");
    };
    assert_eq!((score.pieces, score.lines), (pieces, lines));
}

#[test]
fn el_tetris_plays_the_games_of_its_program() {
    check_el_tetris((10, 10), 1, 2707, 1074);
    check_el_tetris((10, 10), 2, 2688, 1066);
    check_el_tetris((10, 10), 3, 2845, 1129);
    check_el_tetris((6, 10), 1, 145, 88);
    check_el_tetris((7, 12), 2, 1257, 708);
}

/// Checks the lines of the first pieces of a game of Lee's program, and the columns' heights after
/// them. `preview` pieces are known.
#[track_caller]
fn check_lee(width: u32, seed: u32, n_pieces: u64, preview: u32, lines: u64, heights: &[u32]) {
    let size = BoardSize::new(width, 20).unwrap();
    let queue = QueueRules { preview, ..QueueRules::default() };
    let rules =
        GameRules { overflow: OverflowRule::ClearsFirst, queue, ..GameRules::published(size) };
    let mut last = Board::new(size);
    let score = lee().play(rules, n_pieces, dealer(seed), |made| last = made.outcome.board);
    let found: Vec<_> =
        last.columns().iter().map(|column| u64::BITS - column.leading_zeros()).collect();
    assert_eq!((score.lines, &found[..]), (lines, heights));
}

#[test]
fn lee_plays_the_games_of_his_program() {
    check_lee(10, 1, 1000, 0, 399, &[2, 2, 1, 0, 0, 0, 0, 1, 1, 3]);
    check_lee(10, 2, 400, 0, 157, &[6, 6, 5, 4, 4, 3, 2, 0, 0, 0]);
    check_lee(10, 1, 300, 1, 118, &[2, 2, 1, 4, 1, 2, 2, 3, 3, 1]);
    check_lee(10, 2, 300, 1, 118, &[5, 1, 2, 1, 1, 1, 0, 2, 3, 4]);
    check_lee(6, 2, 40, 1, 19, &[2, 10, 12, 12, 9, 7]);
    check_lee(6, 3, 40, 2, 23, &[5, 6, 4, 4, 4, 4]);
}

const SPEC: &str = "experiment = 'tetris-evaluate'\n\
                    seed = 1\n\
                    [params]\n\
                    games = 6\n\
                    boards = [{ width = 5, height = 8 }, { width = 6, height = 8 }]\n\
                    [[params.controllers]]\n\
                    name = 'mine'\n\
                    weights = { holes = -4, landing_height = -1, row_transitions = -1 }\n";

/// Returns the lines of the games of [`SPEC`] with `from` replaced.
fn lines(from: &str, to: &str) -> Vec<f64> {
    let experiment = erased::<TetrisEvaluate>();
    let spec = SPEC.replace("games = 6", "games = 40").replace(from, to);
    let document = SpecDocument::parse("test", spec.as_bytes()).unwrap();
    let configured = experiment.configure(&document).unwrap();
    let run = reference::run(experiment, configured.as_ref(), 1).unwrap();
    let measures = &run.history.last().unwrap().measures;
    let means = measures.iter().filter(|it| it.name.ends_with("/mean"));
    means.map(|it| it.value.point()).collect()
}

#[test]
fn every_feature_changes_the_games() {
    let named = "row_transitions = -1 }";
    let all = [
        lines(named, named),
        lines(named, "row_transitions = -1, rows_removed = 9 }"),
        lines(named, "row_transitions = -1, aggregate_height = -1 }"),
        lines(named, "row_transitions = -1, bumpiness = -1 }"),
        lines(named, "row_transitions = -1 }\nfull_rows = 'standing'"),
        lines(named, "row_transitions = -1, column_transitions = -9 }"),
        lines(named, "row_transitions = -1, column_transitions = -9 }\nsky = 'nothing'"),
    ];
    for (idx, lines) in all.iter().enumerate() {
        assert_eq!(all.iter().position(|other| other == lines), Some(idx), "{all:?}");
    }
    assert_eq!(
        all[0],
        lines(named, "row_transitions = -1, bumpiness = 0 }\nfull_rows = 'removed'")
    );
}

#[test]
fn weight_sets_conform() {
    for (named, expected) in [
        ("row_transitions = -1 }", "row_transitions = -1, rows_removed = 3.4, bumpiness = -1 }"),
        ("name = 'mine'\n", "name = 'mine'\nfull_rows = 'standing'\nlookahead = {}\n"),
    ] {
        let spec = SPEC.replace(named, expected).replace("games = 6", "games = 2\nmax_pieces = 40");
        assert_ne!(spec, SPEC);
        conformance::check::<TetrisEvaluate>(&spec).unwrap();
    }
}

#[test]
fn weights_that_are_wrong_are_refused() {
    let weights = "weights = { holes = -4, landing_height = -1, row_transitions = -1 }\n";
    for (to, expected) in [
        ("weights = { bumpiness = 1e6 }\n", "controllers.0.weights.bumpiness is 1000000"),
        ("weights = { rows_removed = 1, rows_removed = 2 }\n", "duplicate key"),
        ("weights = { rows_eliminated = 1 }\n", "rows_eliminated"),
        (
            "full_rows = 'standing'\nnetwork = { hidden = 1, weights = [] }\n",
            "controllers.0.full_rows is standing, but must be removed with a network",
        ),
        (
            "sky = 'nothing'\nnetwork = { hidden = 1, weights = [] }\n",
            "controllers.0.sky is nothing, but must be empty with a network",
        ),
    ] {
        let spec = SPEC.replace(weights, to);
        let refused = match SpecDocument::parse("weights", spec.as_bytes()) {
            Ok(document) => {
                erased::<TetrisEvaluate>().configure(&document).err().unwrap().to_string()
            }
            Err(error) => format!("{error:?}"),
        };
        assert!(refused.contains(expected), "{refused}");
    }
}
