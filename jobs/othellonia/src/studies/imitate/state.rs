//! The state between generations.

use hatchery_core::{Part, WireValue};
use hatchery_stats::PairCounts;
use serde::{Deserialize, Serialize};

use crate::learning::StoredLearner;
use crate::studies::vector_learning::{NO_RESULT, VectorLearning, all_steps};
use crate::studies::win_rates::sum;
use crate::trial::results::{LossPoint, RecordedGames, TrainingResult};

/// The games, and what was learned from them so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImitateState {
    /// The games: none before generation 0.
    pub games: Vec<RecordedGames>,
    /// The opponent's files: inputs of the run.
    pub weights: Vec<Part>,
    /// The learning of vectors, if the run learns them.
    pub learning: VectorLearning,
    /// The file of the vectors that the arm `vectors` has; none while they are learned.
    pub vectors: Option<Part>,
    /// The networks: first all seeds of the first arm, then all seeds of the next arm.
    pub networks: Vec<NetworkState>,
    /// The reason why the run ended early.
    pub failure: Option<String>,
}

/// A network that learns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NetworkState {
    /// The learner: none before the first period.
    pub learner: Option<StoredLearner>,
    /// The periods so far.
    pub periods: u32,
    /// The losses, stretch by stretch.
    pub curve: Vec<LossPoint>,
    /// The looks at how well it plays, one after each period.
    pub looks: Vec<NetworkLook>,
    /// The reason why it learns no more.
    pub failure: Option<String>,
}

/// A look at how well a network plays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkLook {
    /// The steps that the network had taken.
    pub steps: u64,
    /// The results with each deck, as the network sees them.
    pub decks: Vec<PairCounts>,
}

impl NetworkLook {
    /// Returns losses, draws and wins with all decks.
    pub(super) fn games(&self) -> [u64; 3] {
        sum(self.decks.iter().map(PairCounts::games))
    }
}

impl NetworkState {
    /// Returns the steps so far.
    pub(super) fn steps(&self) -> u64 {
        all_steps(&self.curve)
    }

    /// Returns true if it learns on in runs of so many periods.
    pub(super) fn learns(&self, periods: u32) -> bool {
        self.failure.is_none() && self.periods < periods
    }

    /// Returns the model that nobody has looked at yet.
    pub(super) fn unseen(&self) -> Option<Part> {
        let is_seen = self.looks.last().is_some_and(|look| look.steps == self.steps());
        self.learner.as_ref().filter(|_| !is_seen && self.periods != 0).map(|it| it.model)
    }

    /// Adds the result of a period; `None` if there is none.
    pub(super) fn add(&mut self, result: Option<TrainingResult>) {
        self.periods += 1;
        let Some(result) = result else {
            self.failure = Some(NO_RESULT.to_owned());
            return;
        };
        self.learner = result.learner.or_else(|| self.learner.take());
        self.curve.extend(result.curve);
        self.failure = result.failure;
    }
}

impl ImitateState {
    /// Returns the parts of the state.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<_> = self.games.iter().map(|games| games.file).collect();
        parts.extend(&self.weights);
        parts.extend(self.vectors);
        let networks = self.networks.iter().filter_map(|network| network.learner.as_ref());
        let learners = self.learning.learner.iter().chain(networks);
        parts.extend(learners.flat_map(StoredLearner::parts));
        parts
    }
}
