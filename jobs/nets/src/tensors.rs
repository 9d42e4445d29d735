//! Files of named tensors in the format safetensors, with 32-bit floats only.
//!
//! ```text
//! 0       8           8+n
//! | n: u64 | JSON header | values of all tensors, end to end |
//! {"__metadata__":{"name":"text"},"bias":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}
//! ```
//!
//! Integers and floats are little-endian; offsets count from the end of the header. Tensors and
//! metadata are written in the order of their names and the header is padded with spaces to a
//! multiple of 8 bytes, so that equal files have equal bytes. The crate and the Python package
//! `safetensors` use the same format: they read these files, and their files are read here.

use std::collections::BTreeMap;

mod error;
mod header;

pub use error::{MAX_HEADER_BYTES, TensorError};
use header::{Header, TensorEntry};

/// The length of the number that begins a file.
const PREFIX_BYTES: usize = size_of::<u64>();
/// The size of a value in bytes.
const VALUE_BYTES: usize = size_of::<f32>();

/// Named tensors, with text about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensorFile {
    /// Text by name.
    pub metadata: BTreeMap<String, String>,
    /// Tensors by name; none has the name `__metadata__`.
    pub tensors: BTreeMap<String, Tensor>,
}

/// An array of 32-bit floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The lengths by dimension; empty for a single number.
    pub shape: Vec<usize>,
    /// The values, the last dimension running fastest; their number is the product of `shape`.
    pub values: Vec<f32>,
}

impl Tensor {
    /// Returns the number of values that `shape` has, or `None` if it is not a `usize`.
    fn n_values(shape: &[usize]) -> Option<usize> {
        shape.iter().try_fold(1, |product: usize, &len| product.checked_mul(len))
    }
}

impl TensorFile {
    /// Returns the bytes of the file.
    ///
    /// Values are written as they are; [`Self::decode`] refuses values that are not finite.
    ///
    /// # Panics
    /// If a tensor has not as many values as its shape, or the name `__metadata__`, or if names and
    /// metadata need a longer header than [`MAX_HEADER_BYTES`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut end = 0;
        let entries = self.tensors.iter().map(|(name, tensor)| {
            let n_values = Tensor::n_values(&tensor.shape);
            assert_eq!(n_values, Some(tensor.values.len()), "{name} has the values of its shape");
            let start = end;
            end += VALUE_BYTES * tensor.values.len();
            (name.clone(), TensorEntry::floats(tensor.shape.clone(), [start, end]))
        });
        let entries = entries.collect();
        let header = Header { metadata: self.metadata.clone(), entries }.encode();
        assert!(header.len() <= MAX_HEADER_BYTES, "names and metadata are short");
        let mut bytes = Vec::with_capacity(PREFIX_BYTES + header.len() + end);
        bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&header);
        for tensor in self.tensors.values() {
            bytes.extend(tensor.values.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes
    }

    /// Reads the file that `bytes` are.
    ///
    /// Allocates a small multiple of the actual bytes, never of the claimed sizes. The order of
    /// tensors and metadata does not matter.
    ///
    /// # Errors
    /// If the header is malformed or too long, names a tensor twice, or does not account for each
    /// byte behind it exactly once, or if a value is not a finite 32-bit float.
    pub fn decode(bytes: &[u8]) -> Result<Self, TensorError> {
        let (header, data) = split_header(bytes)?;
        let Header { metadata, entries } = Header::decode(header)?;
        let mut in_order: Vec<_> = entries.into_iter().collect();
        in_order.sort_by_key(|(_, entry)| entry.data_offsets);
        let (mut tensors, mut used) = (BTreeMap::new(), 0);
        for (name, entry) in in_order {
            let tensor = read_tensor(&name, entry, data, &mut used)?;
            tensors.insert(name, tensor);
        }
        if used != data.len() {
            return Err(TensorError::DataLen { used, len: data.len() });
        }
        Ok(Self { metadata, tensors })
    }

    /// Returns the tensor with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn tensor(&self, name: &str) -> Result<&Tensor, TensorError> {
        self.tensors.get(name).ok_or_else(|| TensorError::Missing { name: name.to_owned() })
    }

    /// Reads a text of the metadata, which must be `expected`.
    pub(crate) fn read_metadata<T>(
        &self,
        name: String,
        expected: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, TensorError> {
        let text = self.metadata.get(&name);
        text.and_then(|text| read(text)).ok_or_else(|| {
            let value = text.cloned().unwrap_or_else(|| "missing".to_owned());
            TensorError::Metadata { name, value, expected }
        })
    }

    /// Adds a tensor under this name, replacing a tensor with the same name.
    ///
    /// # Panics
    /// If the number of values differs from the shape's.
    pub fn insert(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let n_values = Tensor::n_values(shape);
        assert_eq!(n_values, Some(values.len()), "{name} has the values of its shape");
        let tensor = Tensor { shape: shape.to_vec(), values: values.to_vec() };
        self.tensors.insert(name.to_owned(), tensor);
    }
}

/// Returns the header of the file and the bytes behind it.
fn split_header(bytes: &[u8]) -> Result<(&[u8], &[u8]), TensorError> {
    let Some((prefix, rest)) = bytes.split_first_chunk::<PREFIX_BYTES>() else {
        return Err(TensorError::Truncated { len: bytes.len(), end: PREFIX_BYTES });
    };
    let claimed = u64::from_le_bytes(*prefix);
    let len = usize::try_from(claimed).ok().filter(|&len| len <= MAX_HEADER_BYTES);
    let len = len.ok_or(TensorError::LongHeader { len: claimed })?;
    rest.split_at_checked(len)
        .ok_or(TensorError::Truncated { len: bytes.len(), end: PREFIX_BYTES + len })
}

/// Reads the tensor of `entry`, whose bytes must begin at `used`, and moves `used` to their end.
fn read_tensor(
    name: &str,
    entry: TensorEntry,
    data: &[u8],
    used: &mut usize,
) -> Result<Tensor, TensorError> {
    let TensorEntry { dtype, shape, data_offsets: [start, end] } = entry;
    if dtype != TensorEntry::F32 {
        return Err(TensorError::Dtype { name: name.to_owned(), dtype });
    }
    if start != *used || end < start {
        return Err(TensorError::Offsets { name: name.to_owned(), start, end, expected: *used });
    }
    let Some(bytes) = data.get(start..end) else {
        return Err(TensorError::DataLen { used: end, len: data.len() });
    };
    let needed = Tensor::n_values(&shape).and_then(|n| n.checked_mul(VALUE_BYTES));
    if needed != Some(bytes.len()) {
        return Err(TensorError::Size { name: name.to_owned(), len: bytes.len(), needed });
    }
    let (chunks, _) = bytes.as_chunks();
    let values: Vec<_> = chunks.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    if let Some(index) = values.iter().position(|value| !value.is_finite()) {
        return Err(TensorError::NotFinite { name: name.to_owned(), index });
    }
    *used = end;
    Ok(Tensor { shape, values })
}
