//! What identifies a run's result.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A BLAKE3 chain over everything that a run computed: its experiment, seed and parameters, then
/// for each generation every tally and the state after the fold.
///
/// It depends on the spec and the experiment's version only. Anyone can recompute it, on one
/// machine or a thousand. Two specs that differ only in how they are written (comments, a default
/// spelled out) have the same digest.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest before generation 0. `params` is the canonical JSON of the parameters.
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

    /// The digest after a generation whose tallies (in plan order) led to `state`.
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

    /// The digest of plain bytes, by which shared inputs are addressed.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The digest with these bytes, or `None` if they are not 32.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

/// Feeds `part` behind its length, so that parts can't run into each other.
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
