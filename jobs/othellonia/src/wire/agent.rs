//! Agents on the wire.

use hatchery_core::{DecodeError, LargeValue, Part, PartMessage};

use crate::agents::{GameAgent, RuleAgent};
use crate::setup::MatchAgent;

/// A [`MatchAgent`] on the wire: one of the two.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MatchAgentMessage {
    /// An agent that needs nothing but the game.
    #[prost(message, optional, tag = "1")]
    rule: Option<AgentMessage>,
    /// The file of a learned agent.
    #[prost(message, repeated, tag = "2")]
    weights: Vec<PartMessage>,
}

/// A [`GameAgent`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct AgentMessage {
    /// 0: random, 1: by rule, 2: look-ahead.
    #[prost(uint32, tag = "1")]
    kind: u32,
    /// The temperature of a rule-based agent.
    #[prost(uint32, tag = "2")]
    temperature: u32,
}

impl From<&MatchAgent> for MatchAgentMessage {
    fn from(agent: &MatchAgent) -> Self {
        match agent {
            MatchAgent::Rule(agent) => Self { rule: Some(agent.into()), weights: Vec::new() },
            MatchAgent::Network(weights) => {
                let weights = weights.parts().iter().map(Part::to_message).collect();
                Self { rule: None, weights }
            }
        }
    }
}

impl MatchAgentMessage {
    pub(super) fn checked(self) -> Result<MatchAgent, DecodeError> {
        let Self { rule, weights } = self;
        let n_parts = weights.len();
        let most = MatchAgent::MAX_PARTS;
        match rule {
            Some(rule) if n_parts == 0 => Ok(MatchAgent::Rule(rule.checked()?)),
            None if (1..=most).contains(&n_parts) => {
                let parts = weights.into_iter().map(Part::from_message);
                let parts = parts.collect::<Result<_, _>>()?;
                Ok(MatchAgent::Network(LargeValue::new(parts)))
            }
            Some(_) => Err(DecodeError::field("weights", &n_parts, "0 for a rule-based agent")),
            None => Err(DecodeError::field("weights", &n_parts, format!("from 1 to {most} parts"))),
        }
    }
}

impl From<&GameAgent> for AgentMessage {
    fn from(agent: &GameAgent) -> Self {
        let (kind, temperature) = match agent {
            GameAgent::Random => (0, 0),
            GameAgent::Rule(RuleAgent { temperature }) => (1, *temperature),
            GameAgent::Lookahead => (2, 0),
        };
        Self { kind, temperature }
    }
}

impl AgentMessage {
    pub(super) fn checked(self) -> Result<GameAgent, DecodeError> {
        let Self { kind, temperature } = self;
        match kind {
            0 => Ok(GameAgent::Random),
            1 if temperature <= RuleAgent::MAX_TEMPERATURE => {
                Ok(GameAgent::Rule(RuleAgent { temperature }))
            }
            1 => {
                let expected = format!("at most {}", RuleAgent::MAX_TEMPERATURE);
                Err(DecodeError::field("temperature", &temperature, expected))
            }
            2 => Ok(GameAgent::Lookahead),
            kind => Err(DecodeError::field("kind", &kind, "below 3")),
        }
    }
}
