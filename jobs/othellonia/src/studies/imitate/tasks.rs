//! The tasks of a generation: one for each series, in their order.

use hatchery_core::Series;
use hatchery_stats::PairCounts;

use super::check::{CheckedImitate, CheckedVectors};
use super::spec::VectorsParam;
use super::state::{ImitateState, NetworkLook};
use crate::studies::vector_learning::{VectorPeriod, representation_setup};
use crate::trial::results::TrialResults;
use crate::trial::series::{match_series, network_agent, training_series};
use crate::trial::setup::{TrainingEncoding, TrainingSetup, TrialSetup};

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
        && state.learning.periods < periods
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
        training_series(setup)
    };
    match task {
        Task::Games => games.series(),
        Task::Vectors => {
            let VectorsParam::Learned(vectors) = &checked.spec.vectors else {
                unreachable!("vectors are learned only if the spec says so")
            };
            let mut setup = representation_setup(games, &vectors.learn, vectors.explored);
            setup.before.clone_from(&state.learning.learner);
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
            let decks = [games.decks.len() + deck; 2];
            let agents = [network_agent(model), checked.opponent.of_match(&state.weights)];
            match_series(decks, agents, checked.spec.evaluation.pairs)
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
            Task::Vectors => {
                let CheckedVectors::Learned { periods } = checked.vectors else { continue };
                match state.learning.add(result, periods) {
                    VectorPeriod::Unfinished => {}
                    VectorPeriod::Finished(vectors) => state.vectors = Some(vectors),
                    VectorPeriod::Failed(reason) => {
                        state.failure = Some(format!("no vectors: {reason}"));
                    }
                }
            }
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
