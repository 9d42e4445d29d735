//! What the experiment sends, and what becomes of it with a flaw.

use hatchery_core::{DecodeError, Part, PartMessage, Tally, WireValue};
use prost::Message;

use crate::study::{Flaw, has};

/// The shared input: a number of sides.
#[derive(Debug)]
pub(crate) struct Sides {
    pub(crate) sides: u32,
}

/// A subject: a bonus from 0 to 2, and what the player wrote in the round before.
#[derive(Debug)]
pub(crate) struct Player {
    pub(crate) bonus: u32,
    pub(crate) page: Option<Part>,
}

/// A tally: all rolls in their order, and the best.
#[derive(Debug)]
pub(crate) struct Rolls {
    pub(crate) rolls: Vec<u32>,
    pub(crate) best: u32,
    /// What the player wrote after each roll.
    pub(crate) pages: Vec<Part>,
    /// What a flawed tally does not send.
    pub(crate) n_absorbed: u32,
}

/// What a number is sent as.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct NumberMessage {
    #[prost(uint32, tag = "1")]
    number: u32,
}

/// What a [`Player`] is sent as.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct PlayerMessage {
    #[prost(uint32, tag = "1")]
    bonus: u32,
    #[prost(message, optional, tag = "2")]
    page: Option<PartMessage>,
}

/// What [`Rolls`] are sent as.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RollsMessage {
    #[prost(uint32, repeated, tag = "1")]
    rolls: Vec<u32>,
    #[prost(uint32, tag = "2")]
    best: u32,
    #[prost(message, repeated, tag = "3")]
    pages: Vec<PartMessage>,
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
    type Message = PlayerMessage;

    fn to_message(&self) -> PlayerMessage {
        PlayerMessage { bonus: self.bonus, page: self.page.map(|page| page.to_message()) }
    }

    fn from_message(PlayerMessage { bonus, page }: PlayerMessage) -> Result<Self, DecodeError> {
        if has(Flaw::DecodePanics) {
            assert!(bonus < 3, "the bonus is {bonus}");
        }
        let page = page.map(Part::from_message).transpose()?;
        match bonus {
            _ if has(Flaw::DecodesLess) => Ok(Self { bonus: 0, page }),
            0..3 => Ok(Self { bonus, page }),
            _ => Err(DecodeError::field("bonus", &bonus, "from 0 to 2")),
        }
    }

    fn parts(&self) -> Vec<Part> {
        self.page.into_iter().collect()
    }

    fn decode(mut bytes: &[u8]) -> Result<Self, DecodeError> {
        let message = PlayerMessage::decode_length_delimited(&mut bytes);
        match message {
            Ok(_) if !has(Flaw::DecodesMore) && !bytes.is_empty() => {
                Err(DecodeError::Trailing { what: "Player", n_bytes: bytes.len() })
            }
            Ok(message) => Self::from_message(message),
            Err(_) if has(Flaw::DecodesPrefix) => Ok(Self { bonus: 0, page: None }),
            Err(source) => Err(DecodeError::Protobuf { what: "Player", source }),
        }
    }
}

impl WireValue for Rolls {
    type Message = RollsMessage;

    fn to_message(&self) -> RollsMessage {
        let hidden = if has(Flaw::HidesCount) { self.n_absorbed } else { 0 };
        let pages = self.pages.iter().map(Part::to_message).collect();
        RollsMessage { rolls: self.rolls.clone(), best: self.best + hidden, pages }
    }

    fn from_message(message: RollsMessage) -> Result<Self, DecodeError> {
        let RollsMessage { rolls, best, pages } = message;
        let pages = pages.into_iter().map(Part::from_message).collect::<Result<_, _>>()?;
        match rolls[..] {
            [] => Err(DecodeError::field("rolls", &"empty", "at least one")),
            _ => Ok(Self { rolls, best, pages, n_absorbed: 0 }),
        }
    }

    fn parts(&self) -> Vec<Part> {
        let n_named = self.pages.len() - usize::from(has(Flaw::TallyHidesPart));
        self.pages[..n_named].to_vec()
    }
}

impl Tally for Rolls {
    fn n_trials(&self) -> u64 {
        let n_rolls = self.rolls.len() as u64;
        if has(Flaw::CountsOneTrial) { 1 } else { n_rolls }
    }

    fn absorb(&mut self, later: Self) {
        self.rolls.extend(later.rolls);
        self.pages.extend(later.pages);
        self.best = match () {
            () if has(Flaw::AbsorbsMean) => u32::midpoint(self.best, later.best),
            () if has(Flaw::AddsBests) => self.best + later.best,
            () => self.best.max(later.best),
        };
        self.n_absorbed += 1 + later.n_absorbed;
    }
}
