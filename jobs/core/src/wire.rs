//! How a game's values travel between processes.

use std::fmt::Display;

use prost::Message;

/// A value that can be sent to another machine: a shared input, a subject or a tally.
///
/// The type itself holds only valid values; its `Message` is what is on the wire. Bytes from the
/// network are hostile until [`Wire::from_message`] has checked them.
pub trait Wire: Sized + Send + Sync + 'static {
    /// The protobuf message of this value. Without maps, so that equal values have equal bytes.
    type Message: Message + Default;

    /// The message that says this value.
    fn to_message(&self) -> Self::Message;

    /// The value that `message` says.
    ///
    /// # Errors
    /// If the message says no valid value: the error names the field and what would be right.
    fn from_message(message: Self::Message) -> Result<Self, Malformed>;

    /// The bytes of this value: its message behind its length, so that no prefix is valid.
    fn encode(&self) -> Vec<u8> {
        self.to_message().encode_length_delimited_to_vec()
    }

    /// The value that `bytes` say.
    ///
    /// # Errors
    /// If `bytes` are not exactly one valid value.
    fn decode(mut bytes: &[u8]) -> Result<Self, Malformed> {
        let message = Self::Message::decode_length_delimited(&mut bytes)
            .map_err(|source| Malformed::Protobuf { what: type_name::<Self>(), source })?;
        if !bytes.is_empty() {
            return Err(Malformed::Trailing { what: type_name::<Self>(), n_bytes: bytes.len() });
        }
        Self::from_message(message)
    }
}

/// Nothing at all: the shared input of an experiment that has none.
impl Wire for () {
    type Message = ();

    fn to_message(&self) {}

    fn from_message((): ()) -> Result<Self, Malformed> {
        Ok(())
    }
}

/// Bytes that say no valid value.
#[derive(Debug, thiserror::Error)]
pub enum Malformed {
    /// The bytes are no protobuf message of the expected kind.
    #[error("malformed {what}")]
    Protobuf {
        /// The type that was expected.
        what: &'static str,
        /// What the decoder says.
        source: prost::DecodeError,
    },
    /// The bytes are no state of the expected kind.
    #[error("malformed {what}")]
    State {
        /// The type that was expected.
        what: &'static str,
        /// What the decoder says.
        source: postcard::Error,
    },
    /// Bytes are left behind a whole value.
    #[error("{n_bytes} bytes too many behind {what}")]
    Trailing {
        /// The type that was expected.
        what: &'static str,
        /// How many bytes are left.
        n_bytes: usize,
    },
    /// A field holds a value that it must not hold.
    #[error("{field} is {value}, but must be {expected}")]
    Field {
        /// The field's name.
        field: &'static str,
        /// What it holds.
        value: String,
        /// What would be right.
        expected: String,
    },
}

impl Malformed {
    /// The error for `field` holding `value` where `expected` would be right.
    pub fn field(
        field: &'static str,
        value: &(impl Display + ?Sized),
        expected: impl Into<String>,
    ) -> Self {
        Self::Field { field, value: value.to_string(), expected: expected.into() }
    }
}

/// The type's name without its path: `Tally`, not `hatchery_pig::wire::Tally`.
pub(crate) fn type_name<T>() -> &'static str {
    let path = std::any::type_name::<T>();
    path.rsplit("::").next().unwrap_or(path)
}
