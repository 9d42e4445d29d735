//! The spec of `othellonia-imitate`.

use hatchery_core::NamedInput;
use hatchery_core::spec::FileList;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::features::Information;
use crate::params::agent_param::{AgentParam, AgentPreset, RuleParam};
use crate::params::deck_param::DeckParam;
use crate::params::encoding_param::{
    EncodingParam, RandomVectorsParam, VECTORS_FILE, VectorFileParam,
};
use crate::params::learning_games_param::{GeneratedDecksParam, LearningGamesParam};
use crate::params::training_param::TrainingParam;
use crate::studies::vector_learning::default_explored;

/// The spec of `othellonia-imitate`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImitateSpec {
    /// The games to learn from: generation 0 plays them.
    pub games: LearningGamesParam,
    /// The vectors of the arm `vectors`.
    #[serde(default)]
    pub vectors: VectorsParam,
    /// The arms: networks that differ by the encoding of pieces, and learn side by side.
    #[schemars(length(min = 1, max = 3))]
    pub arms: Vec<EncodingParam>,
    /// The networks of each arm, each with other random weights.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 8))]
    pub seeds: u32,
    /// The network, and its steps.
    pub learn: TrainingParam,
    /// The most actions of a decision that were not chosen (Kono et al., 9.2: 5).
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 143))]
    pub negatives: u32,
    /// The network's knowledge of the game.
    #[serde(default)]
    pub information: Information,
    /// The way in which the first layer is computed. It changes the cost, and at most the last bits
    /// of what is learned.
    #[serde(default)]
    pub form: FirstLayerParam,
    /// The games that show how well the networks play.
    pub evaluation: EvaluationParam,
}

/// The vectors of pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum VectorsParam {
    /// Random ones, which are not learned.
    Random(RandomVectorsParam),
    /// Those that the run's first generations learn.
    Learned(LearnedVectorsParam),
    /// Those of a file that a run of `othellonia-represent` has shown.
    File(VectorFileParam),
}

/// Vectors that the run learns from its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnedVectorsParam {
    /// The network that predicts, and its steps.
    pub learn: TrainingParam,
    /// The share of samples whose action is any legal one instead of the one that was chosen.
    #[serde(default = "default_explored")]
    #[schemars(range(min = 0, max = 1))]
    pub explored: f64,
}

impl Default for VectorsParam {
    fn default() -> Self {
        Self::Random(RandomVectorsParam {})
    }
}

/// The way in which the first layer is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FirstLayerParam {
    /// The part of a state once for all of its actions, and zeros skipped.
    #[default]
    Fastest,
    /// The state copied before each action, and zeros skipped.
    Sparse,
    /// The state copied before each action, and zeros multiplied, as the seed does: for timing.
    Dense,
}

/// Games that show how well networks play: each plays its best action, with the same deck as the
/// opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluationParam {
    /// The decks.
    #[serde(default, skip_serializing_if = "FileList::is_empty")]
    #[schemars(length(max = 64))]
    pub decks: FileList<DeckParam>,
    /// Decks that the generator makes, beside those of `decks`. Kono et al. take 4: three of one
    /// attribute each, and a mixed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated_decks: Option<GeneratedDecksParam>,
    /// The pairs of games with each deck after each period; 0 for none. The network places first in
    /// one game of a pair.
    #[schemars(range(min = 0, max = 10_000))]
    pub pairs: u32,
    /// The opponent.
    #[serde(default = "standard")]
    pub opponent: AgentParam,
}

fn standard() -> AgentParam {
    AgentParam::Rule(RuleParam { preset: AgentPreset::Standard, temperature: None })
}

fn one() -> u32 {
    1
}

fn five() -> u32 {
    5
}

impl ImitateSpec {
    /// Returns true if an arm has vectors.
    pub(super) fn has_vectors(&self) -> bool {
        self.arms.contains(&EncodingParam::Vectors)
    }

    /// Returns the inputs that the run needs; learned agents play no games to learn from.
    pub(super) fn inputs(&self) -> Vec<NamedInput> {
        let mut inputs = Vec::new();
        if let VectorsParam::File(VectorFileParam { file }) = &self.vectors
            && self.has_vectors()
        {
            inputs.push(file.named(VECTORS_FILE));
        }
        inputs.extend(self.evaluation.opponent.input("evaluation.opponent"));
        inputs
    }
}
