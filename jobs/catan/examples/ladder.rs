//! One agent against three of another kind, on random maps:
//! `cargo run --release -p hatchery-catan --example ladder -- value weighted 2400`.
//! An agent is `random`, `weighted`, `value`, or `mcts:PLAYOUTS`.

use hatchery_catan::arena::series;
use hatchery_catan::players::{Agent, Pool, Search};
use hatchery_core::RunSeed;
use hatchery_stats::ErrorRate;

/// Turns after which nobody has won.
const TURN_CAP: u16 = 2_000;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "a program to run by hand")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let parsed = match arguments.as_slice() {
        [one, others, games] => agent(one).zip(agent(others)).zip(games.parse().ok()),
        _ => None,
    };
    let Some(((one, others), games)) = parsed else {
        eprintln!(
            "usage: ladder AGENT AGENT GAMES, agents: random, weighted, value, mcts:PLAYOUTS"
        );
        return;
    };
    let pool = Pool::one_against(one, others);
    let stream = RunSeed::new("ladder", 1).generation(0).stream("games");
    let results = series(&pool, &stream, 0..games, TURN_CAP);
    let share = results.share(0, ErrorRate::FIVE_PERCENT);
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

fn agent(name: &str) -> Option<Agent> {
    match name {
        "random" => Some(Agent::Random),
        "weighted" => Some(Agent::Weighted),
        "value" => Some(Agent::Value),
        _ => {
            let playouts = name.strip_prefix("mcts:")?.parse().ok()?;
            Some(Agent::Mcts(Search { playouts, ..Search::default() }))
        }
    }
}
