//! Measures UCT playouts per second on one core: `cargo bench -p hatchery-othello --bench uct`.
//!
//! Before anything is measured, all instruction sets must rank the moves in the same way.

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_core::{RunSeed, StreamRng};
use hatchery_othello::players::{
    AgentSearch, DepthReading, MctsAgent, MoveRanking, SearchSettings, choices,
};
use hatchery_othello::record::transcript;
use hatchery_othello::rules::{BoardBackend, Position};

/// Playouts of a search from the start: small trees stay in the cache, large ones do not.
const BUDGETS: [u32; 3] = [1_000, 10_000, 100_000];

/// The number of playouts that each search in a game makes.
const GAME_BUDGET: u32 = 1_000;

/// A drawn game without mistakes (Takizawa, *Othello is Solved*, figure 1).
const DRAWN_GAME: &[u8] = b"f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1f7e2g3h4f1\
    e1f2g1b1f8g8b3h3b2h5b7a3a4a1a2c1h2h1g2b8a8g7h8h7h6";

const BACKENDS: [BoardBackend; 2] = [BoardBackend::Plain, BoardBackend::Avx2];

fn main() {
    let rankings =
        BACKENDS.map(|backend| rank(&mut AgentSearch::new(backend), &Position::START, 1_000));
    assert_eq!(rankings[0], rankings[1], "the instruction sets find other moves");
    divan::main();
}

fn stream() -> StreamRng {
    RunSeed::new("bench", 1).generation(0).stream("uct")
}

fn rank(search: &mut AgentSearch, position: &Position, playouts: u32) -> MoveRanking {
    let settings = SearchSettings {
        playouts,
        reading: DepthReading::TreeCap,
        plies_per_doubling: 4.0,
        exploration: core::f64::consts::FRAC_1_SQRT_2,
    };
    let agent = MctsAgent::new(60, settings).expect("the settings are within their ranges");
    search.rank(position, &agent, &stream())
}

#[divan::bench(args = BUDGETS, sample_count = 20)]
fn start_plain(bencher: Bencher<'_, '_>, budget: u32) {
    start(bencher, BoardBackend::Plain, budget);
}

#[divan::bench(args = BUDGETS, sample_count = 20)]
fn start_avx2(bencher: Bencher<'_, '_>, budget: u32) {
    start(bencher, BoardBackend::Avx2, budget);
}

fn start(bencher: Bencher<'_, '_>, backend: BoardBackend, budget: u32) {
    let mut search = AgentSearch::new(backend);
    bencher
        .counter(ItemsCount::new(budget))
        .bench_local(|| rank(&mut search, &Position::START, budget));
}

/// Searches all positions of a game that have a choice; items are playouts.
#[divan::bench(args = BACKENDS, sample_count = 20)]
fn game(bencher: Bencher<'_, '_>, backend: BoardBackend) {
    let game = transcript::read(DRAWN_GAME, Position::START).expect("the game is legal");
    let turns = game.turns().filter(|turn| choices(&turn.position).is_some());
    let positions: Vec<Position> = turns.map(|turn| turn.position).collect();
    let mut search = AgentSearch::new(backend);
    let n_playouts = u64::from(GAME_BUDGET) * positions.len() as u64;
    bencher.counter(ItemsCount::new(n_playouts)).bench_local(|| {
        for position in &positions {
            divan::black_box(rank(&mut search, position, GAME_BUDGET));
        }
    });
}
