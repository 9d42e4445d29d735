//! The farm's checks of the experiments.

use hatchery_core::conformance;
use hatchery_tetris::{TetrisEvaluate, TetrisEvolve};

#[test]
fn tetris_evolve_conforms() {
    conformance::check::<TetrisEvolve>(include_str!("../specs/evolve-smoke.toml")).unwrap();
}

#[test]
fn tetris_evaluate_conforms() {
    conformance::check::<TetrisEvaluate>(include_str!("../specs/evaluate-smoke.toml")).unwrap();
}
