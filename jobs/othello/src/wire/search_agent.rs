//! Agents that search, on the wire.

use hatchery_core::DecodeError;

use super::{number_of, one_of};
use crate::players::{AgentChoices, AgentError, DepthReading, MctsAgent, SearchSettings};

/// A [`MctsAgent`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct MctsAgentMessage {
    #[prost(uint32, tag = "1")]
    depth: u32,
    #[prost(uint32, tag = "2")]
    playouts: u32,
    #[prost(uint32, tag = "3")]
    reading: u32,
    #[prost(double, tag = "4")]
    plies_per_doubling: f64,
    #[prost(double, tag = "5")]
    exploration: f64,
}

/// [`AgentChoices`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ChoicesMessage {
    #[prost(message, repeated, tag = "1")]
    agents: Vec<MctsAgentMessage>,
}

/// The readings in the order of their numbers on the wire.
const READINGS: [DepthReading; 4] = [
    DepthReading::TreeCap,
    DepthReading::DepthReached,
    DepthReading::Horizon,
    DepthReading::GrowingBudget,
];

impl From<&MctsAgent> for MctsAgentMessage {
    fn from(agent: &MctsAgent) -> Self {
        let SearchSettings { playouts, reading, plies_per_doubling, exploration } =
            *agent.settings();
        let reading = number_of(&READINGS, &reading);
        Self { depth: agent.depth(), playouts, reading, plies_per_doubling, exploration }
    }
}

impl From<&AgentChoices> for ChoicesMessage {
    fn from(choices: &AgentChoices) -> Self {
        Self { agents: choices.agents().iter().map(MctsAgentMessage::from).collect() }
    }
}

impl MctsAgentMessage {
    pub(super) fn checked(self) -> Result<MctsAgent, DecodeError> {
        let Self { depth, playouts, reading, plies_per_doubling, exploration } = self;
        let reading = one_of("search.reading", &READINGS, reading)?;
        let settings = SearchSettings { playouts, reading, plies_per_doubling, exploration };
        Ok(MctsAgent::new(depth, settings).map_err(AgentError::from)?)
    }

    pub(super) fn required(search: Option<Self>) -> Result<MctsAgent, DecodeError> {
        search
            .ok_or_else(|| DecodeError::field("search", &"missing", "an agent that searches"))?
            .checked()
    }
}

impl ChoicesMessage {
    pub(super) fn checked(self) -> Result<AgentChoices, DecodeError> {
        let agents: Result<_, _> = self.agents.into_iter().map(MctsAgentMessage::checked).collect();
        Ok(AgentChoices::new(agents?)?)
    }
}
