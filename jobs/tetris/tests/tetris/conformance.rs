//! Conformance of the experiments to the farm's rules.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{Experiment, conformance, erased};
use hatchery_tetris::{TetrisCompare, TetrisEvaluate, TetrisEvolve};

#[test]
fn tetris_evolve_conforms() {
    conformance::check::<TetrisEvolve>(include_str!("../../specs/evolve-smoke.toml")).unwrap();
}

#[test]
fn sequential_allocation_conforms() {
    let smoke = include_str!("../../specs/evolve-smoke.toml");
    let spec = smoke.replace(
        "[params.fitness]\n",
        "[params.fitness]\n\
         allocation = { exposure = 30, further = [{ share = 0.4, games = 3 }, \
         { share = 0.1, games = 5 }] }\n",
    );
    assert_ne!(spec, smoke);
    conformance::check::<TetrisEvolve>(&spec).unwrap();
}

#[test]
fn tetris_compare_conforms() {
    conformance::check::<TetrisCompare>(include_str!("../../specs/compare-smoke.toml")).unwrap();
}

#[test]
fn presets_conform() {
    conformance::presets::<TetrisCompare>().unwrap();
    conformance::presets::<TetrisEvaluate>().unwrap();
    conformance::presets::<TetrisEvolve>().unwrap();
}

#[test]
fn invalid_allocations_are_refused() {
    let refused = |allocation: &str| {
        let text = include_str!("../../specs/evolve-smoke.toml");
        let text = text.replace("[params.fitness]\n", &format!("[params.fitness]\n{allocation}\n"));
        let document = SpecDocument::parse("allocation", text.as_bytes()).unwrap();
        let experiment = erased::<TetrisEvolve>();
        experiment.configure(&document).err().unwrap().to_string()
    };
    let growing = "allocation = { exposure = 9, further = [{ share = 0.1, games = 1 }, \
                   { share = 0.2, games = 1 }] }";
    let message = refused(growing);
    assert!(message.contains("fitness.allocation.further.1.share is 0.2"), "{message}");
    let split = "estimator = 'splitting'\n\
                 allocation = { exposure = 9, further = [{ share = 0.1, games = 1 }] }";
    let message = refused(split);
    assert!(message.contains("fitness.estimator is splitting"), "{message}");
}

/// Each number is allowed by itself, and all presets are well below the limit.
#[test]
fn more_scores_than_fit_are_refused_with_the_arithmetic() {
    fn check<E: Experiment>(smoke: &str, from: &str, to: &str, expected: &str) {
        let text = smoke.replacen(from, to, 1);
        assert_ne!(text, smoke);
        let document = SpecDocument::parse("scores", text.as_bytes()).unwrap();
        let refused = erased::<E>().configure(&document).err().unwrap();
        assert!(refused.to_string().contains(expected), "{refused}");
    }
    let smoke = include_str!("../../specs/evolve-smoke.toml");
    let (from, to) = ("population = 12\n", "population = 1000\n");
    let many = smoke.replacen("games = 4\n", "games = 1_000_000\n", 1);
    let expected = "fitness.games is 1000000, but must be less, or other factors: 1000000 games x \
                    1000 individuals x 2 replicates = 2000000000 scores in a generation";
    check::<TetrisEvolve>(&many, from, to, expected);
    let smoke = include_str!("../../specs/compare-smoke.toml");
    let (from, to) = ("population = 8\ngames = 2\n", "population = 100\ngames = 1_000_000\n");
    check::<TetrisCompare>(smoke, from, to, "games x 100 individuals x 6 replicates = 600000000");
    let smoke = include_str!("../../specs/evaluate-smoke.toml");
    let (from, to) = ("games = 20\n", "games = 100_000_000\n");
    check::<TetrisEvaluate>(smoke, from, to, "games is 100000000, but must be less");
}

/// Every optimizer, both kinds of linear controllers, and splitting in fitness and judgment.
#[test]
fn optimizers_and_splitting_conform() {
    for (controller, optimizer) in [
        ("linear", "cma-es"),
        ("linear-with-diversity", "cross-entropy"),
        ("network", "cma-es"),
        ("linear", "genetic"),
    ] {
        let splitting = "{ climbs = 20, streams = 4, burn_in = 10, pieces = 60 }";
        let spec = format!(
            "experiment = 'tetris-evolve'\n\
             seed = 1\n\
             [params]\n\
             replicates = 2\n\
             generations = 2\n\
             population = 8\n\
             controller = '{controller}'\n\
             optimizer = '{optimizer}'\n\
             ga = {{ copies = 1, crossovers = 2 }}\n\
             fitness = {{ games = 2, game = {{ height = 9 }}, estimator = 'splitting', \
                 splitting = {splitting} }}\n\
             judge = {{ choose_games = 6, confirm_games = 6, game = {{ height = 8 }}, \
                 estimator = 'splitting', splitting = {splitting} }}\n"
        );
        conformance::check::<TetrisEvolve>(&spec).unwrap();
    }
}

#[test]
fn splitting_conforms() {
    let smoke = include_str!("../../specs/evaluate-smoke.toml");
    let spec = smoke.replace(
        "games = 20\n",
        "games = 6\nestimator = 'splitting'\n\
         splitting = { climbs = 20, streams = 4, burn_in = 10, pieces = 60 }\n",
    );
    conformance::check::<TetrisEvaluate>(&spec).unwrap();
}

#[test]
fn lookahead_conforms() {
    // The last controller of the preset looks ahead.
    let smoke = include_str!("../../specs/evaluate-smoke.toml").replace("games = 20", "games = 3");
    let spec = smoke + "lookahead = { weights = 'frequency', first_value = true }\n";
    conformance::check::<TetrisEvaluate>(&spec).unwrap();
}

#[test]
fn evolution_with_lookahead_and_diversity_conforms() {
    let smoke = include_str!("../../specs/evolve-smoke.toml").replace("games = 4", "games = 2");
    let spec = smoke.replace(
        "hidden = 2\n",
        "hidden = 2\n\
         controller = 'network-with-diversity'\n\
         lookahead = { weights = 'frequency' }\n",
    );
    conformance::check::<TetrisEvolve>(&spec).unwrap();
}

#[test]
fn tetris_evaluate_conforms() {
    conformance::check::<TetrisEvaluate>(include_str!("../../specs/evaluate-smoke.toml")).unwrap();
}
