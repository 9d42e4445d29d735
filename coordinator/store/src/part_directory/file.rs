//! The names of files, and their ages.

use std::time::Duration;

use hatchery_core::{Digest, Part};
use ulid::Ulid;

/// The file of a part in the folder of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartFile {
    /// The part.
    pub(crate) part: Part,
    /// The number that distinguishes it from all other files of the part.
    nonce: Ulid,
}

impl PartFile {
    /// Returns a unique name.
    pub(crate) fn new(part: Part) -> Self {
        Self { part, nonce: Ulid::generate() }
    }

    /// Returns the name of the file.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.part.hash(), self.nonce)
    }

    /// Returns the note of a store under the hash of the part: its length, and the nonce.
    pub(crate) fn note(&self) -> String {
        format!("{}:{}", self.part.n_bytes(), self.nonce)
    }

    /// Parses the note of a store under a hash; `None` if it names no file.
    pub(crate) fn from_note(hash: Digest, note: &str) -> Option<Self> {
        let (n_bytes, nonce) = note.split_once(':')?;
        let part = Part::new(hash, n_bytes.parse().ok()?).ok()?;
        Some(Self { part, nonce: nonce.parse().ok()? })
    }
}

/// The age of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileAge(pub(crate) Duration);

/// A file in the folder of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedFile {
    /// Its name.
    pub(crate) name: String,
    /// The time since it was last written.
    pub(crate) age: FileAge,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back() {
        let file = PartFile::new(Part::of(b"abc"));
        assert_eq!(PartFile::from_note(file.part.hash(), &file.note()), Some(file));
        assert_ne!(PartFile::new(file.part), file, "each has a name of its own");
        for bad in ["3", "3:", ":", "x:01ARZ3NDEKTSV4RRFFQ69G5FAV", "3:no nonce"] {
            assert_eq!(PartFile::from_note(file.part.hash(), bad), None, "{bad:?}");
        }
    }
}
