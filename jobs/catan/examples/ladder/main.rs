//! Plays one agent against three of another kind on random maps:
//! `cargo run --release -p hatchery-catan --example ladder -- planner value 2400 1`.
//!
//! The last argument is the seed, 1 by default. An agent is its kind, or the JSON of an agent in a
//! spec: `'{"kind": "planner", "trade": false}'`. Shares have intervals of 95 % (Wilson).

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
    let (one, others, games, seed) = match arguments.as_slice() {
        [one, others, games] => (one, others, games, "1"),
        [one, others, games, seed] => (one, others, games, seed.as_str()),
        _ => return eprintln!("usage: ladder AGENT AGENT GAMES [SEED]"),
    };
    let (pool, games, seed) = match (agent(one), agent(others), games.parse(), seed.parse()) {
        (Ok(one), Ok(others), Ok(games), Ok(seed)) => {
            (AgentPool::one_against(one, others), games, seed)
        }
        (Err(error), ..) | (_, Err(error), ..) => return eprintln!("an agent: {error}"),
        (_, _, Err(error), _) => return eprintln!("the number of games: {error}"),
        (.., Err(error)) => return eprintln!("the seed: {error}"),
    };
    let stream = RunSeed::new("ladder", seed).generation(0).stream("games");
    let results = play_series(&pool, &stream, 0..games, TURN_CAP);
    // Shares are of all games, undecided ones included. Four equal agents win a quarter at most.
    let share = |n: u64| {
        let share = wilson_interval(n, results.games, ErrorRate::FIVE_PERCENT)
            .expect("at most one for each game");
        format!("{:.3} [{:.3}, {:.3}]", share.mean, share.low, share.high)
    };
    let per_game = |n: u64| n as f64 / results.games as f64;
    println!("{one} against three {others}: {games} games, seed {seed}");
    println!("wins              {}", share(results.wins[0].iter().sum()));
    println!("wins by seat      {:?}", results.wins[0]);
    println!("undecided         {}", results.undecided());
    println!("turns             {:.1}", per_game(results.turns));
    println!("winner's road     {}", share(results.longest_roads));
    println!("winner's army     {}", share(results.largest_armies));
    println!(
        "trades            {:.1} among players, {:.1} with the bank",
        per_game(results.trades),
        per_game(results.maritime_trades)
    );
}

fn agent(text: &str) -> serde_json::Result<Agent> {
    if text.starts_with('{') {
        return serde_json::from_str(text);
    }
    serde_json::from_value(serde_json::json!({ "kind": text }))
}
