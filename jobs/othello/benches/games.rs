//! Measures random games, perft and endgames per second on one core:
//! `cargo bench -p hatchery-othello`.
//!
//! Before anything is measured, all instruction sets must play the same games.

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_core::{RunSeed, StreamRng};
use hatchery_othello::record::obf;
use hatchery_othello::rules::{
    BoardBackend, EndgameSolver, PerftConvention, Position, ScoreRule, SolverOptions, perft,
    random_games,
};

/// The number of random games of a sample.
const GAMES: u32 = 10_000;

/// The plies of a perft.
const PLIES: u32 = 9;

/// The leaves of that perft (Bik).
const LEAVES: u64 = 3_005_288;

const BACKENDS: [BoardBackend; 2] = [BoardBackend::Plain, BoardBackend::Avx2];

fn main() {
    let scores = BACKENDS.map(|backend| play(backend, 1_000));
    assert_eq!(scores[0], scores[1], "the instruction sets play other games");
    divan::main();
}

fn stream() -> StreamRng {
    RunSeed::new("bench", 1).generation(0).stream("games")
}

fn play(backend: BoardBackend, n_games: u32) -> i64 {
    let rule = ScoreRule::WinnerTakesEmpties;
    random_games(&Position::START, n_games, rule, backend, &mut stream())
}

#[divan::bench(args = BACKENDS, sample_count = 20)]
fn playouts(bencher: Bencher<'_, '_>, backend: BoardBackend) {
    bencher.counter(ItemsCount::new(GAMES)).bench(|| play(backend, GAMES));
}

#[divan::bench(args = BACKENDS, sample_count = 20)]
fn leaves(bencher: Bencher<'_, '_>, backend: BoardBackend) {
    let convention = PerftConvention::PassesCount;
    bencher
        .counter(ItemsCount::new(LEAVES))
        .bench(|| perft(&Position::START, PLIES, convention, backend));
}

/// Solves all moves of FFO positions 1 to 19; items are nodes.
#[divan::bench(args = BACKENDS, sample_count = 5)]
fn endgames(bencher: Bencher<'_, '_>, backend: BoardBackend) {
    let suite = obf::read(include_bytes!("../tests/data/ffo-1-19.obf")).expect("a test suite");
    let rule = ScoreRule::WinnerTakesEmpties;
    let options = SolverOptions { rule, max_nodes: u64::MAX, backend };
    let mut solver = EndgameSolver::new();
    let mut solve = || {
        let nodes = suite.iter().map(|it| match solver.solve(it.position(), options) {
            Ok(solved) => solved.nodes,
            Err(error) => panic!("{error}"),
        });
        nodes.sum::<u64>()
    };
    let n_nodes = solve();
    bencher.counter(ItemsCount::new(n_nodes)).bench_local(solve);
}
