//! The values that the experiment sends, and their variants with a flaw.

use hatchery_core::wire::{MessageReader, MessageWriter, WireField as _};
use hatchery_core::{DecodeError, Part, Tally, WireValue};

use crate::study::{Flaw, has};

/// The shared input: a number of sides.
#[derive(Debug, WireValue)]
pub(crate) struct Sides {
    #[wire(tag = 1, range(min = 1))]
    pub(crate) sides: u32,
}

/// A subject: a bonus from 0 to 2, and the part that the player wrote in the round before.
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

/// What a [`Player`] without flaws is sent as.
#[derive(WireValue)]
struct SentPlayer {
    #[wire(tag = 1)]
    bonus: u32,
    #[wire(tag = 2)]
    page: Option<Part>,
}

impl WireValue for Player {
    fn write_fields(&self, message: &mut MessageWriter) {
        SentPlayer { bonus: self.bonus, page: self.page }.write_fields(message);
    }

    fn read_fields(message: &mut MessageReader<'_>) -> Result<Self, DecodeError> {
        let SentPlayer { bonus, page } = SentPlayer::read_fields(message)?;
        Ok(Self { bonus, page })
    }

    fn add_parts(&self, parts: &mut Vec<Part>) {
        parts.extend(self.page);
    }

    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let bytes = match SentPlayer::decode(bytes) {
            Err(DecodeError::Trailing { n_bytes, .. }) if has(Flaw::DecodesMore) => {
                &bytes[..bytes.len() - n_bytes]
            }
            Err(DecodeError::Malformed { .. }) if has(Flaw::DecodesPrefix) => {
                return Ok(Self { bonus: 0, page: None });
            }
            _ => bytes,
        };
        let SentPlayer { bonus, page } = SentPlayer::decode(bytes)?;
        if has(Flaw::DecodePanics) {
            assert!(bonus < 3, "the bonus is {bonus}");
        }
        match bonus {
            _ if has(Flaw::DecodesLess) => Ok(Self { bonus: 0, page }),
            0..3 => Ok(Self { bonus, page }),
            _ => Err(DecodeError::field("bonus", &bonus, "from 0 to 2")),
        }
    }
}

impl WireValue for Rolls {
    fn write_fields(&self, message: &mut MessageWriter) {
        let hidden = if has(Flaw::HidesCount) { self.n_absorbed } else { 0 };
        self.rolls.write_field(1, message);
        (self.best + hidden).write_field(2, message);
        self.pages.write_field(3, message);
    }

    fn read_fields(message: &mut MessageReader<'_>) -> Result<Self, DecodeError> {
        let rolls = Vec::read_field(1, "rolls", message)?;
        let best = u32::read_field(2, "best", message)?;
        let pages = Vec::read_field(3, "pages", message)?;
        match rolls[..] {
            [] => Err(DecodeError::field("rolls", &"empty", "at least one")),
            _ => Ok(Self { rolls, best, pages, n_absorbed: 0 }),
        }
    }

    fn add_parts(&self, parts: &mut Vec<Part>) {
        let n_named = self.pages.len() - usize::from(has(Flaw::TallyHidesPart));
        parts.extend(&self.pages[..n_named]);
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
