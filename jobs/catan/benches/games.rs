//! Games and play-outs per second of one core: `cargo bench -p hatchery-catan`.

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_catan::Map;
use hatchery_catan::game::{Streams, play};
use hatchery_catan::players::{Mcts, Player, Random, Search, Value, Weighted};
use hatchery_catan::rules::Island;
use hatchery_core::{RunSeed, StreamRng};

/// Games per sample.
const GAMES: u64 = 1_000;

/// Decisions of the setup: eight settlements and eight roads.
const SETUP_DECISIONS: u64 = 16;

fn main() {
    divan::main();
}

fn seed() -> StreamRng {
    RunSeed::new("bench", 1).generation(0).stream("games")
}

fn games<P: Player + Copy>(bencher: Bencher<'_, '_>, player: P) {
    let island = Island::new(Map::RULEBOOK);
    bencher.counter(ItemsCount::new(GAMES)).bench_local(|| {
        let game = |game| {
            let mut streams = Streams::new(seed().part(game));
            u64::from(play(&island, &mut [player; 4], &mut streams, 2_000).turns)
        };
        (0..GAMES).map(game).sum::<u64>()
    });
}

#[divan::bench]
fn random(bencher: Bencher<'_, '_>) {
    games(bencher, Random);
}

#[divan::bench]
fn weighted(bencher: Bencher<'_, '_>) {
    games(bencher, Weighted);
}

#[divan::bench]
fn value(bencher: Bencher<'_, '_>) {
    games(bencher, Value);
}

/// Play-outs from the setup, where they are longest.
#[divan::bench]
fn playouts(bencher: Bencher<'_, '_>) {
    let search = Search::default();
    let island = Island::new(Map::RULEBOOK);
    let n_playouts = SETUP_DECISIONS * u64::from(search.playouts);
    bencher.counter(ItemsCount::new(n_playouts)).bench_local(|| {
        let mut players = std::array::from_fn(|_| Mcts::new(search));
        play(&island, &mut players, &mut Streams::new(seed()), 0).actions
    });
}
