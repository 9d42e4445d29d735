//! Setups on the wire.

use hatchery_core::{DecodeError, MessageValue, Part};

use super::agent::MatchAgentMessage;
use super::record::RecordSetupMessage;
use super::training::TrainingSetupMessage;
use crate::setup::{DeckTable, KeptRecords, MatchAgent, MatchSetup, TrialSetup};

/// A [`TrialSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TrialSetupMessage {
    #[prost(oneof = "TrialKindMessage", tags = "1, 2, 3")]
    trial: Option<TrialKindMessage>,
}

/// The content of a [`TrialSetupMessage`].
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum TrialKindMessage {
    /// [`TrialSetup::Games`].
    #[prost(message, tag = "1")]
    Games(MatchSetupMessage),
    /// [`TrialSetup::Record`].
    #[prost(message, tag = "2")]
    Record(RecordSetupMessage),
    /// [`TrialSetup::Train`].
    #[prost(message, boxed, tag = "3")]
    Train(Box<TrainingSetupMessage>),
}

/// A [`MatchSetup`] on the wire.
#[derive(Clone, PartialEq, prost::Message)]
pub struct MatchSetupMessage {
    #[prost(uint32, repeated, tag = "1")]
    decks: Vec<u32>,
    #[prost(message, repeated, tag = "2")]
    agents: Vec<MatchAgentMessage>,
    #[prost(bool, tag = "3")]
    keeps_records: bool,
}

impl MessageValue for TrialSetup {
    type Message = TrialSetupMessage;

    fn to_message(&self) -> TrialSetupMessage {
        let trial = match self {
            Self::Games(setup) => TrialKindMessage::Games(setup.to_message()),
            Self::Record(setup) => TrialKindMessage::Record(setup.into()),
            Self::Train(setup) => TrialKindMessage::Train(Box::new((&**setup).into())),
        };
        TrialSetupMessage { trial: Some(trial) }
    }

    fn from_message(TrialSetupMessage { trial }: TrialSetupMessage) -> Result<Self, DecodeError> {
        match trial {
            Some(TrialKindMessage::Games(setup)) => {
                MatchSetup::from_message(setup).map(Self::Games)
            }
            Some(TrialKindMessage::Record(setup)) => setup.checked().map(Self::Record),
            Some(TrialKindMessage::Train(setup)) => {
                setup.checked().map(|setup| Self::Train(Box::new(setup)))
            }
            None => Err(DecodeError::field("trial", &"missing", "games or training")),
        }
    }

    fn message_parts(&self) -> Vec<Part> {
        match self {
            Self::Games(setup) => setup.message_parts(),
            Self::Record(setup) => setup.parts(),
            Self::Train(setup) => setup.parts(),
        }
    }
}

hatchery_core::message_value!(TrialSetup);

impl MessageValue for MatchSetup {
    type Message = MatchSetupMessage;

    fn to_message(&self) -> MatchSetupMessage {
        let Self { decks, agents, kept } = self;
        MatchSetupMessage {
            decks: decks.iter().copied().map(u32::from).collect(),
            agents: agents.iter().map(MatchAgentMessage::from).collect(),
            keeps_records: *kept == KeptRecords::All,
        }
    }

    fn from_message(message: MatchSetupMessage) -> Result<Self, DecodeError> {
        let MatchSetupMessage { decks, agents, keeps_records } = message;
        let [first, second] = two("decks", decks)?.map(checked_deck_number);
        let [agent, enemy] = two("agents", agents)?.map(MatchAgentMessage::checked);
        Ok(Self {
            decks: [first?, second?],
            agents: [agent?, enemy?],
            kept: if keeps_records { KeptRecords::All } else { KeptRecords::None },
        })
    }

    fn message_parts(&self) -> Vec<Part> {
        let mut parts: Vec<_> = self.agents.iter().flat_map(MatchAgent::parts).copied().collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}

hatchery_core::message_value!(MatchSetup);

/// Returns the number of a deck: whether the run has it shows when the trial begins.
fn checked_deck_number(number: u32) -> Result<u16, DecodeError> {
    let small = u16::try_from(number).ok();
    let small = small.filter(|number| usize::from(*number) < DeckTable::MAX_DECKS);
    let expected = || format!("below {}", DeckTable::MAX_DECKS);
    small.ok_or_else(|| DecodeError::field("decks", &number, expected()))
}

/// Returns the two elements of a list.
fn two<T>(field: &'static str, list: Vec<T>) -> Result<[T; 2], DecodeError> {
    let n = list.len();
    list.try_into().map_err(|_| DecodeError::field(field, &n, "2 of them"))
}
