//! Checks the strength of planners, and how their games go, against the figures that they are meant
//! to have.
//!
//! The seeds are fixed. A share or mean at the very bound would fail a check for one seed in 1,000
//! (normal approximation): that is the room which each bound leaves for sampling error.
//! `examples/ladder` prints the same figures for as many games as one likes.

use crate::arena::{SeriesResult, play_series};
use hatchery_catan::players::{Agent, AgentPool, PlannerOpening, PlannerParams};
use hatchery_core::RunSeed;

const TURN_CAP: u16 = 2_000;

/// The quantile of the normal distribution that is exceeded once in 1,000 times.
const QUANTILE: f64 = 3.09;

/// The standard deviation of the turns of a game of planners: 15.4 by the means of 120 series of 24
/// games, rounded up.
const DEVIATION_OF_TURNS: f64 = 16.0;

const PLANNER: Agent = Agent::Planner(PlannerParams::VALUE);

fn series(one: Agent, others: Agent, games: u64) -> SeriesResult {
    let stream = RunSeed::new("ladder test", 1).generation(0).stream("games");
    let results = play_series(&AgentPool::one_against(one, others), &stream, 0..games, TURN_CAP);
    assert_eq!(results.undecided(), 0, "{results:?}");
    results
}

/// Checks a share among all games against its bounds.
#[track_caller]
fn check_share(what: &str, n: u64, games: u64, [least, most]: [f64; 2]) {
    let share = n as f64 / games as f64;
    let room = |bound: f64| QUANTILE * (bound * (1.0 - bound) / games as f64).sqrt();
    let fits = least - room(least) <= share && share <= most + room(most);
    assert!(fits, "{what}: {share:.3} of {games} games, which should be {least} to {most}");
}

#[track_caller]
fn check_wins(what: &str, one: Agent, others: Agent, games: u64, bounds: [f64; 2]) {
    let wins: u64 = series(one, others, games).wins[0].iter().sum();
    check_share(what, wins, games, bounds);
}

#[test]
fn planners_beat_value_players() {
    check_wins("a planner against three value players", PLANNER, Agent::Value, 2_160, [0.35, 0.5]);
    check_wins("a value player against three planners", Agent::Value, PLANNER, 480, [0.0, 0.18]);
}

#[test]
fn trade_and_opening_carry_strength() {
    let mute = Agent::Planner(PlannerParams { trade: false, ..PlannerParams::VALUE });
    check_wins("a planner without trade", mute, PLANNER, 840, [0.14, 0.19]);
    let opening = PlannerOpening::Random;
    let lost = Agent::Planner(PlannerParams { opening, ..PlannerParams::VALUE });
    check_wins("a planner with a random opening", lost, PLANNER, 240, [0.0, 0.16]);
}

#[test]
fn games_of_planners_keep_their_length_and_armies() {
    const GAMES: u64 = 720;
    let results = series(PLANNER, PLANNER, GAMES);
    let turns = results.turns as f64 / GAMES as f64;
    let room = QUANTILE * DEVIATION_OF_TURNS / (GAMES as f64).sqrt();
    assert!((70.0 - room..=90.0 + room).contains(&turns), "{turns} turns");
    check_share("the winner has the largest army", results.largest_armies, GAMES, [0.4, 0.52]);
}
