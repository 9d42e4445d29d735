//! Agents on the wire.

use hatchery_core::DecodeError;

use super::search_agent::{ChoicesMessage, MctsAgentMessage};
use super::{number_of, one_of};
use crate::players::{
    AdjustingAgent, AgentError, DynamicSettings, FirstReply, MatchingRules, NearestTie,
    OthelloAgent, SeveralMatch, SoftmaxSettings, StrengthControl, Unmatched,
};

/// An [`OthelloAgent`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct OthelloAgentMessage {
    #[prost(oneof = "AgentKind", tags = "1, 2, 3, 4, 5, 6, 7")]
    kind: Option<AgentKind>,
}

/// The kind of an agent on the wire.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum AgentKind {
    /// [`OthelloAgent::Random`].
    #[prost(message, tag = "1")]
    Random(()),
    /// [`OthelloAgent::Mcts`].
    #[prost(message, tag = "2")]
    Mcts(MctsAgentMessage),
    /// [`OthelloAgent::Adjusting`].
    #[prost(message, tag = "3")]
    Adjusting(AdjustingMessage),
    /// [`OthelloAgent::Dynamic`].
    #[prost(message, tag = "4")]
    Dynamic(DynamicMessage),
    /// [`OthelloAgent::Softmax`].
    #[prost(message, tag = "5")]
    Softmax(SoftmaxMessage),
    /// [`OthelloAgent::RandomAgent`].
    #[prost(message, tag = "6")]
    RandomAgent(ChoicesMessage),
    /// [`OthelloAgent::Solver`].
    #[prost(message, tag = "7")]
    Solver(SolverMessage),
}

/// An [`AdjustingAgent`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AdjustingMessage {
    #[prost(message, optional, tag = "1")]
    choices: Option<ChoicesMessage>,
    #[prost(uint32, tag = "2")]
    n_choices: u32,
    #[prost(uint32, tag = "3")]
    several: u32,
    #[prost(uint32, tag = "4")]
    unmatched: u32,
    #[prost(uint32, tag = "5")]
    first: u32,
    #[prost(uint32, tag = "6")]
    tie: u32,
    #[prost(bool, tag = "7")]
    forced: bool,
    #[prost(bool, tag = "8")]
    carry: bool,
}

/// An [`OthelloAgent::Dynamic`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct DynamicMessage {
    #[prost(message, optional, tag = "1")]
    search: Option<MctsAgentMessage>,
    #[prost(double, tag = "2")]
    target: f64,
    #[prost(double, tag = "3")]
    band: f64,
    #[prost(double, tag = "4")]
    min_visits: f64,
}

/// An [`OthelloAgent::Softmax`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct SoftmaxMessage {
    #[prost(message, optional, tag = "1")]
    search: Option<MctsAgentMessage>,
    #[prost(double, tag = "2")]
    z: f64,
    #[prost(double, tag = "3")]
    min_visits: f64,
    #[prost(uint32, tag = "4")]
    control: u32,
    #[prost(double, tag = "5")]
    step: f64,
    #[prost(double, tag = "6")]
    discount: f64,
    #[prost(double, tag = "7")]
    min_step: f64,
    #[prost(double, tag = "8")]
    lowest_z: f64,
    #[prost(double, tag = "9")]
    highest_z: f64,
}

/// An [`OthelloAgent::Solver`] on the wire.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub struct SolverMessage {
    #[prost(message, optional, tag = "1")]
    search: Option<MctsAgentMessage>,
    #[prost(uint32, tag = "2")]
    empties: u32,
}

/// The values of each choice in the order of their numbers on the wire.
const SEVERAL: [SeveralMatch; 4] =
    [SeveralMatch::Lowest, SeveralMatch::Highest, SeveralMatch::Mean, SeveralMatch::Nearest];
const UNMATCHED: [Unmatched; 2] = [Unmatched::Skip, Unmatched::Lowest];
const FIRST: [FirstReply; 3] = [FirstReply::Lowest, FirstReply::Middle, FirstReply::Highest];
const TIES: [NearestTie; 2] = [NearestTie::Lower, NearestTie::Higher];
const CONTROLS: [StrengthControl; 3] =
    [StrengthControl::None, StrengthControl::WithinGame, StrengthControl::BetweenGames];

impl From<&OthelloAgent> for OthelloAgentMessage {
    fn from(agent: &OthelloAgent) -> Self {
        let kind = match agent {
            OthelloAgent::Random => AgentKind::Random(()),
            OthelloAgent::Mcts(agent) => AgentKind::Mcts(agent.into()),
            OthelloAgent::Adjusting(agent) => AgentKind::Adjusting(agent.into()),
            OthelloAgent::Dynamic { search, settings } => {
                let DynamicSettings { target, band, min_visits } = *settings;
                let search = Some(search.into());
                AgentKind::Dynamic(DynamicMessage { search, target, band, min_visits })
            }
            OthelloAgent::Softmax { search, settings } => {
                let SoftmaxSettings {
                    z,
                    lowest_z,
                    highest_z,
                    min_visits,
                    control,
                    step,
                    discount,
                    min_step,
                } = *settings;
                AgentKind::Softmax(SoftmaxMessage {
                    search: Some(search.into()),
                    z,
                    min_visits,
                    control: number_of(&CONTROLS, &control),
                    step,
                    discount,
                    min_step,
                    lowest_z,
                    highest_z,
                })
            }
            OthelloAgent::RandomAgent(choices) => AgentKind::RandomAgent(choices.into()),
            OthelloAgent::Solver { search, empties } => {
                AgentKind::Solver(SolverMessage { search: Some(search.into()), empties: *empties })
            }
        };
        Self { kind: Some(kind) }
    }
}

impl From<&AdjustingAgent> for AdjustingMessage {
    fn from(AdjustingAgent { choices, rules }: &AdjustingAgent) -> Self {
        let MatchingRules { choices: n_choices, several, unmatched, first, tie, forced, carry } =
            *rules;
        Self {
            choices: Some(choices.into()),
            n_choices,
            several: number_of(&SEVERAL, &several),
            unmatched: number_of(&UNMATCHED, &unmatched),
            first: number_of(&FIRST, &first),
            tie: number_of(&TIES, &tie),
            forced,
            carry,
        }
    }
}

impl From<AgentError> for DecodeError {
    fn from(AgentError { field, found, expected }: AgentError) -> Self {
        Self::field(field, &found, expected)
    }
}

impl OthelloAgentMessage {
    /// Returns the agent.
    pub(super) fn checked(self) -> Result<OthelloAgent, DecodeError> {
        let agent = match self.kind {
            Some(AgentKind::Random(())) => OthelloAgent::Random,
            Some(AgentKind::Mcts(agent)) => OthelloAgent::Mcts(agent.checked()?),
            Some(AgentKind::Adjusting(agent)) => OthelloAgent::Adjusting(agent.checked()?),
            Some(AgentKind::Dynamic(agent)) => agent.checked()?,
            Some(AgentKind::Softmax(agent)) => agent.checked()?,
            Some(AgentKind::RandomAgent(choices)) => OthelloAgent::RandomAgent(choices.checked()?),
            Some(AgentKind::Solver(agent)) => agent.checked()?,
            None => return Err(DecodeError::field("kind", &"missing", "a kind of agent")),
        };
        agent.check()?;
        Ok(agent)
    }
}

impl AdjustingMessage {
    fn checked(self) -> Result<AdjustingAgent, DecodeError> {
        let Self { choices, n_choices, several, unmatched, first, tie, forced, carry } = self;
        let missing = || DecodeError::field("choices", &"missing", "agents");
        let rules = MatchingRules {
            choices: n_choices,
            several: one_of("rules.several", &SEVERAL, several)?,
            unmatched: one_of("rules.unmatched", &UNMATCHED, unmatched)?,
            first: one_of("rules.first", &FIRST, first)?,
            tie: one_of("rules.tie", &TIES, tie)?,
            forced,
            carry,
        };
        Ok(AdjustingAgent { choices: choices.ok_or_else(missing)?.checked()?, rules })
    }
}

impl DynamicMessage {
    fn checked(self) -> Result<OthelloAgent, DecodeError> {
        let Self { search, target, band, min_visits } = self;
        let settings = DynamicSettings { target, band, min_visits };
        Ok(OthelloAgent::Dynamic { search: MctsAgentMessage::required(search)?, settings })
    }
}

impl SoftmaxMessage {
    fn checked(self) -> Result<OthelloAgent, DecodeError> {
        let Self { search, z, min_visits, control, step, discount, min_step, lowest_z, highest_z } =
            self;
        let control = one_of("rule.control", &CONTROLS, control)?;
        let settings = SoftmaxSettings {
            z,
            lowest_z,
            highest_z,
            min_visits,
            control,
            step,
            discount,
            min_step,
        };
        Ok(OthelloAgent::Softmax { search: MctsAgentMessage::required(search)?, settings })
    }
}

impl SolverMessage {
    fn checked(self) -> Result<OthelloAgent, DecodeError> {
        let Self { search, empties } = self;
        Ok(OthelloAgent::Solver { search: MctsAgentMessage::required(search)?, empties })
    }
}
