//! Bad specs are refused with a message that names the place, the value and the right values.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{Experiment, RunSeed, erased};
use hatchery_othellonia::{OthelloniaImitate, OthelloniaRepresent};

const GAMES: &str = "\
[params.games]
files = 2
pairs = 3
agents = [{ agent = { kind = 'rule' } }]
pool = { kinds = 60 }
cost_cap = 400
generated_decks = { count = 4, seed = 1 }
";

const REPRESENT: &str = "\
[params.learn]
hidden = [8]
periods = 2
steps = 4
";

const IMITATE: &str = "\
[params]
arms = ['vectors', 'one_hot']
learn = { hidden = [8], periods = 2, steps = 4 }
evaluation = { pairs = 2, generated_decks = { count = 2, seed = 9 } }
";

/// Checks that a spec with `old` in place of `new` is refused with this message.
#[track_caller]
fn check<E: Experiment>(params: &str, old: &str, new: &str, expected: &str) {
    let text = format!("experiment = '{}'\nseed = 1\n{params}{GAMES}", E::NAME);
    assert!(text.contains(old), "{old}");
    let document =
        SpecDocument::parse("test", text.replace(old, new).as_bytes()).expect("it is valid");
    let seed = RunSeed::new("refused specs", 1).generation(0);
    let message = match erased::<E>().configure(&document) {
        Ok(experiment) => experiment.begin(&seed, &[]).expect_err(expected).to_string(),
        Err(error) => error.message,
    };
    assert_eq!(message, expected);
}

/// Checks a spec of both experiments with a change to its games.
#[track_caller]
fn check_games(old: &str, new: &str, expected: &str) {
    check::<OthelloniaRepresent>(REPRESENT, old, new, expected);
    check::<OthelloniaImitate>(IMITATE, old, new, expected);
}

#[test]
fn games_to_learn_from_are_checked() {
    check_games(
        "cost_cap = 400",
        "cost_cap = 3",
        "games.generated_decks is decks that the pool refuses (the pieces cost 80 together, but at \
         most 3 are allowed), but must be decks that the pool allows: another pool, or a higher \
         `cost_cap`",
    );
}

#[test]
fn games_are_few_and_have_decks() {
    check_games(
        "files = 2\npairs = 3",
        "files = 1000\npairs = 101",
        "games.pairs is 101, but must be less, or other factors: 101 pairs x 2 games x 1000 files \
         of records = 202000 games, and at most 200000 are allowed",
    );
    check_games(
        "generated_decks = { count = 4, seed = 1 }",
        "",
        "games.decks is 0 decks, but must be one or more, with those of `random_decks` and \
         `generated_decks`",
    );
}

#[test]
fn products_of_a_trial_are_bounded() {
    let check = check::<OthelloniaRepresent>;
    check(
        REPRESENT,
        "hidden = [8]\nperiods = 2\nsteps = 4",
        "hidden = [1024, 1024]\nperiods = 2\nsteps = 1000000\ndecisions = 4096",
        "learn.steps is 1000000, but must be less, or other factors: 1000000 steps x 4096 rows of \
         a step x 6898688 weights = 28257026048000000 products of a trial, and at most \
         100000000000000 are allowed",
    );
}

#[test]
fn arms_and_evaluation_are_checked() {
    let check = check::<OthelloniaImitate>;
    check(
        IMITATE,
        "['vectors', 'one_hot']",
        "['vectors', 'vectors']",
        "arms.1 is \"vectors\", but must be another arm: this one is there before",
    );
    check(
        IMITATE,
        "generated_decks = { count = 2, seed = 9 } }",
        "decks = [] }",
        "evaluation.decks is 0, but must be from 1 to 64, with those of `generated_decks`",
    );
    check(
        &IMITATE.replace("hidden = [8]", "hidden = [1024]"),
        "{ kinds = 60 }",
        "{ kinds = 925 }",
        "learn.hidden is [1024], but must be smaller, or an encoding with fewer columns: 76355585 \
         weights, biases and vectors, and at most 16000000 are allowed",
    );
}

/// A model is one part, whichever of its layers is large.
#[test]
fn all_layers_of_a_model_count() {
    check::<OthelloniaImitate>(
        &IMITATE.replace("hidden = [8]", "hidden = [200, 1024, 1024, 1024]"),
        "{ kinds = 60 }",
        "{ kinds = 925 }",
        "learn.hidden is [200, 1024, 1024, 1024], but must be smaller, or an encoding with fewer \
         columns: 17219049 weights, biases and vectors, and at most 16000000 are allowed",
    );
}

/// The rows in a step are the actions in its decisions, and every row goes through all layers.
#[test]
fn all_rows_and_layers_of_a_step_count() {
    let wide = &IMITATE.replace("hidden = [8]", "hidden = [1, 1024, 1024, 1024], decisions = 4096");
    let check = check::<OthelloniaImitate>;
    check(
        wide,
        "steps = 4",
        "steps = 1000000",
        "learn.steps is 1000000, but must be less, or other factors: 1000000 steps x 24576 rows of \
         a step x 2104849 weights = 51728769024000000 products of a trial, and at most \
         100000000000000 are allowed",
    );
    check(
        wide,
        "arms =",
        "negatives = 143\narms =",
        "learn.decisions is 4096, but must be less, or other factors: 4096 decisions x 144 rows of \
         a decision = 589824 rows of a step, and at most 32768 are allowed",
    );
}
