//! Shared input, subjects and tallies on the wire: decoded values are checked.

use hatchery_core::{DecodeError, Tally, WireValue};
use prost::bytes::Bytes;

/// The most bytes of a shared input.
const MAX_SHARED_BYTES: usize = 60_000_000;

/// The shared input: bytes of which each trial reads some.
#[derive(Clone, PartialEq, prost::Message)]
pub struct BurnShared {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) bytes: Bytes,
}

impl WireValue for BurnShared {
    type Message = Self;

    fn to_message(&self) -> Self {
        self.clone()
    }

    fn from_message(message: Self) -> Result<Self, DecodeError> {
        match message.bytes.len() {
            0..=MAX_SHARED_BYTES => Ok(message),
            n => Err(DecodeError::field("bytes", &format!("{n} long"), "at most 60000000 long")),
        }
    }
}

/// The rounds that each trial has.
#[derive(Clone, PartialEq, prost::Message)]
pub struct BurnSubject {
    #[prost(uint32, tag = "1")]
    pub(crate) rounds: u32,
}

impl WireValue for BurnSubject {
    type Message = Self;

    fn to_message(&self) -> Self {
        self.clone()
    }

    fn from_message(message: Self) -> Result<Self, DecodeError> {
        Ok(message)
    }
}

/// The number of trials, and the sum of their ends, modulo 2^64.
#[derive(Clone, PartialEq, prost::Message)]
pub struct BurnTally {
    #[prost(uint64, tag = "1")]
    pub(crate) trials: u64,
    #[prost(fixed64, tag = "2")]
    pub(crate) sum: u64,
}

impl WireValue for BurnTally {
    type Message = Self;

    fn to_message(&self) -> Self {
        self.clone()
    }

    fn from_message(message: Self) -> Result<Self, DecodeError> {
        if message.trials == 0 {
            return Err(DecodeError::field("trials", &message.trials, "1 or more"));
        }
        Ok(message)
    }
}

impl Tally for BurnTally {
    fn n_trials(&self) -> u64 {
        self.trials
    }

    fn absorb(&mut self, later: Self) {
        self.trials += later.trials;
        self.sum = self.sum.wrapping_add(later.sum);
    }
}
