//! The file of what a learner needs to learn on, beside its model: safetensors.
//!
//! | prefix | tensors and metadata |
//! |---|---|
//! | `adam.` | the [memory of the optimizer](AdamState::to_tensors), with the number of steps |
//! | `target.` | the target [network](Network::to_tensors) |
//! | `replay.` | the [priorities](PrioritizedReplay::to_tensors), with the number of items |
//!
//! Metadata `game`, `feature_version` and `rules_version` come from the build that wrote the file.

use hatchery_core::text::excerpt;
use hatchery_nets::tensors::{TensorError, TensorFile};
use hatchery_nets::{AdamState, Network, PrioritizedReplay};

use super::items::GameItems;
use super::learner::{ReinforcementLearner, check_outputs, priorities};
use super::settings::ReinforcementSettings;
use crate::features::FEATURE_VERSION;
use crate::learning::samples::TrainingGames;
use crate::learning::step::LearnError;
use crate::players::model::AgentModel;
use crate::record::RULES_VERSION;

/// Bytes that are no learner's memory of this build, or that do not fit its model or games.
#[derive(Debug, thiserror::Error)]
pub enum ReinforcementFileError {
    /// The bytes are no file of tensors, or one is missing or does not fit to the others.
    #[error(
        "a learner's memory that is no safetensors file of an optimizer, a target and priorities"
    )]
    File(#[from] TensorError),
    /// The file belongs to another game, or to another version of the game.
    #[error(
        "a learner's memory with `{key}` = `{}`, but this build needs `{expected}`",
        excerpt(found)
    )]
    Version {
        /// The entry of the metadata.
        key: &'static str,
        /// Its value; empty if there is none.
        found: String,
        /// The value of this build.
        expected: String,
    },
    /// The model has not an output for each bin, or a setting is out of its range.
    #[error("a learner that does not fit its settings")]
    Learn(#[from] LearnError),
    /// The target network is not of the model's sizes.
    #[error("a learner's memory with a target network of other sizes than its model")]
    Target,
    /// The games do not end where the items of the memory end.
    #[error(
        "a learner's memory of {n_items} items, but no game ends there: the games begin with item \
         {first_item}"
    )]
    Games {
        /// The number of items that came into the memory.
        n_items: u64,
        /// The number of the first item of the games.
        first_item: u64,
    },
}

/// The prefixes of the names of tensors.
const ADAM: &str = "adam.";
const TARGET: &str = "target.";
const REPLAY: &str = "replay.";

impl ReinforcementLearner {
    /// Returns the bytes of the file of the learner's memory: the memory of the optimizer, the
    /// target network, and the priorities of the items.
    #[must_use]
    pub fn encode_memory(&self) -> Vec<u8> {
        let mut file = TensorFile::default();
        self.optimizer.to_tensors(ADAM, &mut file);
        self.target.to_tensors(TARGET, &mut file);
        self.replay.to_tensors(REPLAY, &mut file);
        file.metadata.extend(versions().map(|(key, value)| (key.to_owned(), value)));
        file.encode()
    }

    /// Returns the learner with this model and the memory that the bytes encode. The learner learns
    /// as if it had not been interrupted. The first item of `games` has number `first_item`; games
    /// that the memory has not met yet come last, for [`absorb`](Self::absorb).
    ///
    /// # Errors
    /// If the bytes are no memory of this build, or do not fit the model, the settings or the
    /// games.
    pub fn decode(
        model: AgentModel,
        memory: &[u8],
        games: &TrainingGames<'_>,
        first_item: u64,
        settings: &ReinforcementSettings,
    ) -> Result<Self, ReinforcementFileError> {
        check_outputs(&model, settings)?;
        let file = TensorFile::decode(memory)?;
        check_versions(&file)?;
        let network = model.network();
        let optimizer = AdamState::from_tensors(ADAM, &file, network)?;
        let target = Network::from_tensors(TARGET, &file, network.shape().state_len)?;
        let has_noise = |network: &Network| network.deviation().is_some();
        if target.shape() != network.shape() || has_noise(&target) != has_noise(network) {
            return Err(ReinforcementFileError::Target);
        }
        let items = GameItems::new(games, settings.moves, first_item);
        let item = |number| items.get(number);
        let replay = PrioritizedReplay::from_tensors(REPLAY, &file, priorities(settings), item)?;
        let n_items = replay.n_pushed();
        let n_games = items.n_games_before(n_items);
        let n_games = n_games.ok_or(ReinforcementFileError::Games { n_items, first_item })?;
        let settings = settings.clone();
        Ok(Self { settings, model, target, optimizer, replay, n_games, drawn: 0, age_sum: 0 })
    }
}

/// Returns the entries of the metadata that a file of this build has.
fn versions() -> [(&'static str, String); 3] {
    [
        ("game", "othellonia".to_owned()),
        ("feature_version", FEATURE_VERSION.to_string()),
        ("rules_version", RULES_VERSION.to_string()),
    ]
}

fn check_versions(file: &TensorFile) -> Result<(), ReinforcementFileError> {
    for (key, expected) in versions() {
        let found = file.metadata.get(key).cloned().unwrap_or_default();
        if found != expected {
            return Err(ReinforcementFileError::Version { key, found, expected });
        }
    }
    Ok(())
}
