//! Bad specs are refused with a message that names the place, the value and the right values.

use hatchery_core::spec::SpecDocument;
use hatchery_core::{RunSeed, erased};
use hatchery_othellonia::OthelloniaSelfplay;

const WIDE: &str = "\
[params]
mode = { kind = 'wide', games = 1000 }
arms = ['vectors']
hidden = [8]
evaluation = { pairs = 2 }
[params.learn]
batch = 4
";

const PAPER: &str = "\
[params]
mode = { kind = 'paper', games = 1000 }
arms = ['vectors']
hidden = [8]
evaluation = { pairs = 2 }
";

fn refusal(params: &str) -> Option<String> {
    let text = format!("experiment = 'othellonia-selfplay'\nseed = 1\n{params}");
    let document = SpecDocument::parse("test", text.as_bytes()).expect("it is valid");
    let seed = RunSeed::new("refused specs", 1).generation(0);
    match erased::<OthelloniaSelfplay>().configure(&document) {
        Ok(experiment) => experiment.begin(&seed, &[]).err().map(|error| error.to_string()),
        Err(error) => Some(error.message),
    }
}

/// Checks that a spec with `new` in place of `old` is refused with this message.
#[track_caller]
fn check(params: &str, old: &str, new: &str, expected: &str) {
    assert!(params.contains(old), "{old}");
    assert_eq!(refusal(&params.replace(old, new)).as_deref(), Some(expected));
}

/// Checks that a spec with `new` in place of `old` is refused with a message that holds this.
#[track_caller]
fn check_part(params: &str, old: &str, new: &str, expected: &str) {
    assert!(params.contains(old), "{old}");
    let message = refusal(&params.replace(old, new)).expect("it is refused");
    assert!(message.contains(expected), "{message}");
}

#[test]
fn the_specs_themselves_are_good() {
    assert_eq!([WIDE, PAPER].map(refusal), [None, None]);
}

#[test]
fn arms_are_there_once() {
    check(
        WIDE,
        "['vectors']",
        "['vectors', 'one_hot', 'vectors']",
        "arms.2 is \"vectors\", but must be another arm: this one is there before",
    );
}

#[test]
fn opponents_of_looks_are_there_once() {
    check(
        WIDE,
        "pairs = 2",
        "pairs = 2, opponents = [{ kind = 'rule' }, { kind = 'rule', preset = 'standard' }]",
        "evaluation.opponents.1 is rule (standard), but must be another one: \
         evaluation.opponents.0 is the same (temperatures are rounded to thousandths)",
    );
}

#[test]
fn the_replay_memory_holds_a_batch() {
    check(
        WIDE,
        "batch = 4",
        "batch = 40\ncapacity = 39",
        "learn.capacity is 39, but must be at least `batch`",
    );
}

#[test]
fn wide_needs_games_and_whole_trials() {
    check(
        WIDE,
        "games = 1000",
        "games = 1001",
        "mode.games is 1001, but must be a multiple of 50, the games of a trial",
    );
    check(
        WIDE,
        "games = 1000",
        "games = 1000, first = 300, most = 200",
        "mode.most is 200, but must be at least 300, as many as `first`",
    );
}

#[test]
fn paper_needs_whole_rounds_and_periods() {
    check(
        PAPER,
        "games = 1000",
        "games = 1000, steps_per_pair = 30",
        "mode.steps_per_pair is 30, but must be a divisor of `period_steps`, which is 4000",
    );
    check(
        PAPER,
        "games = 1000",
        "games = 1100",
        "mode.games is 1100, but must be a multiple of 250, the games of a period",
    );
    check(
        PAPER,
        "games = 1000",
        "games = 1000, steps_per_pair = 1, period_steps = 20_000",
        "mode.period_steps is 20000, but must be less: a period has 20000 pairs of games, and at \
         most 10000 are allowed",
    );
}

#[test]
fn generations_are_few() {
    check(
        PAPER,
        "games = 1000",
        "games = 2002, steps_per_pair = 4, period_steps = 4",
        "mode.games is 2002, but must be at most as many as 1000 periods of learning have, or a \
         larger `period_steps`",
    );
    check(
        WIDE,
        "games = 1000",
        "games = 100_100, first = 100, most = 100",
        "mode.games is 100100, but must be at most as many as 1000 periods of learning have, or \
         larger `first`, `growth` or `most`",
    );
}

/// Each generation sends all files again that the memory may hold items from.
#[test]
fn files_of_games_fit_into_a_trial() {
    check(
        WIDE,
        "games = 1000",
        "games = 60_000",
        "mode.pairs_per_trial is 25, but must be more, or a smaller `learn.capacity`: its \
         decisions are in up to 1200 files of 50 games, and at most 1000 are allowed",
    );
    let fewer = WIDE.replace("games = 1000", "games = 60_000");
    // 250 files of 400 decisions, one of which some are left, and 40 of a generation.
    assert_eq!(refusal(&fewer.replace("batch = 4", "capacity = 100_000")), None);
    check_part(&fewer, "batch = 4", "capacity = 400_000", "are in up to 1041 files of 50 games");
}

#[test]
fn models_fit_into_trials_and_runs() {
    check_part(WIDE, "hidden = [8]", "hidden = [1024]\nopponents = 32", "opponents is 32, but");
    check_part(
        &WIDE.replace("['vectors']", "['one_hot']"),
        "hidden = [8]",
        "hidden = [512]",
        "hidden is [512], but must be smaller, or an encoding with fewer columns",
    );
    check_part(
        WIDE,
        "hidden = [8]",
        "hidden = [256]\nseeds = 8\nsnapshot_games = 10",
        "snapshot_games is 10, but must be more, or smaller networks: 104 models x ",
    );
    check_part(
        WIDE,
        "games = 1000 }",
        "games = 2000 }\nsnapshot_games = 1",
        "snapshot_games is 1, but must be more: there are 2000 snapshots of a network",
    );
}

#[test]
fn training_is_bounded() {
    check_part(
        WIDE,
        "batch = 4",
        "batch = 4096",
        "learn.batch is 4096, but must be less, or other factors: 4096 decisions x 145 rows of a \
         decision = 593920 rows of a step, and at most 32768 are allowed",
    );
    check_part(
        &PAPER.replace("hidden = [8]", "hidden = [1024]\nopponents = 4"),
        "games = 1000",
        "games = 1000, steps_per_pair = 1000, period_steps = 500_000",
        "mode.period_steps is 500000, but must be less, or other factors: 500000 steps x 4640 rows \
         of a step x ",
    );
    check(
        WIDE,
        "games = 1000",
        "games = 1000, first = 400, steps_per_pair = 10_000",
        "mode.steps_per_pair is 10000, but must be less, or smaller generations: there are 2500000 \
         steps for a generation, and at most 1000000 are allowed",
    );
}

#[test]
fn looks_are_bounded() {
    check(
        &WIDE.replace("arms = ['vectors']", "arms = ['vectors']\nseeds = 8"),
        "pairs = 2",
        "pairs = 10_000",
        "evaluation.pairs is 10000, but must be less, or other factors: 10000 pairs x 18 match-ups \
         with opponents and decks x 8 networks = 1440000 pairs of a generation, and at most \
         1000000 are allowed",
    );
    let deck = |at| {
        format!("{{ kind = 'generated', name = 'd{at}', archetype = 'burst', seed = {at} }}, ")
    };
    let decks: String = (0..30).map(deck).collect();
    let wide = WIDE.replace("arms =", &format!("decks = [{decks}]\narms ="));
    check(
        &wide.replace("['vectors']", "['vectors']\nseeds = 8"),
        "pairs = 2",
        "pairs = 1",
        "evaluation.opponents is 2, but must be less, or other factors: 2 opponents x 900 pairs of \
         decks x 8 networks = 14400 series of a generation, and at most 10000 are allowed",
    );
    check_part(
        &wide.replace("games = 1000", "games = 50_000, first = 400, most = 400"),
        "pairs = 2",
        "pairs = 1",
        "evaluation.every is 1, but must be more, or fewer match-ups: 125 looks x 1800 match-ups",
    );
}
