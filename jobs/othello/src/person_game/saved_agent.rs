//! Agents in saved games, written as in specs.

use serde::{Deserialize, Serialize};

use crate::players::{
    AdjustingAgent, AgentChoices, AgentError, DynamicSettings, MatchingRules, MctsAgent,
    OthelloAgent, SearchSettings, SoftmaxSettings,
};

/// An [`OthelloAgent`] as a saved game has it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum SavedAgent {
    Random {},
    Mcts { agent: SavedSearch },
    Adjusting { choices: Vec<SavedSearch>, rules: MatchingRules },
    Dynamic { agent: SavedSearch, rule: DynamicSettings },
    Softmax { agent: SavedSearch, rule: SoftmaxSettings },
    RandomAgent { choices: Vec<SavedSearch> },
    Solver { agent: SavedSearch, empties: u32 },
}

/// A [`MctsAgent`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedSearch {
    depth: u32,
    search: SearchSettings,
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

impl From<&MctsAgent> for SavedSearch {
    fn from(agent: &MctsAgent) -> Self {
        Self { depth: agent.depth(), search: *agent.settings() }
    }
}

fn saved(choices: &AgentChoices) -> Vec<SavedSearch> {
    choices.agents().iter().map(SavedSearch::from).collect()
}

impl TryFrom<SavedAgent> for OthelloAgent {
    type Error = AgentError;

    fn try_from(agent: SavedAgent) -> Result<Self, AgentError> {
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

impl TryFrom<SavedSearch> for MctsAgent {
    type Error = AgentError;

    fn try_from(SavedSearch { depth, search }: SavedSearch) -> Result<Self, AgentError> {
        Ok(Self::new(depth, search)?)
    }
}

fn checked(choices: Vec<SavedSearch>) -> Result<AgentChoices, AgentError> {
    let agents: Result<Vec<MctsAgent>, _> = choices.into_iter().map(MctsAgent::try_from).collect();
    AgentChoices::new(agents?)
}
