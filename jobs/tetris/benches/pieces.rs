//! Measures pieces per second on one core: `cargo bench -p hatchery-tetris`.
//!
//! Before anything is measured, every instruction set must play a known game of the reference
//! simulator.

use divan::Bencher;
use divan::counter::ItemsCount;
use hatchery_core::{Draws, RunSeed, Simulation, SubjectStreams, TrialContext};
use hatchery_tetris::TetrisGames;
use hatchery_tetris::batch::{InstructionSet, PieceDealer, play_all};
use hatchery_tetris::dealing::PieceSequence;
use hatchery_tetris::features::WellRule;
use hatchery_tetris::players::{
    Controller, LinearController, Lookahead, NetworkShape, NeuralNetwork, PlacementPolicy,
};
use hatchery_tetris::rules::{BoardSize, GameRules, PieceWeights};
use hatchery_tetris::trial::setup::{GameSettings, TetrisPlayer};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The number of games: as many as in a job.
const GAMES: u32 = 1024;

/// The largest number of pieces per game.
const PIECES: u64 = 500;

const PIECE_WEIGHTS: PieceWeights = PieceWeights::UNIFORM;

fn main() {
    for instructions in InstructionSet::available() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let deal = || {
            let ticket = ((rng.next_u64() >> 32) * 7) >> 32;
            PIECE_WEIGHTS.piece(u32::try_from(ticket).expect("below 7"))
        };
        let mut dealers = std::iter::once(Box::new(deal) as PieceDealer<'_>);
        let scores = play_all(&bcts().into(), rules(10), u64::MAX, &mut dealers, instructions);
        assert_eq!(
            (scores[0].pieces, scores[0].lines),
            (1514, 597),
            "{instructions:?} plays another game"
        );
    }
    divan::main();
}

fn rules(height: u32) -> GameRules {
    let size = BoardSize::new(10, height).expect("a usual board");
    GameRules::published(size)
}

/// BCTS (Thiery & Scherrer 2009).
fn bcts() -> Controller {
    let weights =
        [-12.629, 6.601974, -9.215815, -19.77356, -13.08335, -10.48747, -1.611863, -24.04087, 0.0];
    Controller::Linear(
        LinearController::new(weights, WellRule::Cumulative).expect("published weights"),
    )
}

/// Returns a network whose five neurons each see the features as BCTS does, so that games are long.
fn network() -> Controller {
    let neuron = [-2.5, 1.1, -9.2, -19.8, -5.2, -6.3, -0.6, -4.8, 20.0].map(|weight| weight / 20.0);
    let mut weights: Vec<f32> = (0..5).flat_map(|_| neuron).collect();
    let shape = NetworkShape { n_hidden: 5, diversity: false };
    weights.resize(shape.n_weights(), 1.0);
    Controller::Network(NeuralNetwork::new(shape, weights).expect("weights are small"))
}

fn bench(
    bencher: Bencher<'_, '_>,
    controller: &Controller,
    height: u32,
    instructions: InstructionSet,
) {
    play_games(bencher, &controller.clone().into(), rules(height), PIECES, instructions);
}

/// Measures 1,024 games of at most `n_pieces` each.
fn play_games(
    bencher: Bencher<'_, '_>,
    policy: &PlacementPolicy,
    rules: GameRules,
    n_pieces: u64,
    instructions: InstructionSet,
) {
    let seed = RunSeed::new("bench", 1).generation(0);
    let play = || {
        let mut dealers = (0..GAMES).map(|game| {
            let mut rng = seed.trial(Draws::PerSubject, 0, game);
            Box::new(move || PIECE_WEIGHTS.piece(rng.below(7))) as PieceDealer<'_>
        });
        play_all(policy, rules, n_pieces, &mut dealers, instructions)
    };
    let played: u64 = play().iter().map(|score| score.pieces).sum();
    bencher.counter(ItemsCount::new(played)).bench(play);
}

#[divan::bench(args = InstructionSet::available(), consts = [10, 20], sample_count = 20)]
fn linear<const HEIGHT: u32>(bencher: Bencher<'_, '_>, instructions: InstructionSet) {
    bench(bencher, &bcts(), HEIGHT, instructions);
}

#[divan::bench(args = InstructionSet::available(), consts = [10, 20], sample_count = 20)]
fn neural<const HEIGHT: u32>(bencher: Bencher<'_, '_>, instructions: InstructionSet) {
    bench(bencher, &network(), HEIGHT, instructions);
}

/// Pseudo-two-level search, all next pieces alike.
#[divan::bench(args = InstructionSet::available(), sample_count = 10)]
fn look_ahead(bencher: Bencher<'_, '_>, instructions: InstructionSet) {
    let lookahead = Some(Lookahead { weights: PieceWeights::UNIFORM, first_value: false });
    let policy = PlacementPolicy { controller: network(), lookahead };
    play_games(bencher, &policy, rules(10), 50, instructions);
}

/// Games of a generation: players with 100 games each, side by side (`true`), or one after the
/// other.
#[divan::bench(consts = [false, true], sample_count = 10)]
fn generation_of_networks<const TOGETHER: bool>(bencher: Bencher<'_, '_>) {
    generation::<TOGETHER>(bencher, &network());
}

/// As [`generation_of_networks`].
#[divan::bench(consts = [false, true], sample_count = 10)]
fn generation_of_linear<const TOGETHER: bool>(bencher: Bencher<'_, '_>) {
    generation::<TOGETHER>(bencher, &bcts());
}

fn generation<const TOGETHER: bool>(bencher: Bencher<'_, '_>, controller: &Controller) {
    const PLAYERS: u32 = 50;
    let pieces = PieceWeights::new([1, 1, 1, 3, 3, 1, 1]).expect("small weights");
    let game = GameSettings { rules: rules(10), pieces, cap: u64::MAX };
    let policy = controller.clone().into();
    let player = TetrisPlayer { policy, game, dealing: PieceSequence::Drawn, splitting: None };
    let seed = RunSeed::new("bench", 1).generation(0);
    let seed = &seed;
    let streams = |idx| (0..100).map(move |trial| seed.trial(Draws::PerSubject, idx, trial));
    let play = || {
        let mut streams: Vec<_> = (0..PLAYERS).map(&streams).collect();
        let mut batch: Vec<_> = streams
            .iter_mut()
            .map(|streams| SubjectStreams { subject: &player, streams: streams as _ })
            .collect();
        let mut n_pieces = 0;
        while !batch.is_empty() {
            let n = if TOGETHER { batch.len() } else { 1 };
            let part = batch.drain(..n).collect();
            let tallies = TetrisGames::trials(&(), part, &TrialContext::ALONE);
            n_pieces += tallies.iter().map(|tally| tally.pieces).sum::<u64>();
        }
        n_pieces
    };
    bencher.counter(ItemsCount::new(play())).bench(play);
}
