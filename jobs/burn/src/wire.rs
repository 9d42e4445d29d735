//! Shared input, subjects and tallies on the wire: decoded values are checked.

use hatchery_core::{DecodeError, Part, PartMessage, Tally, WireValue};
use prost::bytes::Bytes;

/// The most bytes of a shared input, of a part, and of a trial's tally.
const MAX_BYTES: usize = 60_000_000;

/// The most parts of a subject.
const MAX_PARTS: usize = 4096;

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
        check_length("bytes", &message.bytes)?;
        Ok(message)
    }
}

/// What each trial of a series does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BurnSubject {
    /// Its number of rounds.
    pub(crate) rounds: u64,
    /// The parts of which it reads one.
    pub(crate) parts: Vec<Part>,
    /// The bytes of the part that it writes, if it writes one.
    pub(crate) part_bytes: Option<u32>,
    /// The bytes that it adds to its tally.
    pub(crate) tally_bytes: u32,
    /// The run's input, if it has one.
    pub(crate) input: Option<Part>,
}

/// A [`BurnSubject`] in a protobuf message.
#[derive(Clone, PartialEq, prost::Message)]
pub struct BurnSubjectMessage {
    #[prost(uint64, tag = "1")]
    rounds: u64,
    #[prost(message, repeated, tag = "2")]
    parts: Vec<PartMessage>,
    #[prost(uint32, optional, tag = "3")]
    part_bytes: Option<u32>,
    #[prost(uint32, tag = "4")]
    tally_bytes: u32,
    #[prost(message, optional, tag = "5")]
    input: Option<PartMessage>,
}

impl WireValue for BurnSubject {
    type Message = BurnSubjectMessage;

    fn to_message(&self) -> BurnSubjectMessage {
        let Self { rounds, ref parts, part_bytes, tally_bytes, input } = *self;
        let parts = parts.iter().map(Part::to_message).collect();
        let input = input.map(|input| input.to_message());
        BurnSubjectMessage { rounds, parts, part_bytes, tally_bytes, input }
    }

    fn from_message(message: BurnSubjectMessage) -> Result<Self, DecodeError> {
        let BurnSubjectMessage { rounds, parts, part_bytes, tally_bytes, input } = message;
        check_number("parts", parts.len(), MAX_PARTS)?;
        check_number("part_bytes", part_bytes.unwrap_or(0) as usize, MAX_BYTES)?;
        check_number("tally_bytes", tally_bytes as usize, MAX_BYTES)?;
        let parts = parts.into_iter().map(Part::from_message).collect::<Result<_, _>>()?;
        let input = input.map(Part::from_message).transpose()?;
        Ok(Self { rounds, parts, part_bytes, tally_bytes, input })
    }

    fn parts(&self) -> Vec<Part> {
        self.input.iter().chain(&self.parts).copied().collect()
    }
}

/// The ends of trials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BurnTally {
    /// The number of trials.
    pub(crate) trials: u64,
    /// The sum of their ends, modulo 2^64.
    pub(crate) sum: u64,
    /// The parts that they wrote, in their order.
    pub(crate) written: Vec<Part>,
    /// The bytes that they added, in their order.
    pub(crate) filling: Vec<Bytes>,
}

/// A [`BurnTally`] in a protobuf message.
#[derive(Clone, PartialEq, prost::Message)]
pub struct BurnTallyMessage {
    #[prost(uint64, tag = "1")]
    trials: u64,
    #[prost(fixed64, tag = "2")]
    sum: u64,
    #[prost(message, repeated, tag = "3")]
    written: Vec<PartMessage>,
    #[prost(bytes = "bytes", repeated, tag = "4")]
    filling: Vec<Bytes>,
}

impl WireValue for BurnTally {
    type Message = BurnTallyMessage;

    fn to_message(&self) -> BurnTallyMessage {
        let written = self.written.iter().map(Part::to_message).collect();
        let Self { trials, sum, filling, .. } = self;
        BurnTallyMessage { trials: *trials, sum: *sum, written, filling: filling.clone() }
    }

    fn from_message(message: BurnTallyMessage) -> Result<Self, DecodeError> {
        let BurnTallyMessage { trials, sum, written, filling } = message;
        if trials == 0 {
            return Err(DecodeError::field("trials", &trials, "1 or more"));
        }
        let most = usize::try_from(trials).unwrap_or(usize::MAX);
        check_number("written", written.len(), most)?;
        check_number("filling", filling.len(), most)?;
        filling.iter().try_for_each(|bytes| check_length("filling", bytes))?;
        let written = written.into_iter().map(Part::from_message).collect::<Result<_, _>>()?;
        Ok(Self { trials, sum, written, filling })
    }

    fn parts(&self) -> Vec<Part> {
        self.written.clone()
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

fn check_length(field: &'static str, bytes: &Bytes) -> Result<(), DecodeError> {
    match bytes.len() {
        0..=MAX_BYTES => Ok(()),
        n => Err(DecodeError::field(field, &format!("{n} long"), "at most 60000000 long")),
    }
}

fn check_number(field: &'static str, n: usize, most: usize) -> Result<(), DecodeError> {
    match n <= most {
        true => Ok(()),
        false => Err(DecodeError::field(field, &n, format!("at most {most}"))),
    }
}
