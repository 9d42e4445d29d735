//! The header of a file of tensors, as JSON.
//!
//! The crate `safetensors` writes metadata in the order of a hash table with a random key, so that
//! equal files would differ. Here equal files have equal bytes.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The name in a header under which metadata is.
const METADATA: &str = "__metadata__";
/// The length of a header is a multiple of this number of bytes.
const ALIGNMENT: usize = 8;

/// The header of a file of tensors.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) entries: BTreeMap<String, TensorEntry>,
}

/// The type, shape and place of a tensor.
#[derive(Debug, Serialize)]
pub(super) struct TensorEntry {
    pub(super) dtype: &'static str,
    pub(super) shape: Vec<usize>,
    /// The first byte and the end, from the end of the header.
    pub(super) data_offsets: [usize; 2],
}

impl TensorEntry {
    /// Returns the entry of a tensor of 32-bit floats.
    pub(super) fn floats(shape: Vec<usize>, data_offsets: [usize; 2]) -> Self {
        Self { dtype: "F32", shape, data_offsets }
    }
}

impl Header {
    /// Returns the JSON of the header, padded with spaces.
    ///
    /// # Panics
    /// If a tensor has the name of metadata.
    pub(super) fn encode(&self) -> Vec<u8> {
        assert!(!self.entries.contains_key(METADATA), "{METADATA} is no tensor");
        let mut json = serde_json::to_vec(self).expect("keys are strings");
        json.resize(json.len().next_multiple_of(ALIGNMENT), b' ');
        json
    }
}

impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.metadata.is_empty() {
            map.serialize_entry(METADATA, &self.metadata)?;
        }
        for (name, entry) in &self.entries {
            map.serialize_entry(name, entry)?;
        }
        map.end()
    }
}
