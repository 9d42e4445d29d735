//! The digest: a hash that identifies a run's result.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A BLAKE3 chain over everything that a run computed: the experiment, the seed and the parameters,
/// then every tally and the state after the fold, generation by generation.
///
/// The digest depends only on the spec and the experiment's version. Anyone can recompute it, on
/// one machine or a thousand. Two specs that differ only in their wording (comments, a default
/// spelled out) have the same digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the digest before generation 0. `params` is the canonical JSON of the parameters.
    #[must_use]
    pub fn begin(experiment: &str, version: u32, seed: u64, params: &str, state: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("hatchery 2026-11 run digest");
        for part in [
            experiment.as_bytes(),
            &version.to_le_bytes(),
            &seed.to_le_bytes(),
            params.as_bytes(),
            state,
        ] {
            update(&mut hasher, part);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns the digest after a generation whose tallies (in plan order) led to `state`.
    #[must_use]
    pub fn fold(&self, tallies: &[Vec<u8>], state: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(&(tallies.len() as u64).to_le_bytes());
        for tally in tallies {
            update(&mut hasher, tally);
        }
        update(&mut hasher, state);
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns the digest of plain bytes, which is the address of shared inputs.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the digest that `text` spells: 64 hexadecimal digits; `None` for anything else.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let hash = blake3::Hash::from_hex(text).ok()?;
        Some(Self(*hash.as_bytes()))
    }

    /// Returns the digest with these bytes, or `None` if they are not 32.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

/// Hashes the length of `part`, then `part`, so that parts cannot run into each other.
fn update(hasher: &mut blake3::Hasher, part: &[u8]) {
    hasher.update(&(part.len() as u64).to_le_bytes());
    hasher.update(part);
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(experiment: &str, params: &str, state: &[u8]) -> Digest {
        Digest::begin(experiment, 1, 2, params, state)
    }

    /// The first two test vectors of BLAKE3's authors (test_vectors.json): nothing, and one 0.
    #[test]
    fn plain_bytes_have_the_published_hashes() {
        for (bytes, expected) in [
            (&[][..], "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
            (&[0], "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"),
        ] {
            assert_eq!(Digest::of(bytes).to_string(), expected);
        }
    }

    #[test]
    fn everything_that_a_run_begins_with_counts() {
        let digests = [
            begin("pig", "{}", b"s"),
            begin("gip", "{}", b"s"),
            begin("pig", "[]", b"s"),
            begin("pig", "{}", b"t"),
            Digest::begin("pig", 2, 2, "{}", b"s"),
            Digest::begin("pig", 1, 3, "{}", b"s"),
            // Parts don't run into each other.
            begin("pi", "g{}", b"s"),
            begin("pig", "{}s", b""),
        ];
        check_different(&digests);
    }

    #[test]
    fn everything_that_a_generation_leads_to_counts() {
        let tallies = |tallies: &[&str]| -> Vec<_> {
            tallies.iter().map(|tally| tally.as_bytes().to_vec()).collect()
        };
        let first = begin("pig", "{}", b"s");
        let digests = [
            first,
            first.fold(&tallies(&["a", "b"]), b"t"),
            first.fold(&tallies(&["b", "a"]), b"t"),
            first.fold(&tallies(&["ab"]), b"t"),
            first.fold(&tallies(&["a", "b", ""]), b"t"),
            first.fold(&tallies(&["a", "b"]), b"u"),
            first.fold(&tallies(&["a"]), b"bt"),
            first.fold(&[], b"t"),
            first.fold(&[], b"t").fold(&[], b"t"),
            begin("gip", "{}", b"s").fold(&[], b"t"),
        ];
        check_different(&digests);
    }

    #[test]
    fn digests_are_32_bytes() {
        let digest = Digest::of(b"abc");
        assert_eq!(Digest::from_bytes(digest.as_bytes()), Some(digest));
        assert_eq!(Digest::from_bytes(&digest.as_bytes()[1..]), None);
        assert_eq!(Digest::from_bytes(&[0; 33]), None);
        assert_eq!(format!("{digest:?}"), format!("Digest({digest})"));
        assert_eq!(Digest::from_hex(&digest.to_string()), Some(digest));
        assert_eq!(Digest::from_hex(&format!("{digest}0")), None);
    }

    fn check_different(digests: &[Digest]) {
        for (idx, digest) in digests.iter().enumerate() {
            assert!(!digests[..idx].contains(digest), "number {idx} is there twice");
        }
    }
}
