//! Parts: large bytes that values name by their hash.
//!
//! A state, a shared input, a subject or a tally may hold [`Part`]s. Its own bytes include only the
//! hashes of the parts, so the digest of a run covers the parts at no cost for the farm. The bytes
//! of a part travel separately, and are kept once, however many values name the part.
//!
//! A trial reads and writes parts through its [`TrialContext`](crate::TrialContext). Plans, folds
//! and measures handle only the names of parts.

use std::collections::BTreeMap;
use std::fmt;

use prost::bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// The most bytes of a part. A [`LargeValue`] has several.
pub const MAX_PART_BYTES: usize = 64 << 20;

/// The bytes of a part that travel and are stored together; the last chunk may be shorter. A chunk
/// and its key fit into 256 KiB: stores allocate powers of two, and would otherwise take twice as
/// much.
pub const PART_CHUNK_BYTES: usize = 255 << 10;

/// The name of bytes: their hash and their number, at most [`MAX_PART_BYTES`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "(Digest, u64)", into = "(Digest, u64)")]
pub struct Part {
    hash: Digest,
    n_bytes: u64,
}

impl Part {
    /// Returns the name of `bytes`.
    ///
    /// # Panics
    /// If `bytes` has more than [`MAX_PART_BYTES`].
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self::new(Digest::of(bytes), bytes.len() as u64).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the name of `n_bytes` bytes with this hash.
    ///
    /// # Errors
    /// If `n_bytes` is above [`MAX_PART_BYTES`].
    pub fn new(hash: Digest, n_bytes: u64) -> Result<Self, PartTooLarge> {
        match n_bytes <= MAX_PART_BYTES as u64 {
            true => Ok(Self { hash, n_bytes }),
            false => Err(PartTooLarge { n_bytes }),
        }
    }

    /// Returns the hash of the bytes.
    #[must_use]
    pub fn hash(&self) -> Digest {
        self.hash
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Returns the number of chunks; no bytes are one empty chunk.
    #[must_use]
    pub fn n_chunks(&self) -> u32 {
        let n_chunks = self.n_bytes.div_ceil(PART_CHUNK_BYTES as u64).max(1);
        u32::try_from(n_chunks).unwrap_or(u32::MAX)
    }

    /// Returns the number of bytes of chunk number `index`; `None` if there is no such chunk.
    #[must_use]
    pub fn chunk_bytes(&self, index: u32) -> Option<usize> {
        let start = u64::from(index) * PART_CHUNK_BYTES as u64;
        let n_bytes = self.n_bytes.saturating_sub(start).min(PART_CHUNK_BYTES as u64);
        let is_there = index < self.n_chunks();
        is_there.then(|| usize::try_from(n_bytes).unwrap_or(usize::MAX))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.hash, self.n_bytes)
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Part({self})")
    }
}

impl From<Part> for (Digest, u64) {
    fn from(part: Part) -> Self {
        (part.hash, part.n_bytes)
    }
}

impl TryFrom<(Digest, u64)> for Part {
    type Error = PartTooLarge;

    fn try_from((hash, n_bytes): (Digest, u64)) -> Result<Self, PartTooLarge> {
        Self::new(hash, n_bytes)
    }
}

/// More bytes than a part holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a part of {n_bytes} bytes, but at most {MAX_PART_BYTES} are allowed")]
pub struct PartTooLarge {
    /// The number of bytes.
    pub n_bytes: u64,
}

/// Bytes that may be more than a part holds: the parts that the bytes are cut into, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LargeValue(Vec<Part>);

impl LargeValue {
    /// Returns the value that consists of the bytes of `parts`, in order.
    #[must_use]
    pub fn new(parts: Vec<Part>) -> Self {
        Self(parts)
    }

    /// Cuts `bytes` into pieces for parts. Each piece except the last has [`MAX_PART_BYTES`].
    pub fn pieces(bytes: &Bytes) -> impl Iterator<Item = Bytes> {
        let starts = (0..bytes.len().max(1)).step_by(MAX_PART_BYTES);
        starts.map(|start| bytes.slice(start..bytes.len().min(start + MAX_PART_BYTES)))
    }

    /// Returns the parts.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        self.0.iter().map(Part::n_bytes).sum()
    }
}

/// Parts with their bytes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct PartSet(BTreeMap<Part, Bytes>);

impl PartSet {
    /// Adds `bytes` and returns their name. Present bytes are not added again.
    ///
    /// # Panics
    /// If `bytes` has more than [`MAX_PART_BYTES`]: see [`add_large`](Self::add_large).
    pub fn add(&mut self, bytes: impl Into<Bytes>) -> Part {
        let bytes = bytes.into();
        let part = Part::of(&bytes);
        self.0.entry(part).or_insert(bytes);
        part
    }

    /// Adds any number of bytes, cut into parts.
    pub fn add_large(&mut self, bytes: impl Into<Bytes>) -> LargeValue {
        LargeValue(LargeValue::pieces(&bytes.into()).map(|piece| self.add(piece)).collect())
    }

    /// Adds `bytes`, whose name must be `part`.
    pub fn insert(&mut self, part: Part, bytes: Bytes) {
        self.0.insert(part, bytes);
    }

    /// Adds all parts of `others`.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Keeps `parts` and drops all other parts.
    pub fn retain(&mut self, parts: &[Part]) {
        self.0.retain(|part, _| parts.contains(part));
    }

    /// Returns the parts in `parts` that are present.
    #[must_use]
    pub fn select(&self, parts: &[Part]) -> Self {
        let found = parts.iter().filter_map(|part| Some((*part, self.get(part)?)));
        Self(found.collect())
    }

    /// Returns the bytes of `part`; `None` if the set lacks the part.
    #[must_use]
    pub fn get(&self, part: &Part) -> Option<Bytes> {
        self.0.get(part).cloned()
    }

    /// Returns the bytes with this hash; `None` if the set lacks them.
    #[must_use]
    pub fn find(&self, hash: Digest) -> Option<Bytes> {
        let (part, bytes) = self.0.range(Part { hash, n_bytes: 0 }..).next()?;
        (part.hash == hash).then(|| bytes.clone())
    }

    /// Returns the names of the parts.
    #[must_use]
    pub fn names(&self) -> Vec<Part> {
        self.0.keys().copied().collect()
    }

    /// Returns the total number of bytes of the parts.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        self.0.keys().map(Part::n_bytes).sum()
    }

    /// Returns the number of parts.
    #[must_use]
    pub fn n_parts(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there is no part.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the parts and their bytes, in the order of their hashes.
    pub fn iter(&self) -> impl Iterator<Item = (&Part, &Bytes)> {
        self.0.iter()
    }
}

impl IntoIterator for PartSet {
    type Item = (Part, Bytes);
    type IntoIter = std::collections::btree_map::IntoIter<Part, Bytes>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Debug for PartSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_value_hold_the_name_only() {
        let part = Part::of(&[7; 1000]);
        let hash = Digest::of(&[7; 1000]);
        let name = [hash.as_bytes(), &[0xe8, 0x07][..]].concat();
        assert_eq!(postcard::to_allocvec(&part).unwrap(), name);
        assert_eq!(postcard::from_bytes::<Part>(&name).unwrap(), part);
        assert_eq!(part.n_bytes(), 1000);
    }

    #[test]
    fn parts_above_the_limit_are_refused() {
        let hash = Digest::of(b"");
        let most = MAX_PART_BYTES as u64;
        assert_eq!(Part::new(hash, most).unwrap().n_bytes(), most);
        let expected = "a part of 67108865 bytes, but at most 67108864 are allowed";
        assert_eq!(Part::new(hash, most + 1).unwrap_err().to_string(), expected);
        let stored = postcard::to_allocvec(&(hash, most + 1)).unwrap();
        assert!(postcard::from_bytes::<Part>(&stored).is_err());
    }

    #[test]
    fn chunks_are_as_long_as_the_part() {
        let hash = Digest::of(b"");
        let chunk = PART_CHUNK_BYTES as u64;
        for (n_bytes, expected) in [
            (0, vec![0]),
            (1, vec![1]),
            (chunk, vec![chunk]),
            (chunk + 1, vec![chunk, 1]),
            (3 * chunk - 1, vec![chunk, chunk, chunk - 1]),
        ] {
            let part = Part::new(hash, n_bytes).unwrap();
            let chunks: Vec<_> = (0..part.n_chunks()).map(|idx| part.chunk_bytes(idx)).collect();
            let expected: Vec<_> = expected.into_iter().map(|n| usize::try_from(n).ok()).collect();
            assert_eq!(chunks, expected);
            assert_eq!(part.chunk_bytes(part.n_chunks()), None);
        }
    }

    #[test]
    fn a_value_above_the_limit_has_several_parts() {
        let bytes: Bytes = vec![3; 2 * MAX_PART_BYTES + 5].into();
        let mut parts = PartSet::default();
        let value = parts.add_large(bytes.clone());
        assert_eq!((value.parts().len(), value.n_bytes()), (3, bytes.len() as u64));
        // The first two are equal, so they are kept once.
        assert_eq!(parts.iter().count(), 2);
        let mut read = Vec::new();
        for part in value.parts() {
            read.extend_from_slice(&parts.get(part).unwrap());
        }
        assert_eq!(read, bytes);
        assert_eq!(parts.add_large(Bytes::new()).parts(), [Part::of(b"")]);
    }
}
