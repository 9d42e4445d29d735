//! The state between periods.

use serde::{Deserialize, Serialize};

use crate::learning::StoredLearner;
use crate::studies::vector_learning::{NO_RESULT, all_steps};
use crate::trial::results::{LossPoint, PieceNeighbors, RecordedGames, TrialResults};

/// The games, and what was learned from them so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepresentState {
    /// The games: none before generation 0.
    pub games: Vec<RecordedGames>,
    /// The learner: none before the first period.
    pub learner: Option<StoredLearner>,
    /// The periods so far.
    pub periods: u32,
    /// The losses, stretch by stretch.
    pub curve: Vec<LossPoint>,
    /// The neighbors of every piece in the decks; empty before the last period.
    pub neighbors: Vec<PieceNeighbors>,
    /// The reason why learning ended early.
    pub failure: Option<String>,
}

impl RepresentState {
    /// Adds the results of a generation.
    pub(super) fn add(&mut self, results: &TrialResults) {
        let TrialResults { games: _, recorded, trained } = results;
        if self.games.is_empty() {
            self.games.clone_from(recorded);
            if self.games.is_empty() {
                self.failure = Some("no games were recorded".to_owned());
            }
            return;
        }
        self.periods += 1;
        let Some(result) = trained.first().cloned() else {
            self.failure = Some(NO_RESULT.to_owned());
            return;
        };
        self.learner = result.learner.or_else(|| self.learner.take());
        self.curve.extend(result.curve);
        self.neighbors = result.neighbors;
        self.failure = result.failure;
    }

    /// Returns the steps so far.
    pub(super) fn steps(&self) -> u64 {
        all_steps(&self.curve)
    }
}
