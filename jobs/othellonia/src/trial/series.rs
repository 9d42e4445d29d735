//! Series of trials that several studies have, and the costs of trials, for estimates of the time
//! left.

use hatchery_core::{CostTrend, LargeValue, Part, Series, WorkPhase};

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

/// CPU milliseconds of a pair of games of rule-based agents. Only ratios between costs count. The
/// costs are for small networks, with 64 and 32 hidden units, on an AMD EPYC (Zen 4).
pub(crate) const PAIR_BY_RULE: f64 = 0.4;

/// CPU milliseconds of a pair of games of a network.
pub(crate) const PAIR_BY_NETWORK: f64 = 1.5;

/// CPU milliseconds of a learning step.
pub(crate) const STEP: f64 = 3.0;

/// Some trials of a generation with the same cost.
pub(crate) struct TrialCosts {
    pub(crate) n_trials: u64,
    /// The cost per trial.
    pub(crate) cost: f64,
}

impl TrialCosts {
    pub(crate) fn new(n_trials: impl Into<u64>, cost: f64) -> Self {
        Self { n_trials: n_trials.into(), cost }
    }
}

/// Returns the phase of generations with these trials each. A generation without trials has the
/// weight 1.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(crate) fn phase(n_generations: u32, trials: &[TrialCosts]) -> WorkPhase {
    let n_trials = trials.iter().map(|it| it.n_trials).sum::<u64>();
    let cost: f64 = trials.iter().map(|it| it.n_trials as f64 * it.cost).sum();
    let weight = if n_trials == 0 { 1.0 } else { cost / n_trials as f64 };
    WorkPhase::new(n_generations, n_trials..=n_trials, CostTrend::Steady).with_trial_weight(weight)
}
