//! Encodings of pieces on the wire.

use hatchery_core::part::Part;
use hatchery_core::{DecodeError, PartMessage};

use super::fields::{part, within};
use crate::pool::MAX_KINDS;
use crate::setup::TrainingEncoding;

/// A [`TrainingEncoding`] on the wire.
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum TrainingEncodingMessage {
    /// [`TrainingEncoding::Vectors`].
    #[prost(message, tag = "1")]
    Vectors(PartMessage),
    /// [`TrainingEncoding::PoolOneHot`].
    #[prost(uint32, tag = "2")]
    PoolOneHot(u32),
    /// [`TrainingEncoding::DeckOneHot`].
    #[prost(bool, tag = "3")]
    DeckOneHot(bool),
}

impl From<&TrainingEncoding> for TrainingEncodingMessage {
    fn from(encoding: &TrainingEncoding) -> Self {
        match encoding {
            TrainingEncoding::Vectors(file) => Self::Vectors(Part::to_message(file)),
            TrainingEncoding::PoolOneHot { kinds } => Self::PoolOneHot(*kinds),
            TrainingEncoding::DeckOneHot => Self::DeckOneHot(true),
        }
    }
}

impl TrainingEncodingMessage {
    pub(super) fn checked(message: Option<Self>) -> Result<TrainingEncoding, DecodeError> {
        match message {
            Some(Self::Vectors(file)) => {
                Ok(TrainingEncoding::Vectors(part("encoding", Some(file))?))
            }
            Some(Self::PoolOneHot(kinds)) => {
                within("kinds", kinds.into(), 1, MAX_KINDS as u64)?;
                Ok(TrainingEncoding::PoolOneHot { kinds })
            }
            Some(Self::DeckOneHot(true)) => Ok(TrainingEncoding::DeckOneHot),
            _ => Err(DecodeError::field("encoding", &"missing", "an encoding of pieces")),
        }
    }
}
