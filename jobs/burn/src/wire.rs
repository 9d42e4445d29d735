//! Subjects and tallies on the wire: what is decoded is checked.

use hatchery_core::{Malformed, Tally, Wire};

/// How many rounds a trial has.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Rounds {
    #[prost(uint32, tag = "1")]
    pub(crate) rounds: u32,
}

impl Wire for Rounds {
    type Message = Self;

    fn to_message(&self) -> Self {
        self.clone()
    }

    fn from_message(message: Self) -> Result<Self, Malformed> {
        Ok(message)
    }
}

/// How many trials there were, and the sum of where they came to, modulo 2^64.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Ends {
    #[prost(uint64, tag = "1")]
    pub(crate) trials: u64,
    #[prost(fixed64, tag = "2")]
    pub(crate) sum: u64,
}

impl Wire for Ends {
    type Message = Self;

    fn to_message(&self) -> Self {
        self.clone()
    }

    fn from_message(message: Self) -> Result<Self, Malformed> {
        if message.trials == 0 {
            return Err(Malformed::field("trials", &message.trials, "1 or more"));
        }
        Ok(message)
    }
}

impl Tally for Ends {
    fn absorb(&mut self, later: Self) {
        self.trials += later.trials;
        self.sum = self.sum.wrapping_add(later.sum);
    }
}
