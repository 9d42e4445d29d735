//! Setups and results on the wire: decoded values are checked.

mod agent;
mod opening;
mod results;

use hatchery_core::{DecodeError, WireValue};

use crate::setup::MatchSetup;

pub use agent::{
    AdjustingMessage, AgentKind, AgentMessage, ChoicesMessage, DynamicMessage, MctsAgentMessage,
    SoftmaxMessage, SolverMessage,
};
pub use opening::{OpeningMessage, RecordedGameMessage};
pub use results::{EffortMessage, LevelSumsMessage, MatchResultsMessage, PairGamesMessage};

/// A [`MatchSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MatchSetupMessage {
    #[prost(message, repeated, tag = "1")]
    agents: Vec<AgentMessage>,
    #[prost(message, optional, tag = "2")]
    opening: Option<OpeningMessage>,
    #[prost(uint32, tag = "3")]
    pairs: u32,
}

impl WireValue for MatchSetup {
    type Message = MatchSetupMessage;

    fn to_message(&self) -> MatchSetupMessage {
        let Self { agents, opening, pairs } = self;
        MatchSetupMessage {
            agents: agents.iter().map(AgentMessage::from).collect(),
            opening: Some(opening.into()),
            pairs: *pairs,
        }
    }

    fn from_message(message: MatchSetupMessage) -> Result<Self, DecodeError> {
        let MatchSetupMessage { agents, opening, pairs } = message;
        let n = agents.len();
        let agents: [AgentMessage; 2] =
            agents.try_into().map_err(|_| DecodeError::field("agents", &n, "two agents"))?;
        let [first, second] = agents.map(AgentMessage::checked);
        let missing = || DecodeError::field("opening", &"missing", "a rule");
        let opening = opening.ok_or_else(missing)?.checked()?;
        Ok(Self { agents: [first?, second?], opening, pairs: pairs_of_a_trial(pairs)? })
    }
}

/// Checks the number of pairs of a trial.
fn pairs_of_a_trial(pairs: u32) -> Result<u32, DecodeError> {
    if (1..=MatchSetup::MAX_PAIRS).contains(&pairs) {
        return Ok(pairs);
    }
    let expected = format!("from 1 to {}", MatchSetup::MAX_PAIRS);
    Err(DecodeError::field("pairs", &pairs, expected))
}

/// Returns the value that a number stands for.
fn one_of<T: Copy>(field: &'static str, values: &[T], number: u32) -> Result<T, DecodeError> {
    values
        .get(number as usize)
        .copied()
        .ok_or_else(|| DecodeError::field(field, &number, format!("below {}", values.len())))
}
