//! Training of representations, which two experiments have.

use super::learning_games::CheckedGames;
use super::training_param::TrainingParam;
use crate::learning::representation::RepresentationSettings;
use crate::setup::{RepresentationTask, TrainingSetup, TrainingTask};

/// The default share of samples whose action is any legal one.
pub(super) fn default_explored() -> f64 {
    0.25
}

/// Returns the setup of training, without games and without a learner before.
pub(super) fn representation_setup(
    games: &CheckedGames,
    learn: &TrainingParam,
    explored: f64,
) -> TrainingSetup {
    let TrainingParam { decisions, rate, weight_decay, dropout, .. } = *learn;
    let settings = RepresentationSettings {
        decisions,
        explored,
        rate,
        weight_decay,
        dropout,
        stretch: learn.stretch(),
    };
    let task = RepresentationTask { kinds: games.kinds(), settings, neighbors: 0, fixed: None };
    TrainingSetup {
        task: TrainingTask::Representation(task),
        hidden: learn.hidden.clone(),
        games: Vec::new(),
        before: None,
        steps: learn.steps,
    }
}
