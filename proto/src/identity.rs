//! The identity of a worker: a public id, and a proof that only the worker's process has.

use std::fmt;

use crate::v1::Hello;

/// The bytes of a worker's proof.
pub const PROOF_BYTES: usize = 32;

/// The context of the hash that derives an id, which makes it useless anywhere else.
const CONTEXT: &str = "hatchery 2026 id of a worker";

/// The end of every derived id. Random ids of earlier workers end like this once in 2^32 times;
/// such a worker is refused until it is started again. The mark comes last because people name
/// workers by the beginning of the id.
const MARK: [u8; 4] = [0xd2, 0x5e, 0x9a, 0x71];

/// A secret of a worker's process: 32 random bytes, new at each start, kept in memory only. It is
/// sent to coordinators, and neither logged, shown nor stored.
///
/// The worker's id is derived from the proof, so a coordinator can check from these two values
/// alone that they belong together. No list of known workers has to be stored, shared among
/// coordinators, or kept over a failover. 12 bytes of the id come from a hash, so finding a proof
/// for an existing id takes 2^96 attempts. The other 4 bytes are the same in all derived ids: a
/// worker that claims such an id and sends no proof, like workers of earlier releases, is not the
/// owner of the id.
///
/// ```
/// use hatchery_proto::{WorkerProof, is_proven_id};
///
/// let proof = WorkerProof::new([7; 32]);
/// assert!(is_proven_id(proof.worker_id()));
/// assert_ne!(proof.worker_id(), WorkerProof::new([8; 32]).worker_id());
/// assert_eq!(format!("{proof:?}"), "WorkerProof(..)");
/// ```
#[derive(Clone)]
pub struct WorkerProof([u8; PROOF_BYTES]);

impl WorkerProof {
    /// Creates the proof from these bytes, which must be unpredictable.
    #[must_use]
    pub fn new(bytes: [u8; PROOF_BYTES]) -> Self {
        Self(bytes)
    }

    /// Reads a proof from the wire; `None` unless `bytes` are [`PROOF_BYTES`].
    #[must_use]
    pub fn from_wire(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the proof as a Hello carries it.
    #[must_use]
    pub fn to_wire(&self) -> Vec<u8> {
        self.0.to_vec()
    }

    /// Returns the id of the worker that has this proof.
    #[must_use]
    pub fn worker_id(&self) -> [u8; 16] {
        let mut id = [0; 16];
        let (hash, mark) = id.split_at_mut(16 - MARK.len());
        blake3::Hasher::new_derive_key(CONTEXT).update(&self.0).finalize_xof().fill(hash);
        mark.copy_from_slice(&MARK);
        id
    }
}

/// Returns whether a worker must prove that `id` is its own.
#[must_use]
pub fn is_proven_id(id: [u8; 16]) -> bool {
    id.ends_with(&MARK)
}

impl fmt::Debug for WorkerProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WorkerProof(..)")
    }
}

/// Without the proof.
impl fmt::Debug for Hello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            protocol,
            worker,
            incarnation,
            build,
            experiments,
            slots,
            held,
            proof: _,
            takes_self_tests,
        } = self;
        f.debug_struct("Hello")
            .field("protocol", protocol)
            .field("worker", worker)
            .field("incarnation", incarnation)
            .field("build", build)
            .field("experiments", experiments)
            .field("slots", slots)
            .field("held", held)
            .field("takes_self_tests", takes_self_tests)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other releases must derive the same id. The digits of the hash are from the Python package
    /// `blake3`: `blake3(bytes([7] * 32), derive_key_context=CONTEXT).hexdigest(12)`.
    #[test]
    fn an_id_is_the_hash_of_its_proof_with_a_mark() {
        let id = WorkerProof::new([7; PROOF_BYTES]).worker_id();
        let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digits, "fb2152e20e4d952ec9473a54d25e9a71");
        assert!(is_proven_id(id));
        assert!(!is_proven_id([0; 16]));
    }

    #[test]
    fn a_proof_has_its_length_and_is_not_shown() {
        let proof = WorkerProof::new([0xab; PROOF_BYTES]);
        let wire = proof.to_wire();
        assert_eq!(WorkerProof::from_wire(&wire).map(|read| read.to_wire()), Some(wire.clone()));
        assert!(WorkerProof::from_wire(&wire[1..]).is_none());
        let hello = Hello { proof: wire, worker: "w1".to_owned(), ..Hello::default() };
        let shown = format!("{proof:?} {hello:?} {hello:#?}");
        assert!(shown.contains("w1"), "{shown}");
        assert!(!shown.contains("171") && !shown.contains("ab"), "{shown}");
    }
}
