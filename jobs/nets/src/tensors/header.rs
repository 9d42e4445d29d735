//! The header of a file of tensors, as JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::TensorError;

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
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TensorEntry {
    pub(super) dtype: String,
    pub(super) shape: Vec<usize>,
    /// The first byte and the end, from the end of the header.
    pub(super) data_offsets: [usize; 2],
}

impl TensorEntry {
    /// The name of 32-bit floats.
    pub(super) const F32: &str = "F32";

    /// Returns the entry of a tensor of 32-bit floats.
    pub(super) fn floats(shape: Vec<usize>, data_offsets: [usize; 2]) -> Self {
        Self { dtype: Self::F32.to_owned(), shape, data_offsets }
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

    /// Reads a header.
    ///
    /// # Errors
    /// If it is no JSON object of tensors, or has a name twice.
    pub(super) fn decode(json: &[u8]) -> Result<Self, TensorError> {
        if json.first() != Some(&b'{') {
            return Err(TensorError::MalformedHeader { byte: 0 });
        }
        serde_json::from_slice(json)
            .map_err(|error| TensorError::MalformedHeader { byte: place_of(&error, json) })
    }
}

/// Returns the number of bytes of `json` up to the place of an error, which names its line, counted
/// from 1, and the bytes of that line.
fn place_of(error: &serde_json::Error, json: &[u8]) -> usize {
    let lines = json.split_inclusive(|byte| *byte == b'\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    before + error.column()
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

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeaderVisitor)
    }
}

/// Reads a header, whose values are tensors but for one.
struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensors by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
        let (mut metadata, mut entries) = (None, BTreeMap::new());
        while let Some(name) = map.next_key::<String>()? {
            let is_new = if name == METADATA {
                let Metadata(texts) = map.next_value()?;
                metadata.replace(texts).is_none()
            } else {
                entries.insert(name, map.next_value()?).is_none()
            };
            if !is_new {
                return Err(A::Error::custom("a name stands twice"));
            }
        }
        Ok(Header { metadata: metadata.unwrap_or_default(), entries })
    }
}

/// Texts by name, each name once.
struct Metadata(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MetadataVisitor)
    }
}

/// Reads texts by name.
struct MetadataVisitor;

impl<'de> Visitor<'de> for MetadataVisitor {
    type Value = Metadata;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("texts by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metadata, A::Error> {
        let mut texts = BTreeMap::new();
        while let Some((name, text)) = map.next_entry()? {
            if texts.insert(name, text).is_some() {
                return Err(A::Error::custom("a name stands twice"));
            }
        }
        Ok(Metadata(texts))
    }
}
