//! Errors of files of tensors.

use hatchery_core::text::excerpt;

/// The longest header of a file, in bytes: some ten thousand tensors.
pub const MAX_HEADER_BYTES: usize = 1 << 20;

/// Bytes that are no file of tensors, or a file without the tensors that are needed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
    /// The header is longer than allowed.
    #[error("header of tensors has {len} bytes, but must have at most {MAX_HEADER_BYTES}")]
    LongHeader {
        /// The length that the file claims.
        len: u64,
    },
    /// The bytes are no file of safetensors.
    #[error("not a file of safetensors: {reason:.200}")]
    Malformed {
        /// The reason, in the words of the crate `safetensors`.
        reason: String,
    },
    /// A tensor has numbers of another type.
    #[error("tensor {} has type {}, but must have F32", excerpt(name), excerpt(dtype))]
    Dtype {
        /// The tensor.
        name: String,
        /// The type of its numbers.
        dtype: String,
    },
    /// A tensor holds NaN or an infinity.
    #[error("value {index} of tensor {} is not finite", excerpt(name))]
    NotFinite {
        /// The tensor.
        name: String,
        /// The first such value.
        index: usize,
    },
    /// A tensor that is needed is not there.
    #[error("tensor {} is missing", excerpt(name))]
    Missing {
        /// The tensor.
        name: String,
    },
    /// A tensor does not fit to the others.
    #[error("tensor {} has shape {}, but must have {expected}", excerpt(name), excerpt(shape))]
    Shape {
        /// The tensor.
        name: String,
        /// Its shape, such as `[30, 256]`.
        shape: String,
        /// The shape that would be right, in words or numbers.
        expected: String,
    },
    /// A tensor belongs to nothing that was asked for.
    #[error("tensor {} is not part of the network", excerpt(name))]
    Unknown {
        /// The tensor.
        name: String,
    },
    /// A tensor has a value that its meaning does not allow.
    #[error("tensor {} has a value below 0 at {index}", excerpt(name))]
    Negative {
        /// The tensor.
        name: String,
        /// The first such value.
        index: usize,
    },
    /// A priority is not as it must be.
    #[error("priority {index} of tensor {} is not above 0 and at most the largest", excerpt(name))]
    Priority {
        /// The tensor.
        name: String,
        /// The first such value.
        index: usize,
    },
    /// A priority belongs to a missing item.
    #[error("tensor {} has a priority for item {number}, which is not there", excerpt(name))]
    NoItem {
        /// The tensor.
        name: String,
        /// The number of the item.
        number: u64,
    },
    /// A text of the metadata is not there, or not as it must be.
    #[error("metadata {} is {}, but must be {expected}", excerpt(name), excerpt(value))]
    Metadata {
        /// The name.
        name: String,
        /// The text, or `missing`.
        value: String,
        /// The values allowed.
        expected: &'static str,
    },
}
