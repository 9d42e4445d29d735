//! The tables of trials: each row is the game that its address replays.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use hatchery_core::Experiment;
use hatchery_core::conformance::{self, Recording};
use hatchery_tetris::{TetrisEvaluate, TetrisEvolve, TetrisGames};

const EVOLVE: &str = include_str!("../../specs/evolve-smoke.toml");

/// Checks that the table of the run of `spec` has `n_rows` games, with their lines as scores.
#[track_caller]
fn check<E: Experiment<Simulation = TetrisGames>>(spec: &str, n_rows: usize) {
    let recording = Recording::<E>::new(spec).unwrap();
    let listed = conformance::listed_trials_replay(&recording, |games| {
        #[expect(clippy::cast_precision_loss, reason = "a few lines")]
        let lines = games.lines[0] as f64;
        (Some(lines), None)
    });
    assert_eq!(listed.unwrap(), n_rows);
}

/// Two controllers play 20 games on each of two boards.
#[test]
fn evaluation_lists_its_games() {
    check::<TetrisEvaluate>(include_str!("../../specs/evaluate-smoke.toml"), 80);
}

/// Three generations, then a generation that chooses between the replicates, and a last generation
/// that has the champion play 8 games of every kind.
#[test]
fn evolution_lists_the_games_that_confirm_the_champion() {
    check::<TetrisEvolve>(EVOLVE, 16);
    check::<TetrisEvolve>(&EVOLVE.replacen("replicates = 2", "replicates = 1", 1), 16);
    let stages = "[params.fitness]\n\
                  allocation = { exposure = 30, further = [{ share = 0.4, games = 3 }] }\n";
    check::<TetrisEvolve>(&EVOLVE.replacen("[params.fitness]\n", stages, 1), 16);
}

#[test]
fn replicates_of_splitting_are_no_games() {
    let splitting = "estimator = 'splitting'\n\
                     splitting = { climbs = 20, streams = 4, burn_in = 10, pieces = 60 }\n";
    let splits = |of: &str| EVOLVE.replacen(of, &format!("{of}{splitting}"), 1);
    check::<TetrisEvolve>(&splits("[params.judge]\n"), 8);
}
