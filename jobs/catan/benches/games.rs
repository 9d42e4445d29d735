//! Games per second of one core: `cargo bench -p hatchery-catan`.

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_catan::Map;
use hatchery_catan::game::{Streams, play};
use hatchery_catan::players::Random;
use hatchery_catan::rules::Island;
use hatchery_core::RunSeed;

/// Games per sample.
const GAMES: u64 = 1_000;

fn main() {
    divan::main();
}

#[divan::bench]
fn random(bencher: Bencher<'_, '_>) {
    let seed = RunSeed::new("bench", 1).generation(0).stream("games");
    let island = Island::new(Map::RULEBOOK);
    bencher.counter(ItemsCount::new(GAMES)).bench_local(|| {
        let game = |game| {
            let mut streams = Streams::new(seed.part(game));
            u64::from(play(&island, &mut [Random; 4], &mut streams, 2_000).turns)
        };
        (0..GAMES).map(game).sum::<u64>()
    });
}
