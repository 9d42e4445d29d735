//! The names of parts on the wire.

use crate::digest::Digest;
use crate::part::{LargeValue, MAX_PART_BYTES, Part};

use super::WireValue;
use super::error::DecodeError;
use super::field::{WireElement, WireField};
use super::message::{MessageReader, MessageWriter};

/// A [`Part`] in a message of `prost`: a farm's own records have it.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PartMessage {
    /// The hash: 32 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub hash: Vec<u8>,
    /// The number of bytes: at most [`MAX_PART_BYTES`].
    #[prost(uint64, tag = "2")]
    pub n_bytes: u64,
}

/// The same two fields as in a [`PartMessage`].
impl WireValue for Part {
    fn write_fields(&self, message: &mut MessageWriter) {
        message.delimited(1, self.hash().as_bytes());
        self.n_bytes().write_field(2, message);
    }

    fn read_fields(message: &mut MessageReader<'_>) -> Result<Self, DecodeError> {
        let hash = Vec::<u8>::read_field(1, "hash", message)?;
        Self::from_wire(&hash, u64::read_field(2, "n_bytes", message)?)
    }

    fn add_parts(&self, parts: &mut Vec<Part>) {
        parts.push(*self);
    }
}

impl Part {
    /// Returns the message for this part.
    #[must_use]
    pub fn to_message(&self) -> PartMessage {
        PartMessage { hash: self.hash().as_bytes().to_vec(), n_bytes: self.n_bytes() }
    }

    /// Returns the part of `message`.
    ///
    /// # Errors
    /// If the message names no part.
    pub fn from_message(PartMessage { hash, n_bytes }: PartMessage) -> Result<Self, DecodeError> {
        Self::from_wire(&hash, n_bytes)
    }

    /// Returns the part whose hash and number of bytes came in a message.
    ///
    /// # Errors
    /// If the hash and the number of bytes name no part.
    pub fn from_wire(hash: &[u8], n_bytes: u64) -> Result<Self, DecodeError> {
        let wrong = || DecodeError::field("hash", &format!("{} bytes long", hash.len()), "32");
        let hash = Digest::from_bytes(hash).ok_or_else(wrong)?;
        let large =
            |_| DecodeError::field("n_bytes", &n_bytes, format!("at most {MAX_PART_BYTES}"));
        Self::new(hash, n_bytes).map_err(large)
    }
}

/// The parts of a large value, as a list.
impl WireField for LargeValue {
    fn write_field(&self, tag: u32, message: &mut MessageWriter) {
        Part::write_list(self.parts(), tag, message);
    }

    fn read_field(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Self, DecodeError> {
        Part::read_list(tag, name, message).map(Self::new)
    }

    fn add_parts(&self, parts: &mut Vec<Part>) {
        parts.extend(self.parts());
    }
}
