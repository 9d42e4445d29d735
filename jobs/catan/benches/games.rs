//! Measures the games and playouts that a single core plays per second:
//! `cargo bench -p hatchery-catan`.

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_catan::Map;
use hatchery_catan::players::{
    MctsParams, MctsPlayer, PlannerParams, Player, RandomPlayer, ValuePlayer, WeightedPlayer,
};
use hatchery_catan::rules::Island;
use hatchery_catan::streams::GameStreams;
use hatchery_catan::trial::game::play;
use hatchery_core::{RunSeed, StreamRng};

/// Games per sample of players that decide quickly.
const GAMES: u64 = 1_000;

/// Decisions of the setup: eight settlements and eight roads.
const SETUP_DECISIONS: u64 = 16;

fn main() {
    divan::main();
}

fn seed() -> StreamRng {
    RunSeed::new("bench", 1).generation(0).stream("games")
}

fn games<P: Player + Copy>(bencher: Bencher<'_, '_>, player: P, n_games: u64) {
    let island = Island::new(Map::RULEBOOK);
    bencher.counter(ItemsCount::new(n_games)).bench_local(|| {
        let game = |game| {
            let mut streams = GameStreams::new(seed().part(game));
            u64::from(play(&island, &mut [player; 4], &mut streams, 2_000).turns)
        };
        (0..n_games).map(game).sum::<u64>()
    });
}

#[divan::bench]
fn random(bencher: Bencher<'_, '_>) {
    games(bencher, RandomPlayer, GAMES);
}

#[divan::bench]
fn weighted(bencher: Bencher<'_, '_>) {
    games(bencher, WeightedPlayer, GAMES);
}

#[divan::bench]
fn value(bencher: Bencher<'_, '_>) {
    games(bencher, ValuePlayer, GAMES);
}

#[divan::bench(sample_count = 10)]
fn planner(bencher: Bencher<'_, '_>) {
    games(bencher, PlannerParams::VALUE.player(), 200);
}

#[divan::bench(sample_count = 10)]
fn planner_fast(bencher: Bencher<'_, '_>) {
    games(bencher, PlannerParams::FAST.player(), 200);
}

/// Measures playouts from the setup, where they are longest.
#[divan::bench]
fn playouts(bencher: Bencher<'_, '_>) {
    let search = MctsParams::default();
    let island = Island::new(Map::RULEBOOK);
    let n_playouts = SETUP_DECISIONS * u64::from(search.playouts);
    bencher.counter(ItemsCount::new(n_playouts)).bench_local(|| {
        let mut players: [_; 4] = std::array::from_fn(|_| MctsPlayer::new(search));
        play(&island, &mut players, &mut GameStreams::new(seed()), 0).actions
    });
}
