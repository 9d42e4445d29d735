//! The checks that all experiments pass.

use hatchery_core::conformance;
use hatchery_othello::{OthelloAdjust, OthelloLadder, OthelloMatch};

#[test]
fn matches_conform() {
    conformance::check::<OthelloMatch>(include_str!("../../specs/match-smoke.toml")).unwrap();
    conformance::presets::<OthelloMatch>().unwrap();
}

#[test]
fn ladders_conform() {
    conformance::check::<OthelloLadder>(include_str!("../../specs/ladder-smoke.toml")).unwrap();
    conformance::presets::<OthelloLadder>().unwrap();
}

/// A sequential test with several looks, from listed openings.
#[test]
fn sequential_matches_conform() {
    let spec = "\
experiment = \"othello-match\"
seed = 3
[params]
pairs = 4
search = { playouts = 20 }
openings = { kind = \"games\", games = [\"f5d6c3d3c4\", \"f5f6e6f4\"] }
agents = [
    { name = \"d8\", kind = \"mcts\", depth = 8 },
    { name = \"random\", kind = \"random\" },
    { name = \"d2\", kind = \"mcts\", depth = 2 },
]
method = { kind = \"sprt\", elo0 = -10, elo1 = 150, most_pairs = 10 }
";
    conformance::check::<OthelloMatch>(spec).unwrap();
}

#[test]
fn adjustment_conforms() {
    conformance::check::<OthelloAdjust>(include_str!("../../specs/adjust-smoke.toml")).unwrap();
    conformance::presets::<OthelloAdjust>().unwrap();
}
