//! Agents in saved games, written as in specs.

use hatchery_core::InvalidValue;
use serde::{Deserialize, Serialize};

use crate::players::{
    AdjustingAgent, AgentChoices, DepthSearch, DynamicSettings, MatchingRules, MctsAgent,
    OthelloAgent, SoftmaxSettings,
};

/// An [`OthelloAgent`] as a saved game has it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum SavedAgent {
    Random {},
    Mcts { agent: DepthSearch },
    Adjusting { choices: Vec<DepthSearch>, rules: MatchingRules },
    Dynamic { agent: DepthSearch, rule: DynamicSettings },
    Softmax { agent: DepthSearch, rule: SoftmaxSettings },
    RandomAgent { choices: Vec<DepthSearch> },
    Solver { agent: DepthSearch, empties: u32 },
}

impl From<&OthelloAgent> for SavedAgent {
    fn from(agent: &OthelloAgent) -> Self {
        match agent {
            OthelloAgent::Random => Self::Random {},
            OthelloAgent::Mcts(agent) => Self::Mcts { agent: agent.into() },
            OthelloAgent::Adjusting(AdjustingAgent { choices, rules }) => {
                Self::Adjusting { choices: saved(choices), rules: *rules }
            }
            OthelloAgent::Dynamic { search, settings } => {
                Self::Dynamic { agent: search.into(), rule: *settings }
            }
            OthelloAgent::Softmax { search, settings } => {
                Self::Softmax { agent: search.into(), rule: *settings }
            }
            OthelloAgent::RandomAgent(choices) => Self::RandomAgent { choices: saved(choices) },
            OthelloAgent::Solver { search, empties } => {
                Self::Solver { agent: search.into(), empties: *empties }
            }
        }
    }
}

fn saved(choices: &AgentChoices) -> Vec<DepthSearch> {
    choices.agents().iter().map(DepthSearch::from).collect()
}

impl TryFrom<SavedAgent> for OthelloAgent {
    type Error = InvalidValue;

    fn try_from(agent: SavedAgent) -> Result<Self, InvalidValue> {
        Ok(match agent {
            SavedAgent::Random {} => Self::Random,
            SavedAgent::Mcts { agent } => Self::Mcts(agent.try_into()?),
            SavedAgent::Adjusting { choices, rules } => {
                Self::Adjusting(AdjustingAgent { choices: checked(choices)?, rules })
            }
            SavedAgent::Dynamic { agent, rule } => {
                Self::Dynamic { search: agent.try_into()?, settings: rule }
            }
            SavedAgent::Softmax { agent, rule } => {
                Self::Softmax { search: agent.try_into()?, settings: rule }
            }
            SavedAgent::RandomAgent { choices } => Self::RandomAgent(checked(choices)?),
            SavedAgent::Solver { agent, empties } => {
                Self::Solver { search: agent.try_into()?, empties }
            }
        })
    }
}

fn checked(choices: Vec<DepthSearch>) -> Result<AgentChoices, InvalidValue> {
    let agents: Vec<MctsAgent> =
        choices.into_iter().map(MctsAgent::try_from).collect::<Result<_, _>>()?;
    AgentChoices::new(agents).map_err(|invalid| invalid.under("choices"))
}
