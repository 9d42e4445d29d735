//! The spec of `othellonia-impact`.

use hatchery_core::NamedInput;
use hatchery_core::spec::{FileList, FileValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::generate::PoolSettings;
use crate::params::agent_param::{AgentParam, AgentPreset, GameAgentParam, RuleParam};
use crate::params::deck_param::{DeckParam, standard_cost_cap};
use crate::params::learning_games_param::{GeneratedDecksParam, WeightedAgentParam};
use crate::params::reinforcement_param::ReinforcementParam;
use crate::params::training_param::TrainingParam;
use crate::pool::PieceDefinition;
use crate::studies::vector_learning::default_explored;

/// The spec of `othellonia-impact`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImpactSpec {
    /// The generated pieces.
    #[serde(default)]
    pub pool: PoolSettings,
    /// Your own pieces, numbered after the generated ones: the first one is `pool.kinds`.
    #[serde(default, skip_serializing_if = "FileList::is_empty")]
    pub pieces: FileList<PieceDefinition>,
    /// The number of the new piece; by default the last one of the pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piece: Option<u32>,
    /// The sum that the costs of a deck's pieces may reach.
    #[serde(default = "standard_cost_cap")]
    #[schemars(range(min = 0, max = 16000))]
    pub cost_cap: u32,
    /// The decks that the new piece enters.
    #[schemars(length(min = 1, max = 16))]
    pub hosts: Vec<HostParam>,
    /// The decks that the hosts meet; by default the hosts as they are.
    #[serde(default, skip_serializing_if = "FileList::is_empty")]
    #[schemars(length(max = 32))]
    pub field: FileList<DeckParam>,
    /// The agent that plays all decks.
    pub agent: AgentParam,
    /// The vector of the new piece, if the agent is a learned one that does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector: Option<NewVectorParam>,
    /// Games and steps with the new decks, after which the change is measured again; the agent must
    /// be a learned one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tune: Option<TuneParam>,
    /// The pairs of games between each host and each deck of the field, and as many with the new
    /// piece in the host. Both games of a pair have the same shuffles, and so have the pairs with
    /// and without the piece.
    #[schemars(range(min = 2, max = 100_000))]
    pub pairs: u32,
    /// The change of the score, in points, from which on the new piece is too strong; by default 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.1, max = 100))]
    pub too_strong: Option<f64>,
}

/// A deck that the new piece enters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostParam {
    /// The deck.
    pub deck: FileValue<DeckParam>,
    /// The piece that is replaced: its number, or `similar`, which needs `vector`.
    #[serde(default)]
    pub replaces: ReplacedPiece,
}

/// The piece that the new one replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "the number of a piece, or \"similar\"")]
pub enum ReplacedPiece {
    /// A rule.
    Rule(ReplacementRule),
    /// The piece with this number.
    Number(#[schemars(range(min = 0, max = 19_999))] u32),
}

/// A rule for the piece that the new one replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplacementRule {
    /// Of the pieces of the same cost, or of lower cost if there are none, the one whose vector is
    /// most like that of the new piece; never the leader.
    Similar,
}

impl Default for ReplacedPiece {
    fn default() -> Self {
        Self::Rule(ReplacementRule::Similar)
    }
}

/// The vector of a new piece: games of rule-based agents with decks that hold it, and steps that
/// learn the vectors of the pieces that the agent does not know. All others stay as they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVectorParam {
    /// Decks that the generator makes. Each gets the new piece in the place of the piece whose cost
    /// is nearest; the hosts with the new piece are played beside them.
    #[serde(default = "generated_decks")]
    pub generated_decks: GeneratedDecksParam,
    /// The agents, with the weights by which they are drawn.
    #[serde(default = "vector_agents")]
    #[schemars(length(min = 1, max = 8))]
    pub agents: Vec<WeightedAgentParam>,
    /// The files of records: each is a trial.
    #[schemars(range(min = 1, max = 1000))]
    pub files: u32,
    /// The pairs of games of a file.
    #[schemars(range(min = 1, max = 10_000))]
    pub pairs: u32,
    /// The network that predicts, and its steps.
    pub learn: TrainingParam,
    /// The share of samples whose action is any legal one instead of the one that was chosen.
    #[serde(default = "default_explored")]
    #[schemars(range(min = 0, max = 1))]
    pub explored: f64,
    /// The nearest neighbors of the new piece that are shown.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 10))]
    pub neighbors: u32,
}

/// Reinforcement learning with the new decks, from the agent's weights on: pairs of games and then
/// some steps, in turn. The opponents are the agent as it was, and as it is at the period's start.
/// The decks of both players are drawn from the hosts with the new piece, the hosts as they are,
/// and the field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TuneParam {
    /// The periods: each is a generation, and its games and steps are one trial.
    #[schemars(range(min = 1, max = 1000))]
    pub periods: u32,
    /// The pairs of games of a period.
    #[schemars(range(min = 1, max = 10_000))]
    pub pairs: u32,
    /// The steps after each pair of games.
    #[serde(default = "steps_per_pair")]
    #[schemars(range(min = 1, max = 10_000))]
    pub steps_per_pair: u32,
    /// The learner: as in the mode `wide` of self-play. Its `bins` are those of the agent.
    #[serde(default)]
    pub learn: ReinforcementParam,
}

fn steps_per_pair() -> u32 {
    4
}

fn generated_decks() -> GeneratedDecksParam {
    GeneratedDecksParam { count: 64, seed: 1 }
}

/// The default agents of games with a new piece: as good players as there are without its vector,
/// and one that explores (our own choice, after Kono et al., 8.1).
fn vector_agents() -> Vec<WeightedAgentParam> {
    let agent = |temperature, weight| {
        let agent = GameAgentParam::Rule(RuleParam { preset: AgentPreset::Standard, temperature });
        WeightedAgentParam { agent, weight }
    };
    vec![agent(None, 3), agent(Some(3.0), 1)]
}

fn ten() -> u32 {
    10
}

impl ImpactSpec {
    /// Returns the inputs that the run needs.
    pub(super) fn inputs(&self) -> Vec<NamedInput> {
        self.agent.input("agent").into_iter().collect()
    }
}
