//! What the experiment sends, and what becomes of it with a flaw.

use hatchery_core::{DecodeError, Tally, WireValue};
use prost::Message;

use crate::study::{Flaw, has};

/// The shared input: a number of sides.
#[derive(Debug)]
pub(crate) struct Sides {
    pub(crate) sides: u32,
}

/// A subject: a bonus from 0 to 2.
#[derive(Debug)]
pub(crate) struct Player {
    pub(crate) bonus: u32,
}

/// A tally: all rolls in their order, and the best.
#[derive(Debug)]
pub(crate) struct Rolls {
    pub(crate) rolls: Vec<u32>,
    pub(crate) best: u32,
    /// What a flawed tally does not send.
    pub(crate) n_absorbed: u32,
}

/// What a number is sent as.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct NumberMessage {
    #[prost(uint32, tag = "1")]
    number: u32,
}

/// What [`Rolls`] are sent as.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RollsMessage {
    #[prost(uint32, repeated, tag = "1")]
    rolls: Vec<u32>,
    #[prost(uint32, tag = "2")]
    best: u32,
}

impl WireValue for Sides {
    type Message = NumberMessage;

    fn to_message(&self) -> NumberMessage {
        NumberMessage { number: self.sides }
    }

    fn from_message(NumberMessage { number }: NumberMessage) -> Result<Self, DecodeError> {
        match number {
            0 => Err(DecodeError::field("sides", &number, "at least 1")),
            sides => Ok(Self { sides }),
        }
    }
}

impl WireValue for Player {
    type Message = NumberMessage;

    fn to_message(&self) -> NumberMessage {
        NumberMessage { number: self.bonus }
    }

    fn from_message(NumberMessage { number }: NumberMessage) -> Result<Self, DecodeError> {
        if has(Flaw::DecodePanics) {
            assert!(number < 3, "the bonus is {number}");
        }
        match number {
            _ if has(Flaw::DecodesLess) => Ok(Self { bonus: 0 }),
            0..3 => Ok(Self { bonus: number }),
            _ => Err(DecodeError::field("bonus", &number, "from 0 to 2")),
        }
    }

    fn decode(mut bytes: &[u8]) -> Result<Self, DecodeError> {
        let message = NumberMessage::decode_length_delimited(&mut bytes);
        match message {
            Ok(_) if !has(Flaw::DecodesMore) && !bytes.is_empty() => {
                Err(DecodeError::Trailing { what: "Player", n_bytes: bytes.len() })
            }
            Ok(message) => Self::from_message(message),
            Err(_) if has(Flaw::DecodesPrefix) => Ok(Self { bonus: 0 }),
            Err(source) => Err(DecodeError::Protobuf { what: "Player", source }),
        }
    }
}

impl WireValue for Rolls {
    type Message = RollsMessage;

    fn to_message(&self) -> RollsMessage {
        let hidden = if has(Flaw::HidesCount) { self.n_absorbed } else { 0 };
        RollsMessage { rolls: self.rolls.clone(), best: self.best + hidden }
    }

    fn from_message(RollsMessage { rolls, best }: RollsMessage) -> Result<Self, DecodeError> {
        match rolls[..] {
            [] => Err(DecodeError::field("rolls", &"empty", "at least one")),
            _ => Ok(Self { rolls, best, n_absorbed: 0 }),
        }
    }
}

impl Tally for Rolls {
    fn n_trials(&self) -> u64 {
        let n_rolls = self.rolls.len() as u64;
        if has(Flaw::CountsOneTrial) { 1 } else { n_rolls }
    }

    fn absorb(&mut self, later: Self) {
        self.rolls.extend(later.rolls);
        self.best = match () {
            () if has(Flaw::AbsorbsMean) => u32::midpoint(self.best, later.best),
            () if has(Flaw::AddsBests) => self.best + later.best,
            () => self.best.max(later.best),
        };
        self.n_absorbed += 1 + later.n_absorbed;
    }
}
