//! The spec of `othellonia-represent`.

use hatchery_core::InvalidValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::params::learning_games_param::{CheckedGames, LearningGamesParam};
use crate::params::training_param::TrainingParam;
use crate::studies::vector_learning::{default_explored, representation_setup};

/// The spec of `othellonia-represent`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RepresentSpec {
    /// The games to learn from: generation 0 plays them.
    pub games: LearningGamesParam,
    /// The network that predicts, and its steps.
    pub learn: TrainingParam,
    /// The share of samples whose action is any legal one instead of the one that was chosen.
    #[serde(default = "default_explored")]
    #[schemars(range(min = 0, max = 1))]
    pub explored: f64,
    /// The nearest neighbors of each piece that are shown.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 10))]
    pub neighbors: u32,
}

fn three() -> u32 {
    3
}

/// A spec whose parameters fit together.
#[derive(Clone, Debug)]
pub struct CheckedRepresent {
    pub(super) spec: RepresentSpec,
    pub(super) games: CheckedGames,
}

impl RepresentSpec {
    /// Checks that the parameters fit together.
    pub(super) fn check(self) -> Result<CheckedRepresent, InvalidValue> {
        let games = self.games.check().map_err(|error| error.under("games"))?;
        let setup = representation_setup(&games, &self.learn, self.explored);
        self.learn.check_setup(&setup).map_err(|error| error.under("learn"))?;
        Ok(CheckedRepresent { spec: self, games })
    }
}
