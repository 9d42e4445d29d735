//! The agents of a trial.

use hatchery_core::{InvalidValue, LargeValue, WireValue};

use crate::players::GameAgent;

/// An agent of a trial.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
#[wire(try_from = AgentForm)]
pub enum MatchAgent {
    /// One that needs nothing but the game.
    Rule(GameAgent),
    /// A learned one: the file of its [model](crate::players::model::AgentModel).
    Network(LargeValue),
}

impl MatchAgent {
    /// The most parts of a model's file: 512 MiB, which is all that a trial may read.
    pub const MAX_PARTS: usize = 8;
}

impl From<GameAgent> for MatchAgent {
    fn from(agent: GameAgent) -> Self {
        Self::Rule(agent)
    }
}

/// A [`MatchAgent`] on the wire: an agent that plays by rule, or the parts of a file.
#[derive(WireValue)]
struct AgentForm {
    #[wire(tag = 1)]
    rule: Option<GameAgent>,
    #[wire(tag = 2, length(max = MatchAgent::MAX_PARTS))]
    weights: LargeValue,
}

impl From<&MatchAgent> for AgentForm {
    fn from(agent: &MatchAgent) -> Self {
        match agent {
            MatchAgent::Rule(agent) => Self { rule: Some(*agent), weights: LargeValue::default() },
            MatchAgent::Network(weights) => Self { rule: None, weights: weights.clone() },
        }
    }
}

impl TryFrom<AgentForm> for MatchAgent {
    type Error = InvalidValue;

    fn try_from(AgentForm { rule, weights }: AgentForm) -> Result<Self, InvalidValue> {
        match (rule, weights.parts().len()) {
            (Some(rule), 0) => Ok(Self::Rule(rule)),
            (None, 1..) => Ok(Self::Network(weights)),
            (rule, n_parts) => {
                let expected =
                    if rule.is_some() { "0 for a rule-based agent" } else { "1 or more" };
                Err(InvalidValue::new("weights", &n_parts, expected))
            }
        }
    }
}
