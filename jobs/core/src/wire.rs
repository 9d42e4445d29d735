//! The encoding of a game's values between processes.

use std::fmt::Display;

use prost::Message;

use crate::digest::Digest;
use crate::part::{MAX_PART_BYTES, Part};

/// A value that can be sent to another machine: a shared input, a subject or a tally.
///
/// The type itself holds only valid values; its `Message` is sent. Bytes from the network are
/// hostile until [`WireValue::from_message`] has checked them.
pub trait WireValue: Sized + Send + Sync + 'static {
    /// The protobuf message of this value: without maps, so that equal values have equal bytes.
    type Message: Message + Default;

    /// Returns the message for this value.
    fn to_message(&self) -> Self::Message;

    /// Returns the value of `message`.
    ///
    /// # Errors
    /// If the message holds no valid value: the error names the field and the values allowed.
    fn from_message(message: Self::Message) -> Result<Self, DecodeError>;

    /// Returns the parts that this value names: none by default.
    fn parts(&self) -> Vec<Part> {
        Vec::new()
    }

    /// Returns the bytes of this value: the length of its message, then the message, so that no
    /// prefix is valid.
    fn encode(&self) -> Vec<u8> {
        self.to_message().encode_length_delimited_to_vec()
    }

    /// Returns the value that `bytes` encode.
    ///
    /// # Errors
    /// If `bytes` are not exactly one valid value, or not the bytes that the value itself encodes
    /// to: protobuf overlooks unknown fields and has several encodings of a number.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (what, mut rest) = (type_name::<Self>(), bytes);
        let message = Self::Message::decode_length_delimited(&mut rest)
            .map_err(|source| DecodeError::Protobuf { what, source })?;
        if !rest.is_empty() {
            return Err(DecodeError::Trailing { what, n_bytes: rest.len() });
        }
        let value = Self::from_message(message)?;
        if value.encode() != bytes {
            return Err(DecodeError::OtherEncoding { what });
        }
        Ok(value)
    }
}

/// Nothing at all: the shared input of an experiment that has none.
impl WireValue for () {
    type Message = ();

    fn to_message(&self) {}

    fn from_message((): ()) -> Result<Self, DecodeError> {
        Ok(())
    }
}

/// A [`Part`] in a protobuf message.
#[derive(Clone, PartialEq, prost::Message)]
pub struct PartMessage {
    /// The hash: 32 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub hash: Vec<u8>,
    /// The number of bytes: at most [`MAX_PART_BYTES`].
    #[prost(uint64, tag = "2")]
    pub n_bytes: u64,
}

impl WireValue for Part {
    type Message = PartMessage;

    fn to_message(&self) -> PartMessage {
        PartMessage { hash: self.hash().as_bytes().to_vec(), n_bytes: self.n_bytes() }
    }

    fn from_message(PartMessage { hash, n_bytes }: PartMessage) -> Result<Self, DecodeError> {
        Self::from_wire(&hash, n_bytes)
    }

    fn parts(&self) -> Vec<Part> {
        vec![*self]
    }
}

impl Part {
    /// Returns the part whose hash and number of bytes came in a message.
    ///
    /// # Errors
    /// If they name no part.
    pub fn from_wire(hash: &[u8], n_bytes: u64) -> Result<Self, DecodeError> {
        let wrong = || DecodeError::field("hash", &format!("{} bytes long", hash.len()), "32");
        let hash = Digest::from_bytes(hash).ok_or_else(wrong)?;
        let large =
            |_| DecodeError::field("n_bytes", &n_bytes, format!("at most {MAX_PART_BYTES}"));
        Self::new(hash, n_bytes).map_err(large)
    }
}

/// An error for bytes that encode no valid value.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The bytes are not a protobuf message of the expected kind.
    #[error("malformed {what}")]
    Protobuf {
        /// The type that was expected.
        what: &'static str,
        /// The decoder's error.
        source: prost::DecodeError,
    },
    /// The bytes are not a state of the expected kind.
    #[error("malformed {what}")]
    State {
        /// The type that was expected.
        what: &'static str,
        /// The decoder's error.
        source: postcard::Error,
    },
    /// Bytes follow a whole value.
    #[error("{n_bytes} bytes too many after {what}")]
    Trailing {
        /// The type that was expected.
        what: &'static str,
        /// The number of bytes too many.
        n_bytes: usize,
    },
    /// The bytes say a valid value in another way than its own encoding.
    #[error("another encoding of {what} than its own")]
    OtherEncoding {
        /// The type that was expected.
        what: &'static str,
    },
    /// A field holds a value that is not allowed.
    #[error("{field} is {value}, but must be {expected}")]
    Field {
        /// The field's name.
        field: &'static str,
        /// The field's value.
        value: String,
        /// A description of the values allowed.
        expected: String,
    },
}

impl DecodeError {
    /// Returns the error for `field` holding `value` where `expected` would be right.
    pub fn field(
        field: &'static str,
        value: &(impl Display + ?Sized),
        expected: impl Into<String>,
    ) -> Self {
        Self::Field { field, value: value.to_string(), expected: expected.into() }
    }
}

/// Returns the type's name without its path and parameters: `Tally`, not
/// `hatchery_pig::wire::Tally`.
pub(crate) fn type_name<T>() -> &'static str {
    let full = std::any::type_name::<T>();
    let path = full.split('<').next().unwrap_or(full);
    path.rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    // Not all: `prost::Message` has functions of the same names.
    use super::{DecodeError, Part, PartMessage, WireValue, type_name};

    /// A die with at least one side.
    #[derive(Clone, PartialEq, prost::Message)]
    struct Die {
        #[prost(uint32, tag = "1")]
        sides: u32,
        #[prost(string, tag = "2")]
        name: String,
    }

    impl WireValue for Die {
        type Message = Self;

        fn to_message(&self) -> Self {
            self.clone()
        }

        fn from_message(message: Self) -> Result<Self, DecodeError> {
            match message.sides {
                0 => Err(DecodeError::field("sides", &0, "at least 1")),
                _ => Ok(message),
            }
        }
    }

    fn die() -> Die {
        Die { sides: 20, name: "d20".to_owned() }
    }

    /// Field 1 as a varint, field 2 as a string of 3 bytes, all behind the length.
    #[test]
    fn values_are_messages_behind_their_length() {
        assert_eq!(die().encode(), b"\x07\x08\x14\x12\x03d20");
        assert_eq!(Die::decode(&die().encode()).unwrap(), die());
        assert_eq!(().encode(), [0]);
        assert!(<()>::decode(&[0]).is_ok());
    }

    #[test]
    fn what_is_no_whole_value_is_refused() {
        let bytes = die().encode();
        for n_bytes in 0..bytes.len() {
            let error = Die::decode(&bytes[..n_bytes]).unwrap_err();
            assert_eq!(error.to_string(), "malformed Die", "{n_bytes} bytes");
        }
        for (bytes, expected) in [
            ([&bytes[..], &[0, 0]].concat(), "2 bytes too many after Die"),
            (vec![0], "sides is 0, but must be at least 1"),
            // A length far behind the end, as a hostile sender might write it.
            (vec![0xff, 0xff, 0xff, 0xff, 0x0f, 0x08], "malformed Die"),
            // A name that is not UTF-8.
            (b"\x05\x08\x14\x12\x01\xff".to_vec(), "malformed Die"),
            // An unknown field; a number in two bytes instead of one; an empty name, written out.
            (b"\x04\x08\x14\x18\x01".to_vec(), "another encoding of Die than its own"),
            (b"\x03\x08\x94\x00".to_vec(), "another encoding of Die than its own"),
            (b"\x04\x08\x14\x12\x00".to_vec(), "another encoding of Die than its own"),
        ] {
            assert_eq!(Die::decode(&bytes).unwrap_err().to_string(), expected);
        }
        assert!(<()>::decode(&[]).is_err());
    }

    #[test]
    fn parts_are_their_names() {
        let part = Part::of(&[7; 1000]);
        assert_eq!((Part::decode(&part.encode()).unwrap(), part.parts()), (part, vec![part]));
        let message = |hash, n_bytes| PartMessage { hash, n_bytes };
        for (message, expected) in [
            (message(vec![0; 31], 1), "hash is 31 bytes long, but must be 32"),
            (message(vec![0; 32], 1 << 27), "n_bytes is 134217728, but must be at most 67108864"),
        ] {
            assert_eq!(Part::from_message(message).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn names_of_types_have_no_path_and_no_parameters() {
        assert_eq!(type_name::<Die>(), "Die");
        assert_eq!(type_name::<Vec<Die>>(), "Vec");
        assert_eq!(type_name::<()>(), "()");
    }

    proptest! {
        #[test]
        fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(die) = Die::decode(&bytes) {
                prop_assert_eq!(die.encode(), bytes);
            }
        }
    }
}
