//! What the tests of trials share.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use hatchery_core::part::{Part, PartSet};
use hatchery_core::trial_context::{PartMemory, TrialHost};
use hatchery_core::{RunSeed, Simulation, StreamRng, TrialContext};
use hatchery_othellonia::OthelloniaGames;
use hatchery_othellonia::generate::{
    DEFAULT_COST_CAP, PoolSettings, generate_pieces, shipped_decks,
};
use hatchery_othellonia::players::GameAgent;
use hatchery_othellonia::pool::PiecePool;
use hatchery_othellonia::trial::results::{TrainingResult, TrialResults};
use hatchery_othellonia::trial::setup::{
    DeckTable, RecordPlayers, RecordSetup, TrainingSetup, TrialSetup, WeightedAgent,
};
use prost::bytes::Bytes;

pub(crate) fn stream(label: &str) -> StreamRng {
    RunSeed::new("trained", 1).generation(0).stream(label)
}

pub(crate) fn decks() -> DeckTable {
    let pool = PiecePool::new(generate_pieces(&PoolSettings::default())).expect("it is valid");
    let decks =
        shipped_decks().map(|deck| deck.build(&pool, DEFAULT_COST_CAP).expect("it is valid"));
    DeckTable::new(decks.to_vec()).expect("it is valid")
}

pub(crate) fn run(setup: &TrialSetup, label: &str, parts: &mut PartSet) -> TrialResults {
    let host = PartMemory::new(parts.clone());
    let context = TrialContext::new(&host);
    let results = OthelloniaGames::trial(&decks(), setup, stream(label), &context);
    parts.extend(host.into_written());
    results
}

pub(crate) fn record(n_decks: u16) -> TrialSetup {
    let agents = vec![
        WeightedAgent { agent: GameAgent::Random, weight: 1 },
        WeightedAgent { agent: GameAgent::Lookahead, weight: 3 },
    ];
    TrialSetup::Record(RecordSetup { pairs: 4, n_decks, players: RecordPlayers::Drawn(agents) })
}

pub(crate) fn task(setup: TrainingSetup, label: &str, parts: &mut PartSet) -> TrainingResult {
    let mut results = run(&TrialSetup::Train(Box::new(setup)), label, parts);
    assert_eq!(results.trained.len(), 1);
    results.trained.remove(0)
}

/// Returns the file of some games.
pub(crate) fn games(parts: &mut PartSet) -> Part {
    run(&record(3), "games", parts).recorded[0].file
}

/// A host that breaks at a beat.
struct BreakingHost<'a> {
    memory: PartMemory,
    at: u64,
    beats: &'a AtomicU64,
}

impl TrialHost for BreakingHost<'_> {
    fn beat(&self, _done: u64, _of: u64) -> ControlFlow<()> {
        let beats = self.beats.fetch_add(1, Ordering::Relaxed);
        if beats == self.at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn read(&self, part: &Part) -> Option<Bytes> {
        self.memory.read(part)
    }

    fn write(&self, part: Part, bytes: Bytes) {
        self.memory.write(part, bytes);
    }
}

/// Checks that a trial ends at once where one of its first beats breaks.
pub(crate) fn check_breaks(setup: &TrialSetup, n_beats: u64, parts: &PartSet) {
    for at in 0..n_beats {
        let beats = AtomicU64::new(0);
        let host = BreakingHost { memory: PartMemory::new(parts.clone()), at, beats: &beats };
        let context = TrialContext::new(&host);
        let results = OthelloniaGames::trial(&decks(), setup, stream("break"), &context);
        assert_eq!(results, TrialResults::default());
        assert_eq!(beats.load(Ordering::Relaxed), at + 1);
    }
}
