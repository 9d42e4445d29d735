//! The tables of trials: each row is the trial that its address replays.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use hatchery_core::conformance::{self, Recording};
use hatchery_core::erased;
use hatchery_core::spec::SpecDocument;
use hatchery_othello::trial::results::MatchResults;
use hatchery_othello::{OthelloAdjust, OthelloLadder};

const ADJUST: &str = include_str!("../../specs/adjust-smoke.toml");

/// Checks that the table of the run of `spec` has all trials; `n_first` returns the number of pairs
/// of a trial that do not count.
#[track_caller]
fn check_adjustment(spec: &str, n_first: fn(u32) -> u32) {
    let recording = Recording::<OthelloAdjust>::new(spec).unwrap();
    let numbers = |results: &MatchResults| {
        let n_pairs = results.pairs_per_trial;
        let counted = &results.pairs[n_first(n_pairs) as usize..];
        let points: u8 = counted.iter().flat_map(|pair| pair.half_points()).sum();
        #[expect(clippy::cast_precision_loss, reason = "a few games")]
        let most = (4 * counted.len()) as f64;
        (Some(f64::from(points) / most), Some(2 * u64::from(n_pairs)))
    };
    let n_rows = conformance::listed_trials_replay(&recording, numbers).unwrap();
    let document = SpecDocument::parse("trials", spec.as_bytes()).unwrap();
    let phases = erased::<OthelloAdjust>().configure(&document).unwrap().phases();
    assert!(phases[0].n_trials.contains(&(n_rows as u64)), "{n_rows} of {phases:?}");
}

/// Sequences count from the middle on; agents that learn nothing play single pairs.
#[test]
fn adjustment_lists_the_score_of_each_trial() {
    check_adjustment(ADJUST, |n_pairs| n_pairs / 2);
}

/// The games after the change count: the last 4 of 6 pairs.
#[test]
fn adjustment_to_a_bot_that_changes_lists_the_score_after_the_change() {
    let change = "bots = [{ from = 2, to = 6, at = 4 }]";
    let spec =
        ADJUST.replacen("bots = [2, 6]", change, 1).replacen("sequence = 4", "sequence = 12", 1);
    let spec = spec.replacen("people = { depths = [3], games = 2 }", "people = { depths = [] }", 1);
    check_adjustment(&spec, |_| 2);
}

/// Three depths play three pairs of games each against themselves.
#[test]
fn the_ladder_lists_the_effort_of_self_play() {
    let spec = include_str!("../../specs/ladder-smoke.toml");
    let recording = Recording::<OthelloLadder>::new(spec).unwrap();
    let numbers = |results: &MatchResults| {
        let [mut effort, other] = results.efforts;
        effort.absorb(&other);
        (effort.mean().map(|mean| mean.playouts), Some(effort.searches))
    };
    assert_eq!(conformance::listed_trials_replay(&recording, numbers).unwrap(), 9);
}
