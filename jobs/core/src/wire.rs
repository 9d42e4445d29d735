//! The encoding of a game's values between processes.
//!
//! A value is a message of protobuf without a schema file: the type itself declares the numbers of
//! its fields and the limits of their values.
//!
//! ```
//! use hatchery_core::WireValue;
//!
//! /// A die.
//! #[derive(Debug, PartialEq, WireValue)]
//! struct Die {
//!     /// The number of sides.
//!     #[wire(tag = 1, range(min = 2, max = 100))]
//!     sides: u32,
//!     /// The name.
//!     #[wire(tag = 2)]
//!     name: String,
//! }
//!
//! let die = Die { sides: 20, name: "d20".to_owned() };
//! assert_eq!(Die::decode(&die.encode()).unwrap(), die);
//! let wrong = Die { sides: 1, ..die };
//! let error = Die::decode(&wrong.encode()).unwrap_err();
//! assert_eq!(error.to_string(), "sides is 1, but must be from 2 to 100");
//! ```
//!
//! A type that is also written in specs declares its limits for the schema, as
//! `#[schemars(range(min = 2, max = 100))]`, and the derived reader takes the limits from there.
//! The crate `hatchery-derive` lists all attributes.

mod array;
mod error;
mod field;
mod limits;
mod message;
mod part;
#[cfg(test)]
mod tests;

use prost::Message;

use crate::part::Part;

pub use array::read_array;
pub use error::DecodeError;
pub use field::{WireChoice, WireElement, WireField, choice_of};
pub use hatchery_derive::{WireElement, WireValue};
pub use limits::{Length, check_length, check_range};
pub use message::{MessageReader, MessageWriter};
pub use part::PartMessage;
pub use prost::bytes::Bytes;

/// A value that can be sent to another machine: a shared input, a subject or a tally.
///
/// `#[derive(WireValue)]` implements it for structs and enums. Bytes from the network are hostile
/// until [`decode`](Self::decode) has checked them. After that, the type holds only valid values.
pub trait WireValue: Sized + Send + Sync + 'static {
    /// Writes the fields of the value in the order that [`read_fields`](Self::read_fields) expects.
    fn write_fields(&self, message: &mut MessageWriter);

    /// Reads the fields of a value.
    ///
    /// # Errors
    /// If there is no valid value: the error names the field and the allowed values.
    fn read_fields(message: &mut MessageReader<'_>) -> Result<Self, DecodeError>;

    /// Adds the parts that this value names: none by default.
    fn add_parts(&self, _parts: &mut Vec<Part>) {}

    /// Returns the parts that this value names.
    fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        self.add_parts(&mut parts);
        parts
    }

    /// Returns the bytes of this value: the length of its message, then the message, so that no
    /// prefix is valid.
    fn encode(&self) -> Vec<u8> {
        let mut message = MessageWriter::default();
        self.write_fields(&mut message);
        message.into_delimited()
    }

    /// Returns the value that `bytes` encode.
    ///
    /// # Errors
    /// If `bytes` are not exactly one valid value, or not the bytes that the value itself encodes
    /// to. Protobuf has several encodings of a number.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let what = type_name::<Self>();
        let message = MessageReader::of_delimited(bytes, what)?;
        let value = message.read_all(Self::read_fields)?;
        match value.encode() == bytes {
            true => Ok(value),
            false => Err(DecodeError::NotCanonical { what }),
        }
    }

    /// Returns the bytes of this value without their length: the content of a file.
    fn encode_message(&self) -> Vec<u8> {
        let mut message = MessageWriter::default();
        self.write_fields(&mut message);
        message.into_fields()
    }

    /// Returns the value that the `bytes` of a file encode.
    ///
    /// # Errors
    /// If `bytes` are no valid value, or not the bytes that the value itself encodes to.
    fn decode_message(bytes: &[u8]) -> Result<Self, DecodeError> {
        let what = type_name::<Self>();
        let value = MessageReader::of_fields(bytes, what).read_all(Self::read_fields)?;
        match value.encode_message() == bytes {
            true => Ok(value),
            false => Err(DecodeError::NotCanonical { what }),
        }
    }
}

/// Nothing at all: the shared input of an experiment without a shared input.
impl WireValue for () {
    fn write_fields(&self, _message: &mut MessageWriter) {}

    fn read_fields(_message: &mut MessageReader<'_>) -> Result<Self, DecodeError> {
        Ok(())
    }
}

impl<T: WireValue> WireValue for Box<T> {
    fn write_fields(&self, message: &mut MessageWriter) {
        T::write_fields(self, message);
    }

    fn read_fields(message: &mut MessageReader<'_>) -> Result<Self, DecodeError> {
        T::read_fields(message).map(Self::new)
    }

    fn add_parts(&self, parts: &mut Vec<Part>) {
        T::add_parts(self, parts);
    }
}

/// A value with a message of `prost` of its own.
pub trait MessageValue: Sized + Send + Sync + 'static {
    /// The protobuf message of this value: without maps, so that equal values have equal bytes.
    type Message: Message + Default;

    /// Returns the message for this value.
    fn to_message(&self) -> Self::Message;

    /// Returns the value of `message`.
    ///
    /// # Errors
    /// If the message holds no valid value: the error names the field and the allowed values.
    fn from_message(message: Self::Message) -> Result<Self, DecodeError>;

    /// Returns the parts that this value names: none by default.
    fn message_parts(&self) -> Vec<Part> {
        Vec::new()
    }
}

/// Implements [`WireValue`] for types with a [`MessageValue`].
#[macro_export]
macro_rules! message_value {
    ($($name:ty),*) => { $(
        impl $crate::WireValue for $name {
            fn write_fields(&self, message: &mut $crate::wire::MessageWriter) {
                $crate::wire::write_message(self, message);
            }

            fn read_fields(
                message: &mut $crate::wire::MessageReader<'_>,
            ) -> Result<Self, $crate::DecodeError> {
                $crate::wire::read_message(message)
            }

            fn add_parts(&self, parts: &mut Vec<$crate::Part>) {
                parts.extend($crate::MessageValue::message_parts(self));
            }
        }
    )* };
}

/// Writes the message of a value.
pub fn write_message<T: MessageValue>(value: &T, message: &mut MessageWriter) {
    message.encoded(&value.to_message().encode_to_vec());
}

/// Reads a value from its message.
///
/// # Errors
/// If the message holds no valid value.
pub fn read_message<T: MessageValue>(message: &mut MessageReader<'_>) -> Result<T, DecodeError> {
    let (rest, what) = message.take_rest();
    let message = T::Message::decode(rest).map_err(|_| DecodeError::Malformed { what })?;
    T::from_message(message)
}

/// Returns the type's name without its path and parameters: `Tally`, not
/// `hatchery_pig::wire::Tally`.
pub(crate) fn type_name<T>() -> &'static str {
    let full = std::any::type_name::<T>();
    let path = full.split('<').next().unwrap_or(full);
    path.rsplit("::").next().unwrap_or(path)
}
