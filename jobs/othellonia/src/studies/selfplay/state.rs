//! The state between generations.

use hatchery_core::{Part, WireValue};
use hatchery_stats::PairCounts;
use serde::{Deserialize, Serialize};

use crate::learning::StoredLearner;
use crate::studies::win_rates::sum;

/// The networks, and the games that they learn from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfplayState {
    /// The generations that have ended.
    pub generation: u32,
    /// The file of the vectors that the arm `vectors` has; none if no arm has vectors.
    pub vectors: Option<Part>,
    /// The files of learned agents among the opponents of evaluations: inputs of the run.
    pub weights: Vec<Part>,
    /// The networks: first all seeds of the first arm, then all seeds of the next arm.
    pub networks: Vec<LearnerState>,
}

/// A network that learns by playing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LearnerState {
    /// The learner: none before the first generation.
    pub learner: Option<StoredLearner>,
    /// The games that were played to learn from.
    pub games: u64,
    /// The files of games that the replay memory may hold items from, the oldest first.
    pub files: Vec<Part>,
    /// The number of the first decision of these files: see
    /// [`ReinforcementTask::first_item`](crate::trial::setup::ReinforcementTask::first_item).
    pub first_item: u64,
    /// The networks that were kept as opponents, the oldest first.
    pub snapshots: Vec<Snapshot>,
    /// The opponents of the next games: indices of `snapshots`, drawn by the last fold; the random
    /// agent if there are none.
    pub opponents: Vec<u32>,
    /// The periods of learning, in order.
    pub periods: Vec<LearningPeriod>,
    /// The looks at its strength, in order.
    pub looks: Vec<StrengthLook>,
    /// The reason why it learns no more.
    pub failure: Option<String>,
}

/// A network at an earlier time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The games before it.
    pub games: u64,
    /// The file of its model.
    pub model: Part,
}

/// A period of learning: the steps that a single trial takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LearningPeriod {
    /// All games that were played when it ended.
    pub games: u64,
    /// All steps when it ended.
    pub steps: u64,
    /// Its own steps.
    pub own_steps: u64,
    /// The mean loss of a row, without its weight.
    pub mean_loss: f64,
    /// The decisions that had come into the replay memory when it ended.
    pub items: u64,
    /// The decisions that its steps drew.
    pub drawn: u64,
    /// The sum of their ages, in decisions.
    pub age_sum: u64,
    /// Losses, draws and wins in the games that the period's trial played: zeros in the mode
    /// `wide`, whose games are other trials.
    pub results: [u64; 3],
}

/// A look at the strength of a network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StrengthLook {
    /// The games that had been played to learn from.
    pub games: u64,
    /// The steps.
    pub steps: u64,
    /// The results against each opponent of the spec, in order.
    pub opponents: Vec<OpponentLook>,
}

/// The games against one opponent, as the network sees them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpponentLook {
    /// By match-up: the own deck 0 against each deck of the enemy, then the own deck 1.
    pub matchups: Vec<PairCounts>,
}

impl LearnerState {
    /// Returns the steps so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.periods.last().map_or(0, |period| period.steps)
    }

    /// Returns the parts of the learner.
    fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let learner = self.learner.iter().flat_map(StoredLearner::parts);
        let snapshots = self.snapshots.iter().map(|snapshot| snapshot.model);
        learner.chain(self.files.iter().copied()).chain(snapshots)
    }
}

impl OpponentLook {
    /// Returns the losses, draws and wins in all match-ups together.
    #[must_use]
    pub fn games(&self) -> [u64; 3] {
        sum(self.matchups.iter().map(PairCounts::games))
    }
}

impl SelfplayState {
    /// Returns the parts of the state.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<_> = self.vectors.iter().chain(&self.weights).copied().collect();
        parts.extend(self.networks.iter().flat_map(LearnerState::parts));
        parts
    }
}
