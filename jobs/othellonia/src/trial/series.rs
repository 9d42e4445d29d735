//! Series of trials that several experiments have: training, and games of two agents.

use hatchery_core::{LargeValue, Part, Series};

use super::setup::{KeptRecords, MatchAgent, MatchSetup, TrainingSetup, TrialSetup};

/// Returns the numbers of decks of a spec in its table.
pub(crate) fn deck_numbers(decks: [usize; 2]) -> [u16; 2] {
    decks.map(|deck| u16::try_from(deck).expect("specs have few decks"))
}

/// Returns the series of a period of learning.
pub(crate) fn training_series(setup: TrainingSetup) -> Series<TrialSetup> {
    Series::new(TrialSetup::Train(Box::new(setup)), 1).alone()
}

/// Returns the series of pairs of games between two agents with these decks, without records.
pub(crate) fn match_series(
    decks: [usize; 2],
    agents: [MatchAgent; 2],
    pairs: u32,
) -> Series<TrialSetup> {
    let setup = MatchSetup { decks: deck_numbers(decks), agents, kept: KeptRecords::None };
    Series::new(TrialSetup::Games(setup), pairs)
}

/// Returns the learned agent whose file is `model`.
pub(crate) fn network_agent(model: Part) -> MatchAgent {
    MatchAgent::Network(LargeValue::new(vec![model]))
}
