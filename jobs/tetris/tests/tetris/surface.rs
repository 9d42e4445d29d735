//! Controllers that weigh the wall's surface.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use hatchery_core::spec::SpecDocument;
use hatchery_core::{RunSeed, conformance, erased};
use hatchery_tetris::TetrisEvaluate;
use hatchery_tetris::features::{FullRows, SkyRule, WellRule};
use hatchery_tetris::players::{
    Controller, LinearController, StackWeights, SurfaceController, SurfaceWeights,
};
use hatchery_tetris::rules::{BoardSize, GameRules, GameScore, Piece};
use proptest::prelude::*;

const SPEC: &str = "experiment = 'tetris-evaluate'\n\
                    seed = 1\n\
                    [params]\n\
                    games = 6\n\
                    boards = [{ width = 5, height = 8 }]\n\
                    draws = [{ name = 'drawn' }, { name = 'list', list = 'SZTOIJLSZTOIJL' }]\n\
                    [[params.controllers]]\n\
                    name = 'surface'\n\
                    weights = { holes = -4, landing_height = -0.5, cumulative_wells = -1 }\n\
                    surface = { max_height = 0.5, heights = [-1, 0.25, 0, 0.25, -1], \
                        differences = [-2, -1, -1, -1.5] }\n\
                    [[params.controllers]]\n\
                    name = 'linear'\n\
                    weights = { holes = -4, landing_height = -0.5, cumulative_wells = -1 }\n";

fn with_surface(linear: LinearController, surface: SurfaceWeights) -> Controller {
    let (stack, full_rows) = (StackWeights::default(), FullRows::Removed);
    let sky = SkyRule::Empty;
    Controller::Surface(SurfaceController { linear, surface, stack, full_rows, sky })
}

#[test]
fn surfaces_conform() {
    conformance::check::<TetrisEvaluate>(SPEC).unwrap();
}

#[test]
fn surfaces_with_lookahead_conform() {
    let named = "name = 'surface'\n";
    let ahead = SPEC.replace("games = 6", "games = 2\nmax_pieces = 20");
    let ahead = ahead.replace(named, &format!("{named}lookahead = {{ first_value = true }}\n"));
    conformance::check::<TetrisEvaluate>(&ahead).unwrap();
}

#[test]
fn surfaces_with_splitting_conform() {
    let split = SPEC.replace(
        "games = 6\n",
        "games = 6\nestimator = 'splitting'\n\
         splitting = { climbs = 20, streams = 4, burn_in = 10, pieces = 60 }\n",
    );
    let drawn = split.replace(", { name = 'list', list = 'SZTOIJLSZTOIJL' }", "");
    conformance::check::<TetrisEvaluate>(&drawn).unwrap();
}

/// Squares are put where columns weigh most: first at the right, then beside, and as two squares
/// fill and remove their rows, the third one finds the empty board again.
#[test]
fn the_surface_decides() {
    let controller = |surface: SurfaceWeights| {
        let linear = LinearController::new([0.0; 9], WellRule::Cumulative).unwrap();
        with_surface(linear, surface)
    };
    let surface = SurfaceWeights::new(-10.0, &[0.0, 1.0, 2.0, 3.0], &[0.0; 3]).unwrap();
    let mut columns = Vec::new();
    let size = BoardSize::new(4, 8).unwrap();
    let rules = GameRules::published(size);
    let score = controller(surface).play(
        rules,
        3,
        || Piece::O,
        |made| {
            columns.push(made.placement.column);
        },
    );
    assert_eq!((columns, score.lines), (vec![2, 0, 2], 2));
}

fn refused(from: &str, to: &str) -> String {
    let text = SPEC.replace(from, to);
    assert_ne!(text, SPEC);
    let document = SpecDocument::parse("surface", text.as_bytes()).unwrap();
    let procedure = match erased::<TetrisEvaluate>().configure(&document) {
        Ok(procedure) => procedure,
        Err(error) => return error.to_string(),
    };
    let seed = RunSeed::new("tetris-evaluate", 1).generation(0);
    procedure.begin(&seed, &[]).unwrap_err().to_string()
}

#[test]
fn surfaces_that_fit_no_board_are_refused() {
    let board = "{ width = 5, height = 8 }";
    for (from, to, expected) in [
        (
            board,
            "{ width = 5, height = 8 }, { width = 6, height = 8 }",
            "controllers.0.surface.heights is 5 weights, but must be 6, one for each column of \
             boards.1",
        ),
        (
            "-1, -1.5]",
            "-1, -1.5, 0]",
            "controllers.0.surface.differences is 5 weights, but must be 4, one less than heights",
        ),
        (
            "name = 'surface'\nweights = { holes = -4, landing_height = -0.5, \
             cumulative_wells = -1 }\n",
            "name = 'surface'\n",
            "controllers.0.surface is alone, but must be given beside `weights`",
        ),
        (
            "name = 'surface'\nweights = { holes = -4, landing_height = -0.5, \
             cumulative_wells = -1 }\n",
            "name = 'surface'\nnetwork = { hidden = 1, weights = [] }\n",
            "controllers.0.surface is beside a network, but must be given beside `weights`",
        ),
        (
            "name = 'linear'\nweights = { holes = -4, landing_height = -0.5, \
             cumulative_wells = -1 }\n",
            "name = 'net'\nnetwork = { hidden = 5, weights = [1, 2, 3] }\n",
            "controllers.1.network.weights is 3 weights, but must be 51, for 5 hidden neurons with \
             8 inputs",
        ),
    ] {
        let message = refused(from, to);
        assert!(message.contains(expected), "{message}");
    }
}

fn play(controller: &Controller, pieces: &[usize]) -> (Vec<(usize, usize)>, GameScore) {
    let size = BoardSize::new(6, 10).expect("it is valid");
    let rules = GameRules::published(size);
    let mut dealt = pieces.iter().map(|&piece| Piece::ALL[piece]);
    let mut moves = Vec::new();
    let score = controller.play(
        rules,
        pieces.len() as u64,
        || dealt.next().expect("as many as the cap"),
        |made| moves.push((made.placement.orientation, made.placement.column)),
    );
    (moves, score)
}

proptest! {
    #[test]
    fn a_surface_without_weight_changes_nothing(
        weights in proptest::array::uniform9(-10.0..10.0_f64),
        pieces in proptest::collection::vec(0..7_usize, 1..60),
    ) {
        let linear = LinearController::new(weights, WellRule::Fast).unwrap();
        let surface = SurfaceWeights::new(0.0, &[0.0; 6], &[0.0; 5]).unwrap();
        let with = with_surface(linear.clone(), surface);
        prop_assert_eq!(play(&with, &pieces), play(&Controller::Linear(linear), &pieces));
    }
}
