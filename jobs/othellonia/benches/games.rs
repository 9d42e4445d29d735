//! Measures games per second on one core: `cargo bench -p hatchery-othellonia --bench games`.

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_core::RunSeed;
use hatchery_othellonia::generate::{
    DEFAULT_COST_CAP, MatchUp, PoolSettings, generate_pieces, shipped_decks,
};
use hatchery_othellonia::players::{GameAgent, RuleAgent};
use hatchery_othellonia::pool::PiecePool;

fn main() {
    divan::main();
}

/// Plays pairs of games of an agent against itself, with each pair of the shipped decks.
fn bench_agent(bencher: Bencher<'_, '_>, agent: GameAgent, n_pairs: u32) {
    let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).expect("a pool");
    let decks = shipped_decks().map(|deck| deck.build(&pool, DEFAULT_COST_CAP).expect("a deck"));
    let seed = RunSeed::new("bench", 1);
    bencher.counter(ItemsCount::new(3 * 2 * n_pairs)).bench_local(|| {
        [[0, 1], [1, 2], [2, 0]].map(|[a, b]| {
            let match_up = MatchUp { decks: [&decks[a], &decks[b]], agents: [agent, agent] };
            match_up.play_pairs(n_pairs, &seed)
        })
    });
}

#[divan::bench(sample_count = 20)]
fn random(bencher: Bencher<'_, '_>) {
    bench_agent(bencher, GameAgent::Random, 500);
}

#[divan::bench(sample_count = 20)]
fn rule(bencher: Bencher<'_, '_>) {
    bench_agent(bencher, GameAgent::Rule(RuleAgent::STANDARD), 50);
}

#[divan::bench(sample_count = 10)]
fn lookahead(bencher: Bencher<'_, '_>) {
    bench_agent(bencher, GameAgent::Lookahead, 4);
}

/// Generates the default pool.
#[divan::bench(sample_count = 10)]
fn pieces() -> usize {
    generate_pieces(&PoolSettings::default()).len()
}
