//! The checks that all experiments pass.

use hatchery_core::conformance;
use hatchery_othellonia::{
    OthelloniaImitate, OthelloniaLogs, OthelloniaMatrix, OthelloniaRepresent, OthelloniaSelfplay,
};

#[test]
fn matrices_conform() {
    conformance::check::<OthelloniaMatrix>(include_str!("../../specs/matrix-smoke.toml")).unwrap();
    conformance::presets::<OthelloniaMatrix>().unwrap();
}

#[test]
fn logs_conform() {
    conformance::check::<OthelloniaLogs>(include_str!("../../specs/logs-smoke.toml")).unwrap();
    conformance::presets::<OthelloniaLogs>().unwrap();
}

#[test]
fn learning_of_vectors_conforms() {
    let spec = include_str!("../../specs/represent-smoke.toml");
    conformance::check::<OthelloniaRepresent>(spec).unwrap();
    conformance::presets::<OthelloniaRepresent>().unwrap();
}

#[test]
fn imitation_conforms() {
    let spec = include_str!("../../specs/imitate-smoke.toml");
    conformance::check::<OthelloniaImitate>(spec).unwrap();
    conformance::presets::<OthelloniaImitate>().unwrap();
}

#[test]
fn self_play_conforms() {
    let spec = include_str!("../../specs/selfplay-smoke.toml");
    conformance::check::<OthelloniaSelfplay>(spec).unwrap();
    let with_vectors = spec.replace("deck_one_hot", "vectors");
    conformance::check::<OthelloniaSelfplay>(&with_vectors).unwrap();
    let spec = include_str!("../../specs/selfplay-smoke-paper.toml");
    conformance::check::<OthelloniaSelfplay>(spec).unwrap();
    conformance::presets::<OthelloniaSelfplay>().unwrap();
}

/// Own pieces, listed and random decks, several looks, and all kinds of agents.
#[test]
fn matrices_of_other_decks_conform() {
    let spec = "\
experiment = \"othellonia-matrix\"
seed = 3
[params]
pairs = 4
looks = 3
mirrors = \"left_out\"
agent = { kind = \"lookahead\" }
pieces = [
    { name = \"own\", attribute = \"demon\", cost = 10, hp = 900, attack = 800, \
skill = { kind = \"poison\", magnitude = 300, turns = 3, condition = { flips_at_least = 2 } } },
    { name = \"copy\", attribute = \"god\", cost = 5, hp = 900, attack = 800, \
skill = { kind = \"echo\", magnitude = 924 }, combo = { kind = \"strike\", magnitude = 2000 } },
]
random_decks = { count = 2, seed = 1, pieces = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, \
15, 16, 924, 925] }
decks = [
    { name = \"mine\", kind = \"listed\", leader = 925, \
pieces = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 924, 925] },
]
cost_cap = 400
";
    conformance::check::<OthelloniaMatrix>(spec).unwrap();
}
