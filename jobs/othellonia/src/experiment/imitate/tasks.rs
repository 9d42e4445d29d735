//! The tasks of a generation: one for each series, in their order.

use hatchery_core::{LargeValue, Series};
use hatchery_stats::PairCounts;

use super::spec::{CheckedImitate, CheckedVectors, VectorsParam};
use super::state::{ImitateState, NO_RESULT, NetworkLook};
use crate::experiment::deck_param::deck_numbers;
use crate::experiment::representation::representation_setup;
use crate::results::{TrainingResult, TrialResults};
use crate::setup::{
    KeptRecords, MatchAgent, MatchSetup, TrainingEncoding, TrainingSetup, TrialSetup,
};

/// A task of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// The games to learn from are played.
    Games,
    /// Vectors are learned.
    Vectors,
    /// A network learns for a period.
    Learn {
        /// Its index.
        network: usize,
    },
    /// A network plays with a deck.
    Evaluate {
        /// Its index.
        network: usize,
        /// The index of the deck.
        deck: usize,
    },
}

/// Returns the tasks of the next generation; none after the last one.
pub(super) fn tasks(checked: &CheckedImitate, state: &ImitateState) -> Vec<Task> {
    if state.failure.is_some() {
        return Vec::new();
    }
    if state.games.is_empty() {
        return vec![Task::Games];
    }
    if let CheckedVectors::Learned { periods } = checked.vectors
        && state.vector_periods < periods
    {
        return vec![Task::Vectors];
    }
    let networks = || state.networks.iter().enumerate();
    let learning = networks().filter(|(_, it)| it.learns(checked.spec.learn.periods));
    let mut tasks: Vec<_> = learning.map(|(network, _)| Task::Learn { network }).collect();
    if checked.spec.evaluation.pairs != 0 {
        let unseen = networks().filter(|(_, it)| it.unseen().is_some());
        tasks.extend(unseen.flat_map(|(network, _)| {
            (0..checked.decks.len()).map(move |deck| Task::Evaluate { network, deck })
        }));
    }
    tasks
}

/// Returns the series of a task.
pub(super) fn series(
    checked: &CheckedImitate,
    state: &ImitateState,
    task: Task,
) -> Series<TrialSetup> {
    let games = &checked.games;
    let learn = |mut setup: TrainingSetup| {
        setup.games = state.games.iter().map(|games| games.file).collect();
        Series::new(TrialSetup::Train(Box::new(setup)), 1).alone()
    };
    match task {
        Task::Games => games.series(),
        Task::Vectors => {
            let VectorsParam::Learned(vectors) = &checked.spec.vectors else {
                unreachable!("vectors are learned only if the spec says so")
            };
            let mut setup = representation_setup(games, &vectors.learn, vectors.explored);
            setup.before.clone_from(&state.representation);
            learn(setup)
        }
        Task::Learn { network } => {
            let arm = checked.networks[network].arm;
            let vectors = state.vectors.map(TrainingEncoding::Vectors);
            let mut setup = checked.spec.setup(match arm.of_pool(games.kinds()) {
                Some(encoding) => encoding,
                None => vectors.expect("an arm with vectors learns after they are known"),
            });
            setup.before.clone_from(&state.networks[network].learner);
            learn(setup)
        }
        Task::Evaluate { network, deck } => {
            let model = state.networks[network].unseen().expect("the task has a model");
            let number = games.decks.len() + deck;
            let network = MatchAgent::Network(LargeValue::new(vec![model]));
            let setup = MatchSetup {
                decks: deck_numbers([number; 2]),
                agents: [network, checked.opponent.of_match(&state.weights)],
                kept: KeptRecords::None,
            };
            Series::new(TrialSetup::Games(setup), checked.spec.evaluation.pairs)
        }
    }
}

/// Adds the results from all tasks in a generation.
pub(super) fn add(
    checked: &CheckedImitate,
    state: &mut ImitateState,
    tasks: &[Task],
    tallies: &[TrialResults],
) {
    // Looks are at the networks before this generation's steps.
    let steps: Vec<_> = state.networks.iter().map(|network| network.steps()).collect();
    for (&task, results) in tasks.iter().zip(tallies) {
        let TrialResults { games, recorded, trained } = results;
        let result = trained.first().cloned();
        match task {
            Task::Games => {
                state.games.clone_from(recorded);
                if state.games.is_empty() {
                    state.failure = Some("no games were recorded".to_owned());
                }
            }
            Task::Vectors => add_vectors(checked, state, result),
            Task::Learn { network } => state.networks[network].add(result),
            Task::Evaluate { network, deck } => {
                let looks = &mut state.networks[network].looks;
                if deck == 0 {
                    looks.push(NetworkLook { steps: steps[network], decks: Vec::new() });
                }
                if let Some(look) = looks.last_mut() {
                    let mut counts = PairCounts::default();
                    counts.add(&games.pairs);
                    look.decks.push(counts);
                }
            }
        }
    }
}

fn add_vectors(checked: &CheckedImitate, state: &mut ImitateState, result: Option<TrainingResult>) {
    state.vector_periods += 1;
    let result = result.unwrap_or_else(|| TrainingResult {
        failure: Some(NO_RESULT.to_owned()),
        ..TrainingResult::default()
    });
    state.vector_curve.extend(result.curve);
    state.representation = result.learner.or_else(|| state.representation.take());
    let CheckedVectors::Learned { periods } = checked.vectors else { return };
    match (&state.representation, result.failure) {
        (None, failure) => {
            let failure = failure.unwrap_or_else(|| NO_RESULT.to_owned());
            state.failure = Some(format!("no vectors: {failure}"));
        }
        // The vectors so far are good.
        (Some(_), Some(failure)) => {
            state.vector_periods = periods;
            state.vector_failure = Some(failure);
        }
        (Some(_), None) => {}
    }
    if state.vector_periods == periods {
        // Their learner is not needed any more.
        state.vectors = state.representation.take().map(|learner| learner.model);
    }
}
