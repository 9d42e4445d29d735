//! Conformance checks of the experiments.

use hatchery_catan::{CatanBalance, CatanDesign};
use hatchery_core::conformance;

#[test]
fn catan_balance_conforms() {
    conformance::check::<CatanBalance>(include_str!("../../specs/balance-smoke.toml")).unwrap();
    conformance::presets::<CatanBalance>().unwrap();
}

/// Checks every kind of agent, a map in full, and anytime looks.
#[test]
fn agents_and_looks_conform() {
    let spec = "experiment = 'catan-balance'\n\
                seed = 1\n\
                [params]\n\
                maps = [{ name = 'mine', \
                    map = 'OSWGBSBGWDWOWOGSBGS-A29C64A9B38834556B-3GO3S33BW' }]\n\
                games = 5\n\
                turn_cap = 300\n\
                method = { kind = 'anytime', most_games = 12 }\n\
                [params.pool]\n\
                agents = [{ kind = 'mcts', playouts = 1 }, { kind = 'value' }, \
                    { kind = 'weighted' }, { kind = 'random' }]\n";
    conformance::check::<CatanBalance>(spec).unwrap();
}

/// Checks a variant of the base game.
#[test]
fn variants_conform() {
    let spec = "experiment = 'catan-balance'\nseed = 1\n[params]\nmaps = ['rulebook']\n\
                games = 7\npoints_to_win = 5\nrobber = 'friendly'\n\
                [params.pool]\n\
                agents = [{ kind = 'planner' }, { kind = 'value' }, { kind = 'weighted' }]\n";
    conformance::check::<CatanBalance>(spec).unwrap();
}

#[test]
fn catan_design_conforms() {
    conformance::check::<CatanDesign>(include_str!("../../specs/design-smoke.toml")).unwrap();
    conformance::presets::<CatanDesign>().unwrap();
}
