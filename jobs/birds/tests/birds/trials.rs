//! The tables of trials: each row is the trial that its address replays.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use hatchery_birds::trial::results::{LevelResults, PlayRecord};
use hatchery_birds::{BirdsAdapt, BirdsEvaluate, BirdsGenerate, BirdsLevels};
use hatchery_core::Experiment;
use hatchery_core::conformance::{self, Recording};

/// Checks that the table of the run of `spec` has `n_rows` trials, whose score and length are
/// `numbers`.
#[track_caller]
fn check<E: Experiment<Simulation = BirdsLevels>>(
    spec: &str,
    numbers: fn(&LevelResults) -> (Option<f64>, Option<u64>),
    n_rows: usize,
) {
    let recording = Recording::<E>::new(spec).unwrap();
    assert_eq!(conformance::listed_trials_replay(&recording, numbers).unwrap(), n_rows);
}

/// Returns 1 for a level that was cleared and 0 for another one, and the number of birds.
fn of_play(play: &PlayRecord) -> (Option<f64>, Option<u64>) {
    let score = if play.is_cleared() { 1.0 } else { 0.0 };
    (Some(score), Some(play.birds_used().into()))
}

/// Two players play two rounds, and then two levels each. Nobody plays the last two levels.
#[test]
fn adaptation_lists_the_levels_of_all_generations() {
    let numbers =
        |results: &LevelResults| results.trials[0].play.as_ref().map_or((None, None), of_play);
    check::<BirdsAdapt>(include_str!("../../specs/adapt-smoke.toml"), numbers, 10);
    let spec = "experiment = 'birds-adapt'\n\
                seed = 2\n\
                [params]\n\
                subjects = [{ player = 'novice', count = 2 }, { player = 'average', count = 1 }]\n\
                replicates = 2\n\
                rounds = 2\n\
                levels = 2\n\
                adaptation = { alphas = [0.5, 0.25], beta = 4 }\n\
                evolution = { population = 6, generations = 2 }\n\
                physics = { shot_seconds = 4 }\n";
    // Six subjects: two alphas in each round, then two levels of each of three conditions.
    check::<BirdsAdapt>(spec, numbers, 2 * 12 + 36 + 4);
}

#[test]
fn evaluation_lists_its_plays() {
    let numbers = |results: &LevelResults| {
        let play = results.trials[0].play.as_ref().filter(|play| play.pigs != 0);
        play.map_or((None, None), of_play)
    };
    check::<BirdsEvaluate>(include_str!("../../specs/evaluate-smoke.toml"), numbers, 6);
}

#[test]
fn generation_lists_its_evolutions() {
    let numbers = |results: &LevelResults| {
        let result = &results.trials[0];
        (result.fitness(), result.evolution.as_ref().map(|it| it.generations.into()))
    };
    check::<BirdsGenerate>(include_str!("../../specs/generate-smoke.toml"), numbers, 3);
}
