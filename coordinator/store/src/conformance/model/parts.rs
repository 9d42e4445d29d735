//! The parts of a run of the model.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use hatchery_core::part::PART_CHUNK_BYTES;
use hatchery_core::{Digest, Part};

/// The parts of a run, by their hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunParts {
    /// The bytes of the whole parts.
    pub whole: BTreeMap<Digest, Bytes>,
    /// The parts that are not whole.
    pub open: BTreeMap<Digest, OpenPart>,
}

/// A part that is not whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPart {
    /// Its name.
    pub part: Part,
    /// Its chunks so far, by their numbers.
    pub chunks: BTreeMap<u32, Bytes>,
}

impl RunParts {
    /// Returns true if the part is whole.
    #[must_use]
    pub fn is_whole(&self, part: &Part) -> bool {
        self.find(&part.hash()) == Some(*part)
    }

    /// Returns the whole part with this hash.
    #[must_use]
    pub fn find(&self, hash: &Digest) -> Option<Part> {
        let bytes = self.whole.get(hash)?;
        Part::new(*hash, bytes.len() as u64).ok()
    }

    /// Returns a chunk of a whole part.
    #[must_use]
    pub fn chunk(&self, hash: &Digest, index: u32) -> Option<Vec<u8>> {
        let n_bytes = self.find(hash)?.chunk_bytes(index)?;
        let start = usize::try_from(index).ok()? * PART_CHUNK_BYTES;
        Some(self.whole.get(hash)?[start..start + n_bytes].to_vec())
    }

    pub(super) fn write(&mut self, part: Part, index: u32, chunk: Vec<u8>) {
        let open = self.open.entry(part.hash());
        let open = open.or_insert_with(|| OpenPart { part, chunks: BTreeMap::new() });
        if open.part != part {
            *open = OpenPart { part, chunks: BTreeMap::new() };
        }
        open.chunks.insert(index, chunk.into());
    }

    /// Makes the part whole if it has all its chunks.
    pub(super) fn finish(&mut self, part: Part) -> bool {
        let is_complete = !self.whole.contains_key(&part.hash())
            && self.open.get(&part.hash()).is_some_and(|open| {
                open.part == part && open.chunks.len() as u64 == u64::from(part.n_chunks())
            });
        if is_complete && let Some(open) = self.open.remove(&part.hash()) {
            self.whole.insert(part.hash(), open.chunks.into_values().flatten().collect());
        }
        is_complete
    }

    /// Writes parts as a whole.
    pub(super) fn insert(&mut self, parts: Vec<Vec<u8>>) {
        for bytes in parts {
            let hash = Digest::of(&bytes);
            self.open.remove(&hash);
            self.whole.entry(hash).or_insert_with(|| bytes.into());
        }
    }

    /// Removes all parts but these.
    pub(super) fn keep(&mut self, kept: &BTreeSet<Digest>) {
        self.whole.retain(|hash, _| kept.contains(hash));
        self.open.retain(|hash, _| kept.contains(hash));
    }

    /// Removes a part, whole or not.
    pub(super) fn remove(&mut self, hash: &Digest) {
        self.whole.remove(hash);
        self.open.remove(hash);
    }
}
