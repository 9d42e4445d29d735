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
//! multiple of 8 bytes, so that equal files have equal bytes. The crate `safetensors` reads files.

use std::collections::BTreeMap;

use safetensors::tensor::{Dtype, SafeTensors, TensorInfo};

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
    /// If the header is malformed or too long, or does not account for each byte behind it exactly
    /// once, or if a value is not a finite 32-bit float.
    pub fn decode(bytes: &[u8]) -> Result<Self, TensorError> {
        check_header_len(bytes)?;
        let (header_len, header) = SafeTensors::read_metadata(bytes)
            .map_err(|error| TensorError::Malformed { reason: error.to_string() })?;
        let data = &bytes[PREFIX_BYTES + header_len..];
        // The crate has them in the order of a hash table.
        let infos: BTreeMap<_, _> = header.tensors().into_iter().collect();
        let tensors = infos.into_iter().map(|(name, info)| {
            let tensor = read_tensor(&name, info, data)?;
            Ok((name, tensor))
        });
        let tensors = tensors.collect::<Result<_, _>>()?;
        let metadata = header.metadata().iter().flatten();
        let metadata = metadata.map(|(name, text)| (name.clone(), text.clone())).collect();
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

/// Checks the length of the header before it is parsed: the crate allows 100 MB.
fn check_header_len(bytes: &[u8]) -> Result<(), TensorError> {
    let prefix = bytes.first_chunk::<PREFIX_BYTES>();
    let len = prefix.map_or(0, |prefix| u64::from_le_bytes(*prefix));
    match usize::try_from(len) {
        Ok(0..=MAX_HEADER_BYTES) => Ok(()),
        Ok(_) | Err(_) => Err(TensorError::LongHeader { len }),
    }
}

/// Reads the tensor `name` of `data`, whose size has been checked.
fn read_tensor(name: &str, info: &TensorInfo, data: &[u8]) -> Result<Tensor, TensorError> {
    if info.dtype != Dtype::F32 {
        let dtype = info.dtype.to_string();
        return Err(TensorError::Dtype { name: name.to_owned(), dtype });
    }
    let (start, end) = info.data_offsets;
    let (chunks, _) = data[start..end].as_chunks();
    let values: Vec<_> = chunks.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(TensorError::NotFinite { name: name.to_owned(), index }),
        None => Ok(Tensor { shape: info.shape.clone(), values }),
    }
}
