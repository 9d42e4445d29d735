//! Pieces per second of one core: `cargo bench -p hatchery-tetris`.

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_core::RunSeed;
use hatchery_tetris::features::Wells;
use hatchery_tetris::players::{Controller, Linear, Network, network_len};
use hatchery_tetris::rules::{BoardSize, Overflow, PieceWeights, Rules};

/// Pieces per sample: the games of one controller, one after the other.
const PIECES: u64 = 50_000;

fn main() {
    divan::main();
}

/// BCTS (Thiery & Scherrer 2009).
fn bcts() -> Controller {
    let weights =
        [-12.629, 6.601974, -9.215815, -19.77356, -13.08335, -10.48747, -1.611863, -24.04087, 0.0];
    Controller::Linear(Linear::new(weights, Wells::Cumulative).expect("published weights"))
}

/// A network whose five neurons each see the features as BCTS does, so that games are long.
fn network() -> Controller {
    let neuron = [-2.5, 1.1, -9.2, -19.8, -5.2, -6.3, -0.6, -4.8, 20.0].map(|weight| weight / 20.0);
    let mut weights: Vec<f32> = (0..5).flat_map(|_| neuron).collect();
    weights.resize(network_len(5), 1.0);
    Controller::Network(Network::new(5, weights).expect("weights are small"))
}

fn bench(bencher: Bencher<'_, '_>, controller: &Controller, height: u32) {
    let size = BoardSize::new(10, height).expect("a usual board");
    let rules = Rules { size, overflow: Overflow::EndsGame };
    let pieces = PieceWeights::UNIFORM;
    bencher.counter(ItemsCount::new(PIECES)).bench(|| {
        let mut rng = RunSeed::new("bench", 1).generation(0).stream("pieces");
        let mut left = PIECES;
        while 0 < left {
            let deal = || pieces.piece(rng.below(pieces.sum()));
            left -= controller.play(rules, left, deal, |_| {}).pieces;
        }
    });
}

#[divan::bench(args = [10, 20])]
fn linear(bencher: Bencher<'_, '_>, height: u32) {
    bench(bencher, &bcts(), height);
}

#[divan::bench(args = [10, 20])]
fn neural(bencher: Bencher<'_, '_>, height: u32) {
    bench(bencher, &network(), height);
}
