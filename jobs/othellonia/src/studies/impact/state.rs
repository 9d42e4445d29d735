//! The state between generations.

use hatchery_core::{Part, WireValue};
use serde::{Deserialize, Serialize};

use super::change::ChangeCounts;
use crate::learning::StoredLearner;
use crate::studies::vector_learning::{NO_RESULT, VectorLearning, VectorPeriod, all_steps};
use crate::trial::results::{LossPoint, PieceNeighbors, RecordedGames, TrainingResult};

/// The new piece's vector so far, and what the piece changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImpactState {
    /// The agent's file, if it is a learned one: an input of the run.
    pub weights: Vec<Part>,
    /// The games with the new piece: none if its vector is not learned.
    pub games: Vec<RecordedGames>,
    /// The learning of the vector.
    pub learning: VectorLearning,
    /// The agent with the new vector; none while it is learned.
    pub extended: Option<Part>,
    /// The neighbors of every piece in the decks. If the agent already knew a piece, only new
    /// pieces are its neighbors.
    pub neighbors: Vec<PieceNeighbors>,
    /// For each host the piece that was replaced; none before it is known.
    pub replaced: Vec<u32>,
    /// The change of scores with the agent as it is, but for the new piece's vector.
    pub zero_shot: Option<ImpactLook>,
    /// The agent that is tuned.
    pub tuning: TuningState,
    /// The change of scores with the tuned agent.
    pub tuned: Option<ImpactLook>,
    /// The reason why the run ended early.
    pub failure: Option<String>,
}

/// An agent that is tuned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TuningState {
    /// The learner: none before the first period.
    pub learner: Option<StoredLearner>,
    /// The periods so far.
    pub periods: u32,
    /// The files of the games in its replay memory.
    pub files: Vec<Part>,
    /// The number of the first decision in them.
    pub first_item: u64,
    /// The games so far.
    pub games: u64,
    /// The losses, stretch by stretch.
    pub curve: Vec<LossPoint>,
    /// The reason why it ended early.
    pub failure: Option<String>,
}

/// The changes that the new piece makes, as one agent plays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactLook {
    /// The first host against each deck of the field, then the second one, and so on.
    pub matchups: Vec<ChangeCounts>,
    /// Each host against the whole field.
    pub hosts: Vec<ChangeCounts>,
    /// All hosts against the whole field.
    pub all: ChangeCounts,
}

/// The reason why tuning ends if a worker with a defect drops what is not there.
const DROPPED_TOO_MANY: &str = "the replay memory dropped more files of games than it had";

impl ImpactState {
    /// Returns the parts of the state.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut parts = self.weights.clone();
        parts.extend(self.games.iter().map(|games| games.file));
        parts.extend(self.extended);
        let learners = self.learning.learner.iter().chain(&self.tuning.learner);
        parts.extend(learners.flat_map(StoredLearner::parts));
        parts.extend(&self.tuning.files);
        parts
    }

    /// Returns the looks with their names: with the agent as it is, and with the tuned one.
    pub(super) fn looks(&self) -> impl Iterator<Item = (&'static str, &ImpactLook)> {
        let looks = [("zero_shot", &self.zero_shot), ("tuned", &self.tuned)];
        looks.into_iter().filter_map(|(name, look)| Some((name, look.as_ref()?)))
    }

    /// Adds the result of a period of the vector's training; `None` if there is none.
    pub(super) fn add_vector(&mut self, mut result: Option<TrainingResult>, periods: u32) {
        let neighbors = result.as_mut().map(|result| std::mem::take(&mut result.neighbors));
        if let Some(neighbors) = neighbors.filter(|it| !it.is_empty()) {
            self.neighbors = neighbors;
        }
        match self.learning.add(result, periods) {
            VectorPeriod::Unfinished => {}
            VectorPeriod::Finished(extended) => self.extended = Some(extended),
            VectorPeriod::Failed(reason) => self.failure = Some(format!("no vector: {reason}")),
        }
    }
}

impl TuningState {
    /// Adds the result of a period; `None` if there is none.
    pub(super) fn add(&mut self, result: Option<TrainingResult>) {
        self.periods += 1;
        let Some(result) = result else {
            self.failure = Some(NO_RESULT.to_owned());
            return;
        };
        self.curve.extend(result.curve);
        self.failure = result.failure;
        let (Some(learner), Some(replay)) = (result.learner, result.replay) else {
            self.failure.get_or_insert_with(|| NO_RESULT.to_owned());
            return;
        };
        self.learner = Some(learner);
        let n_dropped = replay.n_dropped_files as usize;
        if self.files.len() < n_dropped {
            self.failure.get_or_insert_with(|| DROPPED_TOO_MANY.to_owned());
            return;
        }
        self.files.drain(..n_dropped);
        self.first_item = replay.first_item;
        if let Some(played) = replay.played {
            self.files.push(played.file);
            self.games = self.games.saturating_add(played.games);
        }
    }

    /// Returns the steps so far.
    pub(super) fn steps(&self) -> u64 {
        all_steps(&self.curve)
    }
}
