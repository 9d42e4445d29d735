//! The spec of `othellonia-selfplay`.

use hatchery_core::NamedInput;
use hatchery_core::spec::FileList;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mode::SelfplayMode;
use crate::features::Information;
use crate::generate::{Archetype, PoolSettings};
use crate::params::agent_param::{AgentParam, AgentPreset, RandomParam, RuleParam};
use crate::params::deck_param::{DeckParam, ShippedDeckParam, standard_cost_cap};
use crate::params::encoding_param::{
    EncodingParam, RandomVectorsParam, VECTORS_FILE, VectorFileParam,
};
use crate::params::reinforcement_param::ReinforcementParam;
use crate::pool::PieceDefinition;

/// The spec of `othellonia-selfplay`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelfplaySpec {
    /// The order of games and steps.
    pub mode: SelfplayMode,
    /// The decks. Both decks of a game to learn from are drawn at random; in evaluations each deck
    /// plays each.
    #[serde(default = "shipped_decks")]
    #[schemars(
        length(min = 1, max = 64),
        extend("x-source" = "Kono et al., 9.3: 3 that share no piece: burst, tricky, endurance")
    )]
    pub decks: FileList<DeckParam>,
    /// The generated pieces.
    #[serde(default)]
    pub pool: PoolSettings,
    /// Your own pieces, numbered after the generated ones: the first one is `pool.kinds`.
    #[serde(default, skip_serializing_if = "FileList::is_empty")]
    pub pieces: FileList<PieceDefinition>,
    /// The sum that the costs of a deck's pieces may reach.
    #[serde(default = "standard_cost_cap")]
    #[schemars(range(min = 0, max = 16000))]
    pub cost_cap: u32,
    /// The arms: networks that differ by the encoding of pieces, and learn side by side, each from
    /// its own games.
    #[schemars(length(min = 1, max = 3))]
    pub arms: Vec<EncodingParam>,
    /// The vectors of the arm `vectors`.
    #[serde(default)]
    pub vectors: SelfplayVectorsParam,
    /// The networks of each arm, each with other random weights and other games.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 8))]
    pub seeds: u32,
    /// The network's knowledge of the game.
    #[serde(default)]
    pub information: Information,
    /// The units of the hidden layers.
    #[schemars(
        length(min = 1, max = 4),
        inner(range(min = 1, max = 1024)),
        extend("x-source" = "ours: the text does not say")
    )]
    pub hidden: Vec<u32>,
    /// The learner.
    #[serde(default)]
    pub learn: ReinforcementParam,
    /// The games against the random agent before those against snapshots. A generation keeps the
    /// opponents that it begins with.
    #[serde(default = "thousand")]
    #[schemars(range(max = 1_000_000), extend("x-source" = "Kono et al., 9.3: 1,000"))]
    pub random_games: u32,
    /// The games between two snapshots of the network, which become its opponents. In the mode
    /// `wide` they are taken at the ends of generations.
    #[serde(default = "thousand")]
    #[schemars(range(min = 1, max = 1_000_000), extend("x-source" = "Kono et al., 9.3: 1,000"))]
    pub snapshot_games: u32,
    /// The most snapshots that are opponents in a generation. Snapshots are split by age into this
    /// many equal groups, and one of each is drawn.
    #[serde(default = "eight")]
    #[schemars(range(min = 1, max = 32), extend("x-source" = "ours: the text draws from all"))]
    pub opponents: u32,
    /// The games that show how well the networks play.
    pub evaluation: StrengthParam,
}

/// The vectors of pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SelfplayVectorsParam {
    /// Random ones, which are not learned.
    Random(RandomVectorsParam),
    /// Those of a file that a run of `othellonia-represent` has shown.
    File(VectorFileParam),
}

impl Default for SelfplayVectorsParam {
    fn default() -> Self {
        Self::Random(RandomVectorsParam {})
    }
}

/// Games that show how well networks play: each plays its best action without noise, with each deck
/// against each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrengthParam {
    /// The pairs of games with each deck against each, and against each opponent, at a look; 0 for
    /// none. The network places first in one game of a pair.
    #[schemars(range(min = 0, max = 10_000), extend("x-source" = "Kono et al., 9.1: 500"))]
    pub pairs: u32,
    /// The opponents.
    #[serde(default = "yardsticks")]
    #[schemars(length(min = 1, max = 8))]
    pub opponents: Vec<AgentParam>,
    /// The periods of learning from look to look. There is one after the last period too.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1000))]
    pub every: u32,
}

fn one() -> u32 {
    1
}

fn eight() -> u32 {
    8
}

fn thousand() -> u32 {
    1_000
}

fn yardsticks() -> Vec<AgentParam> {
    let standard = RuleParam { preset: AgentPreset::Standard, temperature: None };
    vec![AgentParam::Random(RandomParam {}), AgentParam::Rule(standard)]
}

fn shipped_decks() -> FileList<DeckParam> {
    let deck = |&archetype: &Archetype| {
        let name = archetype.name().to_owned();
        DeckParam::Shipped(ShippedDeckParam { name, archetype })
    };
    Archetype::ALL.iter().map(deck).collect()
}

impl SelfplaySpec {
    /// Returns true if an arm has vectors.
    pub(super) fn has_vectors(&self) -> bool {
        self.arms.contains(&EncodingParam::Vectors)
    }

    /// Returns the inputs that the run needs.
    pub(super) fn inputs(&self) -> Vec<NamedInput> {
        let mut inputs = Vec::new();
        if let SelfplayVectorsParam::File(VectorFileParam { file }) = &self.vectors
            && self.has_vectors()
        {
            inputs.push(file.named(VECTORS_FILE));
        }
        let opponents = self.evaluation.opponents.iter().enumerate();
        inputs.extend(
            opponents.filter_map(|(at, it)| it.input(&format!("evaluation.opponents.{at}"))),
        );
        inputs
    }
}
