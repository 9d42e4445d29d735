//! The errors for bytes that encode no valid value.

use std::fmt::Display;

use crate::invalid_value::InvalidValue;

/// An error for bytes that encode no valid value.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The bytes are no message of the expected kind: cut off, or of other types.
    #[error("malformed {what}")]
    Malformed {
        /// The type that was expected.
        what: &'static str,
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
    /// The bytes differ from the bytes that the value itself encodes to.
    #[error("{what} is not canonically encoded")]
    NotCanonical {
        /// The type that was expected.
        what: &'static str,
    },
    /// A field holds a value that is not allowed.
    #[error(transparent)]
    Value(#[from] InvalidValue),
}

/// The error type of a conversion that cannot fail.
impl From<std::convert::Infallible> for DecodeError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

impl DecodeError {
    /// Returns the error for `field` holding `value` where `expected` would be right.
    pub fn field(
        field: &str,
        value: &(impl Display + ?Sized),
        expected: impl Into<String>,
    ) -> Self {
        InvalidValue::new(field, value, expected).into()
    }

    /// Returns the error for a `field` that is missing.
    pub fn missing(field: &str, expected: &str) -> Self {
        Self::field(field, "missing", expected)
    }

    /// Returns the same error for a value in `group`; see [`InvalidValue::under`].
    #[must_use]
    pub fn under(self, group: &str) -> Self {
        match self {
            Self::Value(invalid) => Self::Value(invalid.under(group)),
            other => other,
        }
    }
}
