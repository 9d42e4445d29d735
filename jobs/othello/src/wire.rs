//! Setups and results on the wire.

mod agent;
mod opening;
mod results;
mod search_agent;
mod sums;

use hatchery_core::{DecodeError, MessageValue};

use crate::setup::{JudgeSettings, MatchSetup, OpponentChange};

pub use agent::{
    AdjustingMessage, AgentKind, DynamicMessage, OthelloAgentMessage, SoftmaxMessage, SolverMessage,
};
pub(crate) use opening::MAX_OPENING_BYTES;
pub use opening::{OpeningMessage, RecordedGameMessage};
pub use results::{MatchResultsMessage, NaturalnessMessage, PairGamesMessage};
pub use search_agent::{ChoicesMessage, MctsAgentMessage};
pub use sums::{EffortMessage, LevelSumsMessage};

/// A [`MatchSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MatchSetupMessage {
    #[prost(message, repeated, tag = "1")]
    agents: Vec<OthelloAgentMessage>,
    #[prost(message, optional, tag = "2")]
    opening: Option<OpeningMessage>,
    #[prost(uint32, tag = "3")]
    pairs: u32,
    #[prost(message, optional, tag = "4")]
    judge: Option<JudgeMessage>,
    #[prost(message, optional, tag = "5")]
    change: Option<ChangeMessage>,
}

/// An [`OpponentChange`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct ChangeMessage {
    #[prost(uint32, tag = "1")]
    after: u32,
    #[prost(message, optional, tag = "2")]
    agent: Option<MctsAgentMessage>,
}

/// [`JudgeSettings`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct JudgeMessage {
    #[prost(message, optional, tag = "1")]
    agent: Option<MctsAgentMessage>,
    #[prost(uint32, tag = "2")]
    empties: u32,
}

impl MessageValue for MatchSetup {
    type Message = MatchSetupMessage;

    fn to_message(&self) -> MatchSetupMessage {
        let Self { agents, opening, pairs, judge, change } = self;
        MatchSetupMessage {
            agents: agents.iter().map(OthelloAgentMessage::from).collect(),
            opening: Some(opening.into()),
            pairs: *pairs,
            judge: judge.as_ref().map(JudgeMessage::from),
            change: change.as_ref().map(ChangeMessage::from),
        }
    }

    fn from_message(message: MatchSetupMessage) -> Result<Self, DecodeError> {
        let MatchSetupMessage { agents, opening, pairs, judge, change } = message;
        let n = agents.len();
        let agents: [OthelloAgentMessage; 2] =
            agents.try_into().map_err(|_| DecodeError::field("agents", &n, "2 of them"))?;
        let [first, second] = agents.map(OthelloAgentMessage::checked);
        let missing = || DecodeError::field("opening", &"missing", "a rule");
        let opening = opening.ok_or_else(missing)?.checked()?;
        Ok(Self {
            agents: [first?, second?],
            opening,
            pairs: pairs_of_a_trial("pairs", pairs)?,
            judge: judge.map(JudgeMessage::checked).transpose()?,
            change: change.map(|change| change.checked(pairs)).transpose()?,
        })
    }
}

hatchery_core::message_value!(MatchSetup);

impl From<&OpponentChange> for ChangeMessage {
    fn from(change: &OpponentChange) -> Self {
        Self { after: change.after, agent: Some((&change.agent).into()) }
    }
}

impl ChangeMessage {
    /// Returns the change within a trial of `pairs`.
    fn checked(self, pairs: u32) -> Result<OpponentChange, DecodeError> {
        let (after, least) = (self.after, OpponentChange::MIN_BEFORE);
        let most = pairs.saturating_sub(OpponentChange::MIN_AFTER);
        if !(least..=most).contains(&after) {
            let expected = format!("from {least} to {most}, of {pairs} pairs");
            return Err(DecodeError::field("after", &after, expected));
        }
        Ok(OpponentChange { after, agent: MctsAgentMessage::required(self.agent)? })
    }
}

impl From<&JudgeSettings> for JudgeMessage {
    fn from(judge: &JudgeSettings) -> Self {
        Self { agent: Some((&judge.agent).into()), empties: judge.empties }
    }
}

impl JudgeMessage {
    fn checked(self) -> Result<JudgeSettings, DecodeError> {
        let agent = MctsAgentMessage::required(self.agent)?;
        JudgeSettings::new(agent, self.empties).ok_or_else(|| {
            let (least, most) = (JudgeSettings::MIN_PLAYOUTS, JudgeSettings::MAX_EMPTIES);
            let expected = format!("at most {most}, beside an agent of {least} playouts or more");
            DecodeError::field("empties", &self.empties, expected)
        })
    }
}

/// Checks the number of pairs of a trial.
fn pairs_of_a_trial(field: &'static str, pairs: u32) -> Result<u32, DecodeError> {
    if (1..=MatchSetup::MAX_PAIRS).contains(&pairs) {
        return Ok(pairs);
    }
    let expected = format!("from 1 to {}", MatchSetup::MAX_PAIRS);
    Err(DecodeError::field(field, &pairs, expected))
}

/// Returns the number of a choice on the wire.
fn number_of<T: PartialEq>(values: &[T], value: &T) -> u32 {
    values.iter().zip(0..).find(|(known, _)| *known == value).map_or(u32::MAX, |(_, number)| number)
}

/// Returns the value that a number stands for.
fn one_of<T: Copy>(field: &'static str, values: &[T], number: u32) -> Result<T, DecodeError> {
    values
        .get(number as usize)
        .copied()
        .ok_or_else(|| DecodeError::field(field, &number, format!("below {}", values.len())))
}
