//! The kinds of agents, ready to play.

use hatchery_core::{DecodeError, InvalidValue, WireValue};

use super::dynamic::DynamicSettings;
use super::matching::MatchingRules;
use super::mcts::MctsAgent;
use super::softmax::{SoftmaxSettings, StrengthControl};

/// An agent with all that it needs to play.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub enum OthelloAgent {
    /// Takes any legal move, all with the same probability.
    #[wire(tag = 1)]
    Random,
    /// Takes the first choice of a search.
    #[wire(tag = 2)]
    Mcts(MctsAgent),
    /// Estimates the opponent's strength and lets the agent nearest to it reply.
    #[wire(tag = 3)]
    Adjusting(AdjustingAgent),
    /// Plays weaker when ahead.
    #[wire(tag = 4)]
    Dynamic {
        /// The search.
        #[wire(tag = 1)]
        search: MctsAgent,
        /// The rule.
        #[wire(flatten = 2)]
        settings: DynamicSettings,
    },
    /// Takes moves at random by their visits to a power, which changes with the results.
    #[wire(tag = 5)]
    Softmax {
        /// The search.
        #[wire(tag = 1)]
        search: MctsAgent,
        /// The rule.
        #[wire(flatten = 2)]
        settings: SoftmaxSettings,
    },
    /// Lets any of several agents reply, each with the same probability: the control that has all
    /// strengths but does not adjust.
    #[wire(tag = 6)]
    RandomAgent(AgentChoices),
    /// Plays perfectly at the end, and by a search before.
    #[wire(tag = 7)]
    Solver {
        /// The search.
        #[wire(tag = 1)]
        search: MctsAgent,
        /// The number of empty squares up to which moves are perfect.
        #[wire(tag = 2, range(max = Self::MAX_SOLVED_EMPTIES))]
        empties: u32,
    },
}

/// The agent of the paper: on each move of the opponent, all agents say what they would have
/// played, and the one nearest to the estimate replies.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub struct AdjustingAgent {
    /// The agents.
    #[wire(tag = 1)]
    pub choices: AgentChoices,
    /// The rules of the estimate.
    #[wire(flatten = 2)]
    pub rules: MatchingRules,
}

/// Agents of different depths, in ascending order: at least one and at most
/// [`MAX`](Self::MAX).
#[derive(Clone, Debug, PartialEq, WireValue)]
#[wire(try_from = AgentList)]
pub struct AgentChoices {
    agents: Vec<MctsAgent>,
    depths: Vec<u32>,
}

/// [`AgentChoices`] on the wire.
#[derive(WireValue)]
struct AgentList {
    #[wire(tag = 1)]
    agents: Vec<MctsAgent>,
}

impl From<&AgentChoices> for AgentList {
    fn from(choices: &AgentChoices) -> Self {
        Self { agents: choices.agents.clone() }
    }
}

impl TryFrom<AgentList> for AgentChoices {
    type Error = InvalidValue;

    fn try_from(AgentList { agents }: AgentList) -> Result<Self, InvalidValue> {
        Self::new(agents)
    }
}

impl AgentChoices {
    /// The largest number of agents: as many as there are depths.
    pub const MAX: usize = 60;

    /// Returns these agents.
    ///
    /// # Errors
    /// If there is none, or too many, or their depths do not ascend.
    pub fn new(agents: Vec<MctsAgent>) -> Result<Self, InvalidValue> {
        let n = agents.len();
        if !(1..=Self::MAX).contains(&n) {
            let expected = format!("1 to {}", Self::MAX);
            return Err(InvalidValue::new("", &format_args!("{n} agents"), expected));
        }
        let depths: Vec<u32> = agents.iter().map(MctsAgent::depth).collect();
        if !depths.is_sorted_by(|a, b| a < b) {
            let found = format!("agents of depths {depths:?}");
            let expected = "agents of different depths in ascending order";
            return Err(InvalidValue::new("", &found, expected));
        }
        Ok(Self { agents, depths })
    }

    /// Returns the agents.
    #[must_use]
    pub fn agents(&self) -> &[MctsAgent] {
        &self.agents
    }

    /// Returns their depths, in plies.
    #[must_use]
    pub fn depths(&self) -> &[u32] {
        &self.depths
    }
}

impl OthelloAgent {
    /// The largest number of empty squares from which an agent plays perfectly.
    pub const MAX_SOLVED_EMPTIES: u32 = 16;

    /// Checks that all settings are in range.
    ///
    /// # Errors
    /// If one is not.
    pub fn check(&self) -> Result<(), InvalidValue> {
        // A reader checks all that the settings declare.
        match Self::decode(&self.encode()) {
            Err(DecodeError::Value(invalid)) => Err(invalid),
            _ => Ok(()),
        }
    }

    /// Returns the largest number of playouts from a move of the opponent to the reply: the
    /// playouts by all agents that observe the move, and the playouts by the agent that replies.
    #[must_use]
    pub fn playouts_per_reply(&self) -> u64 {
        let of = |agent: &MctsAgent| u64::from(agent.playouts());
        let most = |choices: &AgentChoices| choices.agents().iter().map(of).max().unwrap_or(0);
        match self {
            Self::Random => 0,
            Self::Mcts(search)
            | Self::Dynamic { search, .. }
            | Self::Softmax { search, .. }
            | Self::Solver { search, .. } => of(search),
            Self::Adjusting(AdjustingAgent { choices, .. }) => {
                choices.agents().iter().map(of).sum::<u64>() + most(choices)
            }
            Self::RandomAgent(choices) => most(choices),
        }
    }

    /// Returns true if what the agent learns in a game changes its moves in the next one.
    #[must_use]
    pub fn carries(&self) -> bool {
        match self {
            Self::Adjusting(agent) => agent.rules.carry,
            Self::Softmax { settings, .. } => settings.control == StrengthControl::BetweenGames,
            Self::Random
            | Self::Mcts(_)
            | Self::Dynamic { .. }
            | Self::RandomAgent(_)
            | Self::Solver { .. } => false,
        }
    }
}
