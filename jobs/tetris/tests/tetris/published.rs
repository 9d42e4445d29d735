//! Published controllers reach the scores that they have in MDPTetris 1.2, or in a prototype that
//! replays it exactly.
//!
//! 400 or 1,000 games each with a fixed seed. Scores are nearly exponential, so a mean has a
//! relative standard error of 5.0 or 3.2 %. The limit is three standard errors, combined with the
//! reference's standard error; chance exceeds it once in 370 seeds.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use hatchery_core::spec::SpecDocument;
use hatchery_core::{RunSeed, TrialContext, WireValue, erased};
use hatchery_tetris::TetrisEvaluate;
use hatchery_tetris::trial::results::GameTally;

const PUBLISHED: &str = include_str!("../../specs/evaluate-published.toml");

/// Checks the mean of `n_games` of a controller of `preset` on 10x10.
fn check(preset: &str, controller: &str, n_games: u32, expected: f64, expected_se: f64) {
    let document = SpecDocument::parse("published", preset.as_bytes()).unwrap();
    let document =
        document.set(&format!("games={n_games}")).unwrap().set("estimator=games").unwrap();
    let document = document.set("boards=[{ width = 10, height = 10 }]").unwrap();
    let experiment = erased::<TetrisEvaluate>();
    let procedure = experiment.configure(&document).unwrap();
    // One controller of the preset: its series alone, as a worker would play it.
    let seed = RunSeed::new("published", 1).generation(0);
    let plan = procedure.plan(&procedure.begin(&seed, &[]).unwrap().state).unwrap();
    let names = preset.lines().filter_map(|line| line.strip_prefix("name = "));
    let idx = names.map(|name| name.trim_matches('"')).position(|name| name == controller).unwrap();
    let prepared = experiment.simulation().prepare(&plan.shared).unwrap();
    let subject = prepared.subject(&plan.series[idx].subject).unwrap();
    let mut streams = (0..n_games).map(|trial| seed.trial(plan.draws, 0, trial));
    let tally = subject.trials(&mut streams, &TrialContext::ALONE);
    let games = GameTally::decode(&tally).unwrap();
    #[expect(clippy::cast_precision_loss, reason = "a few million lines")]
    let mean = games.lines.iter().sum::<u64>() as f64 / f64::from(n_games);
    let relative_se =
        (1.0 / f64::from(n_games) + (expected_se / expected) * (expected_se / expected)).sqrt();
    let off = (mean / expected - 1.0).abs();
    assert!(off < 3.0 * relative_se, "{controller}: {mean} lines instead of {expected}");
}

#[test]
fn dellacherie() {
    check(PUBLISHED, "dellacherie", 1000, 2369.0, 17.0);
}

#[test]
fn bcts() {
    check(PUBLISHED, "bcts", 1000, 3907.0, 26.0);
}

#[test]
fn dt_20() {
    check(PUBLISHED, "dt-20", 1000, 4340.0, 44.0);
}

#[test]
fn bdu() {
    check(include_str!("../../specs/evaluate-bdu.toml"), "bdu", 400, 4128.0, 99.0);
}
