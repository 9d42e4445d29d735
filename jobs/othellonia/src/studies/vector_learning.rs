//! Learning of vectors, which three experiments have.

use hatchery_core::Part;
use serde::{Deserialize, Serialize};

use crate::learning::StoredLearner;
use crate::learning::representation::RepresentationSettings;
use crate::params::learning_games_param::CheckedGames;
use crate::params::training_param::TrainingParam;
use crate::trial::results::{LossPoint, RecordedGames, TrainingResult};
use crate::trial::setup::{RepresentationTask, TrainingSetup, TrainingTask};

/// The reason why learning ends if a result is missing.
pub(super) const NO_RESULT: &str = "training has no result";

/// Vectors that are learned before the rest of a run, so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VectorLearning {
    /// The learner: `None` before the first period, and after the last one.
    pub learner: Option<StoredLearner>,
    /// The number of periods.
    pub periods: u32,
    /// The losses, stretch by stretch.
    pub curve: Vec<LossPoint>,
    /// The reason why it ended early.
    pub failure: Option<String>,
}

/// The end of a period of learning vectors.
pub(super) enum VectorPeriod {
    /// Another period follows.
    Unfinished,
    /// The vectors are learned: their file.
    Finished(Part),
    /// There are no vectors: the reason.
    Failed(String),
}

impl VectorLearning {
    /// Adds the result of one of `n_periods` periods; `None` if there is none. If a period fails,
    /// the vectors that earlier periods have learned are good.
    pub(super) fn add(&mut self, result: Option<TrainingResult>, n_periods: u32) -> VectorPeriod {
        let result = result.unwrap_or_else(|| TrainingResult {
            failure: Some(NO_RESULT.to_owned()),
            ..TrainingResult::default()
        });
        self.periods += 1;
        self.curve.extend(result.curve);
        self.learner = result.learner.or_else(|| self.learner.take());
        let Some(StoredLearner { model, .. }) = self.learner else {
            return VectorPeriod::Failed(result.failure.unwrap_or_else(|| NO_RESULT.to_owned()));
        };
        if result.failure.is_some() {
            self.periods = n_periods;
            self.failure = result.failure;
        }
        if self.periods != n_periods {
            return VectorPeriod::Unfinished;
        }
        // The learner is not needed any more.
        self.learner = None;
        VectorPeriod::Finished(model)
    }

    /// Returns the steps so far.
    pub(super) fn steps(&self) -> u64 {
        all_steps(&self.curve)
    }
}

/// Returns the games of recorded files, and the placements in the games.
pub(super) fn recorded_sums(files: &[RecordedGames]) -> [u64; 2] {
    let sums = files.iter().map(|it| [it.games, it.placements]);
    sums.fold([0; 2], |sum, it| std::array::from_fn(|at| sum[at] + it[at]))
}

/// Returns the steps of a curve of losses.
pub(super) fn all_steps(curve: &[LossPoint]) -> u64 {
    curve.iter().map(|point| point.steps).sum()
}

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
