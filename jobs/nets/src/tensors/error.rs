//! Errors of files of tensors.

use hatchery_core::text::excerpt;

/// The longest header of a file, in bytes: some ten thousand tensors.
pub const MAX_HEADER_BYTES: usize = 1 << 20;

/// Bytes that are no file of tensors, or a file without the tensors that are needed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TensorError {
    /// The bytes end before the header does.
    #[error("tensors are cut short: {len} bytes, but the header ends at byte {end}")]
    Truncated {
        /// The number of bytes.
        len: usize,
        /// The number of bytes that the beginning asks for.
        end: usize,
    },
    /// The header is longer than allowed.
    #[error("header of tensors has {len} bytes, but must have at most {MAX_HEADER_BYTES}")]
    LongHeader {
        /// The length that the file claims.
        len: u64,
    },
    /// The header is not JSON, or not a header of tensors.
    #[error("header of tensors is malformed at byte {byte}")]
    MalformedHeader {
        /// The number of bytes of the header up to the place where it stops to make sense.
        byte: usize,
    },
    /// A tensor has numbers of another type.
    #[error("tensor {} has type {}, but must have F32", excerpt(name), excerpt(dtype))]
    Dtype {
        /// The tensor.
        name: String,
        /// The type of its numbers.
        dtype: String,
    },
    /// A tensor's bytes do not begin where the previous tensor's bytes end.
    #[error(
        "tensor {} lies at bytes {start} to {end}, but must begin at {expected}",
        excerpt(name)
    )]
    Offsets {
        /// The tensor.
        name: String,
        /// The first byte.
        start: usize,
        /// The end of its bytes.
        end: usize,
        /// The end of the tensor before it.
        expected: usize,
    },
    /// A tensor has more or fewer bytes than its shape needs.
    #[error("tensor {} has {len} bytes, but its shape needs {}", excerpt(name), n_bytes(*needed))]
    Size {
        /// The tensor.
        name: String,
        /// The number of bytes that its offsets span.
        len: usize,
        /// The number of bytes that its shape needs; `None` if it is not a `usize`.
        needed: Option<usize>,
    },
    /// The tensors do not make up the bytes behind the header.
    #[error("tensors make up {used} bytes, but there are {len} behind the header")]
    DataLen {
        /// The end of the last tensor.
        used: usize,
        /// The number of bytes behind the header.
        len: usize,
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

/// Returns a number of bytes in words.
fn n_bytes(needed: Option<usize>) -> String {
    needed.map_or_else(|| "more than can be counted".to_owned(), |n| n.to_string())
}
