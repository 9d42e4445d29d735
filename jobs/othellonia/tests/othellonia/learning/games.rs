//! Decks, records and learners for the tests.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use hatchery_core::{FastRng, RunSeed, StreamRng};
use hatchery_othellonia::generate::{
    Archetype, DEFAULT_COST_CAP, PoolSettings, generate_deck, generate_pieces,
};
use hatchery_othellonia::learning::samples::TrainingGames;
use hatchery_othellonia::players::{GameAgent, RuleAgent};
use hatchery_othellonia::pool::PiecePool;
use hatchery_othellonia::record::GameRecord;
use hatchery_othellonia::rules::{Game, GameDeck, GameStart, Player};

/// The player whose games are learned from: it always takes the best action of its table.
const EXPERT: GameAgent = GameAgent::Rule(RuleAgent::HARD);

pub(crate) fn stream(label: &str) -> StreamRng {
    RunSeed::new("othellonia learning", 1).generation(0).stream(label)
}

/// The pool for all tests.
pub(crate) static POOL: LazyLock<PiecePool> =
    LazyLock::new(|| PiecePool::new(generate_pieces(&PoolSettings::default())).unwrap());

/// Six decks: two per archetype.
pub(crate) static DECKS: LazyLock<Vec<GameDeck>> = LazyLock::new(|| {
    let decks = Archetype::ALL.into_iter().flat_map(|archetype| {
        [3, 4].map(|seed| generate_deck(&POOL, archetype, seed, DEFAULT_COST_CAP).unwrap())
    });
    decks.map(|deck| deck.build(&POOL, DEFAULT_COST_CAP).unwrap()).collect()
});

/// 250 games between experts.
static RECORDS: LazyLock<Vec<GameRecord>> = LazyLock::new(|| records(250, "games"));

pub(crate) fn records(n: usize, label: &str) -> Vec<GameRecord> {
    let mut rng = FastRng::seeded_by(&mut stream(label));
    let one = |_| {
        let decks = [(); 2].map(|()| u16::try_from(rng.below(6)).unwrap());
        let first = Player::ALL[rng.below(2) as usize];
        let start = GameStart { seed: rng.next_u64(), first };
        let mut game = Game::start(decks.map(|deck| &DECKS[usize::from(deck)]), start);
        let mut actions = Vec::new();
        while game.outcome().is_none() {
            let action = EXPERT.choose(&game, &mut rng);
            game.play(action, &mut ()).unwrap();
            actions.push(action);
        }
        GameRecord { decks, start, actions }
    };
    (0..n).map(one).collect()
}

/// The first 200 games.
pub(crate) fn training() -> TrainingGames<'static> {
    TrainingGames::new(&*DECKS, RECORDS[..200].to_vec()).unwrap()
}

/// The other 50.
pub(crate) fn held_out() -> TrainingGames<'static> {
    TrainingGames::new(&*DECKS, RECORDS[200..].to_vec()).unwrap()
}

/// Returns games, and a number of kinds: one of the 50 games has a deck with a piece beyond them.
pub(crate) fn known_for_a_while() -> (TrainingGames<'static>, usize) {
    let highest = |deck: &GameDeck| deck.pieces().iter().map(|piece| piece.id.0).max().unwrap();
    let kinds = DECKS.iter().map(highest).max().unwrap();
    let is_known = |record: &GameRecord| {
        record.decks.iter().all(|deck| highest(&DECKS[usize::from(*deck)]) < kinds)
    };
    let (known, unknown): (Vec<_>, Vec<_>) = RECORDS.iter().cloned().partition(is_known);
    let records = known.into_iter().take(49).chain(unknown.into_iter().take(1));
    (TrainingGames::new(&*DECKS, records).unwrap(), kinds.into())
}

/// A pulse that never breaks.
pub(crate) fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
