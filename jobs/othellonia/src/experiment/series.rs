//! Series of trials that several experiments have: training, and games of two agents.

use hatchery_core::{LargeValue, Part, Series};

use super::deck_param::deck_numbers;
use crate::setup::{KeptRecords, MatchAgent, MatchSetup, TrainingSetup, TrialSetup};

/// Returns the series of a period of learning.
pub(super) fn training_series(setup: TrainingSetup) -> Series<TrialSetup> {
    Series::new(TrialSetup::Train(Box::new(setup)), 1).alone()
}

/// Returns the series of pairs of games between two agents with these decks, without records.
pub(super) fn match_series(
    decks: [usize; 2],
    agents: [MatchAgent; 2],
    pairs: u32,
) -> Series<TrialSetup> {
    let setup = MatchSetup { decks: deck_numbers(decks), agents, kept: KeptRecords::None };
    Series::new(TrialSetup::Games(setup), pairs)
}

/// Returns the learned agent whose file is `model`.
pub(super) fn network_agent(model: Part) -> MatchAgent {
    MatchAgent::Network(LargeValue::new(vec![model]))
}
