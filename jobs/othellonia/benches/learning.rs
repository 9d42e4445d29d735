//! Times of steps of learning, with 256 hidden units.
//!
//! An iteration of imitation is 4 steps of 32 decisions, with about 190 rows each; of
//! representation, 20 steps of 64 rows.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use divan::Bencher;
use hatchery_core::{FastRng, RunSeed, StreamRng};
use hatchery_nets::{AdamState, FirstLayerForm, Network, NetworkShape};
use hatchery_othellonia::features::{FeatureLayout, Information, PieceEncoding, PieceVectors};
use hatchery_othellonia::generate::{
    DEFAULT_COST_CAP, DEFAULT_KINDS, PoolSettings, generate_pieces, shipped_decks,
};
use hatchery_othellonia::learning::Learner;
use hatchery_othellonia::learning::imitation::{self, ImitationSettings};
use hatchery_othellonia::learning::representation::{Representation, RepresentationSettings};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::players::{GameAgent, RuleAgent};
use hatchery_othellonia::pool::PiecePool;
use hatchery_othellonia::record::GameRecord;
use hatchery_othellonia::rules::{Game, GameDeck, GameStart, Player};

/// The kinds of the pool.
const KINDS: usize = DEFAULT_KINDS as usize;

static DECKS: LazyLock<Vec<GameDeck>> = LazyLock::new(|| {
    let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).expect("a pool");
    shipped_decks().map(|deck| deck.build(&pool, DEFAULT_COST_CAP).expect("a deck")).to_vec()
});

fn main() {
    divan::main();
}

fn stream(label: &str) -> StreamRng {
    RunSeed::new("learning benches", 1).generation(0).stream(label)
}

fn games() -> TrainingGames<'static> {
    let mut rng = FastRng::seeded_by(&mut stream("games"));
    let hard = GameAgent::Rule(RuleAgent::HARD);
    let record = |seed| {
        let decks = [(); 2].map(|()| u16::try_from(rng.below(3)).expect("3 decks"));
        let start = GameStart { seed, first: Player::A };
        let mut game = Game::start(decks.map(|deck| &DECKS[usize::from(deck)]), start);
        let mut actions = Vec::new();
        while game.outcome().is_none() {
            let action = hard.choose(&game, &mut rng);
            game.play(action, &mut ()).expect("agents choose legal actions");
            actions.push(action);
        }
        GameRecord { decks, start, actions }
    };
    TrainingGames::new(&*DECKS, (0..200).map(record)).expect("legal games")
}

const fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[divan::bench(args = ["vectors", "pool", "deck"], sample_count = 3, sample_size = 1)]
fn imitation_fastest(bencher: Bencher<'_, '_>, encoding: &str) {
    imitation(bencher, encoding, FirstLayerForm::Fastest);
}

#[divan::bench(args = ["vectors", "pool"], sample_count = 3, sample_size = 1)]
fn imitation_dense(bencher: Bencher<'_, '_>, encoding: &str) {
    imitation(bencher, encoding, FirstLayerForm::CopiedDense);
}

fn imitation(bencher: Bencher<'_, '_>, encoding: &str, form: FirstLayerForm) {
    let vectors = PieceVectors::random(KINDS, &mut stream("vectors")).expect("kinds");
    let layout = FeatureLayout::new(match encoding {
        "vectors" => PieceEncoding::Vectors(&vectors),
        "pool" => PieceEncoding::OneHotPool { kinds: KINDS },
        _ => PieceEncoding::OneHotDeck,
    });
    let layout = layout.expect("kinds");
    let shape = NetworkShape {
        state_len: layout.state_len(),
        action_len: layout.action_len(),
        hidden: vec![256],
        n_outputs: imitation::N_OUTPUTS,
    };
    let mut network = Network::random(&shape, &mut stream("network"));
    let mut optimizer = AdamState::new(&network);
    let (games, stream) = (games(), stream("learn"));
    let settings = ImitationSettings { form, ..ImitationSettings::default() };
    bencher.bench_local(|| {
        let (network, optimizer) = (&mut network, &mut optimizer);
        let mut learner = Learner { layout, information: Information::Perfect, network, optimizer };
        imitation::learn(&mut learner, &games, &settings, 4, &stream, &mut go_on)
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn representation(bencher: Bencher<'_, '_>) {
    let (games, stream) = (games(), stream("learn"));
    let learned = Representation::new(KINDS, &[256], &games, &mut stream.part(0));
    let mut learned = learned.expect("decisions");
    let settings = RepresentationSettings::default();
    bencher.bench_local(|| learned.learn(&games, &settings, 20, &stream.part(1), &mut go_on));
}
