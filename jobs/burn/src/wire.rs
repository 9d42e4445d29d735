//! Shared input, subjects and tallies on the wire: decoded values are checked.

use hatchery_core::{InvalidValue, Part, Tally, WireValue};
use prost::bytes::Bytes;

/// The shared input. A trial reads eight of its bytes.
#[derive(Clone, Debug, PartialEq, Eq, WireValue)]
pub struct BurnShared {
    #[wire(tag = 1, length(max = 60_000_000))]
    pub(crate) bytes: Bytes,
}

/// The work of a trial, the same for a whole series.
#[derive(Clone, Debug, Default, PartialEq, Eq, WireValue)]
#[wire(parts)]
pub struct BurnSubject {
    /// The number of rounds.
    #[wire(tag = 1)]
    pub(crate) rounds: u64,
    /// The parts. A trial reads a single part, which it draws.
    #[wire(tag = 2, length(max = 4096))]
    pub(crate) parts: Vec<Part>,
    /// The bytes of the part that a trial writes, if it writes one.
    #[wire(tag = 3, range(max = 60_000_000))]
    pub(crate) part_bytes: Option<u32>,
    /// The bytes that a trial adds to its tally.
    #[wire(tag = 4, range(max = 60_000_000))]
    pub(crate) tally_bytes: u32,
    /// The run's input, if it has one.
    #[wire(tag = 5)]
    pub(crate) input: Option<Part>,
}

impl BurnSubject {
    /// Returns the parts that a trial may read, the input first.
    fn named_parts(&self) -> impl Iterator<Item = Part> {
        self.input.iter().chain(&self.parts).copied()
    }
}

/// The results of trials.
#[derive(Clone, Debug, Default, PartialEq, Eq, WireValue)]
#[wire(check)]
pub struct BurnTally {
    /// The number of trials.
    #[wire(tag = 1, range(min = 1))]
    pub(crate) trials: u64,
    /// The sum of the trials' ends, modulo 2^64.
    #[wire(tag = 2, fixed)]
    pub(crate) sum: u64,
    /// The parts that the trials wrote, in their order.
    #[wire(tag = 3)]
    pub(crate) written: Vec<Part>,
    /// The bytes that the trials added, in their order.
    #[wire(tag = 4, inner(length(max = 60_000_000)))]
    pub(crate) filling: Vec<Bytes>,
}

impl BurnTally {
    fn check(&self) -> Result<(), InvalidValue> {
        for (key, n) in [("written", self.written.len()), ("filling", self.filling.len())] {
            InvalidValue::check_range(key, &(n as u64), &0, &self.trials)?;
        }
        Ok(())
    }
}

impl Tally for BurnTally {
    fn n_trials(&self) -> u64 {
        self.trials
    }

    fn absorb(&mut self, later: Self) {
        self.trials += later.trials;
        self.sum = self.sum.wrapping_add(later.sum);
        self.written.extend(later.written);
        self.filling.extend(later.filling);
    }
}
