//! Setups of recorded games on the wire.

use hatchery_core::DecodeError;

use super::agent::AgentMessage;
use super::fields::within;
use super::reinforcement::{SelfPlayersMessage, checked_n_decks};
use crate::setup::{RecordPlayers, RecordSetup, WeightedAgent};

/// A [`RecordSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct RecordSetupMessage {
    #[prost(uint32, tag = "1")]
    pairs: u32,
    #[prost(uint32, tag = "2")]
    n_decks: u32,
    #[prost(message, repeated, tag = "3")]
    agents: Vec<AgentMessage>,
    /// A weight for each agent.
    #[prost(uint32, repeated, tag = "4")]
    weights: Vec<u32>,
    /// The players of self-play: there are then no agents.
    #[prost(message, optional, tag = "5")]
    self_play: Option<SelfPlayersMessage>,
}

impl From<&RecordSetup> for RecordSetupMessage {
    fn from(RecordSetup { pairs, n_decks, players }: &RecordSetup) -> Self {
        let (drawn, self_play) = match players {
            RecordPlayers::Drawn(agents) => (agents.as_slice(), None),
            RecordPlayers::SelfPlay { learner, opponents } => {
                (&[][..], Some(SelfPlayersMessage::new(learner, opponents)))
            }
        };
        Self {
            pairs: *pairs,
            n_decks: u32::from(*n_decks),
            agents: drawn.iter().map(|it| AgentMessage::from(&it.agent)).collect(),
            weights: drawn.iter().map(|it| it.weight).collect(),
            self_play,
        }
    }
}

impl RecordSetupMessage {
    pub(super) fn checked(self) -> Result<RecordSetup, DecodeError> {
        let Self { pairs, n_decks, agents, weights, self_play } = self;
        within("pairs", pairs.into(), 1, RecordSetup::MAX_PAIRS.into())?;
        let n_decks = checked_n_decks(n_decks)?;
        let players = match self_play {
            None => RecordPlayers::Drawn(checked_agents(agents, weights)?),
            Some(players) => {
                within("agents", agents.len() as u64, 0, 0)?;
                within("weights", weights.len() as u64, 0, 0)?;
                let (learner, opponents) = players.checked()?;
                RecordPlayers::SelfPlay { learner, opponents }
            }
        };
        Ok(RecordSetup { pairs, n_decks, players })
    }
}

/// Returns agents with their weights.
fn checked_agents(
    agents: Vec<AgentMessage>,
    weights: Vec<u32>,
) -> Result<Vec<WeightedAgent>, DecodeError> {
    within("agents", agents.len() as u64, 1, RecordSetup::MAX_AGENTS as u64)?;
    if weights.len() != agents.len() {
        let expected = format!("{}, one for each agent", agents.len());
        return Err(DecodeError::field("weights", &weights.len(), expected));
    }
    let agents = agents.into_iter().zip(weights).map(|(agent, weight)| {
        within("weights", weight.into(), 1, WeightedAgent::MAX_WEIGHT.into())?;
        Ok(WeightedAgent { agent: agent.checked()?, weight })
    });
    agents.collect()
}
