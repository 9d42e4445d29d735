//! Lessons of representation, which two experiments have.

use super::learning_games::CheckedGames;
use super::training_param::TrainingParam;
use crate::learning::representation::{Explored, RepresentationSettings};
use crate::setup::{LearnSetup, Lesson, RepresentationLesson};

/// The default share of samples whose action is any legal one.
pub(super) fn default_explored() -> f64 {
    0.25
}

/// Returns the setup of a lesson, without games and without a learner before.
pub(super) fn representation_setup(
    games: &CheckedGames,
    learn: &TrainingParam,
    explored: f64,
) -> LearnSetup {
    let TrainingParam { decisions, rate, weight_decay, dropout, .. } = *learn;
    let settings = RepresentationSettings {
        decisions,
        explored: Explored(explored),
        rate,
        weight_decay,
        dropout,
        stretch: learn.stretch(),
    };
    let lesson = RepresentationLesson { kinds: games.kinds(), settings, neighbors: 0 };
    LearnSetup {
        lesson: Lesson::Representation(lesson),
        hidden: learn.hidden.clone(),
        games: Vec::new(),
        before: None,
        steps: learn.steps,
    }
}
