//! Plays one agent against three of another kind on random maps:
//! `cargo run --release -p hatchery-catan --example ladder -- planner value 2400`.
//! An agent is its kind, or the JSON of an agent in a spec:
//! `'{"kind": "planner", "trade": false}'`.

mod arena;

use arena::play_series;
use hatchery_catan::players::{Agent, AgentPool};
use hatchery_core::RunSeed;
use hatchery_stats::{ErrorRate, wilson_interval};

/// Turns after which a game ends without a winner.
const TURN_CAP: u16 = 2_000;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program to run by hand")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [one, others, games] = arguments.as_slice() else {
        eprintln!("usage: ladder AGENT AGENT GAMES");
        return;
    };
    let (one, others, games) = match (agent(one), agent(others), games.parse()) {
        (Ok(one), Ok(others), Ok(games)) => (one, others, games),
        (Err(error), ..) | (_, Err(error), _) => return eprintln!("an agent: {error}"),
        (.., Err(error)) => return eprintln!("the number of games: {error}"),
    };
    let pool = AgentPool::one_against(one, others);
    let stream = RunSeed::new("ladder", 1).generation(0).stream("games");
    let results = play_series(&pool, &stream, 0..games, TURN_CAP);
    // The share of all games, undecided ones included. Four equal agents win a quarter at most.
    let wins = results.wins[0].iter().sum();
    let share = wilson_interval(wins, results.games, ErrorRate::FIVE_PERCENT)
        .expect("a game has at most one winner");
    println!(
        "{} against three {}: {:.3} [{:.3}, {:.3}] of {} games, {} undecided, {:.1} turns; \
         wins by seat {:?}",
        arguments[0],
        arguments[1],
        share.mean,
        share.low,
        share.high,
        results.games,
        results.undecided(),
        results.turns as f64 / games as f64,
        results.wins[0],
    );
}

fn agent(text: &str) -> serde_json::Result<Agent> {
    if text.starts_with('{') {
        return serde_json::from_str(text);
    }
    serde_json::from_value(serde_json::json!({ "kind": text }))
}
