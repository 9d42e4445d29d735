//! The identity of workers: whether a worker may use the id that it claims.

use hatchery_proto::{PROOF_BYTES, WorkerProof, is_proven_id};
use hatchery_store::WorkerId;
use tonic::Status;

/// The bytes of a worker's id.
const ID_BYTES: usize = 16;

/// The error of a worker that may not use the id that it claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum IdentityError {
    #[error("a worker id has {n_bytes} bytes, but must have {ID_BYTES}")]
    IdLength { n_bytes: usize },
    #[error("the proof of a worker has {n_bytes} bytes, but must have {PROOF_BYTES} or none")]
    ProofLength { n_bytes: usize },
    #[error(
        "worker id {id} belongs to a process that can prove it, and no proof was sent: start this \
         worker again to get an id of its own"
    )]
    MissingProof { id: WorkerId },
    #[error(
        "worker id {id} is not the one of the proof that was sent: a worker must use the id that \
         is derived from its proof"
    )]
    OtherProof { id: WorkerId },
    #[error(
        "worker id {id} belongs to a coordinator or to nobody: start this worker again to get an \
         id of its own"
    )]
    NoWorker { id: WorkerId },
}

impl IdentityError {
    /// Returns true if the id belongs to another worker, and false if the id or its proof is
    /// malformed.
    pub(crate) fn is_foreign(self) -> bool {
        match self {
            Self::IdLength { .. } | Self::ProofLength { .. } => false,
            Self::MissingProof { .. } | Self::OtherProof { .. } | Self::NoWorker { .. } => true,
        }
    }
}

impl From<IdentityError> for Status {
    fn from(error: IdentityError) -> Self {
        match error.is_foreign() {
            true => Self::permission_denied(error.to_string()),
            false => Self::invalid_argument(error.to_string()),
        }
    }
}

/// Returns the id that a worker claims, if the proof shows that the id is the worker's own. An id
/// without a proof belongs to a worker of an earlier release: anybody may claim such an id.
///
/// # Errors
/// If the id is not the worker's own, or if id or proof are malformed.
pub(crate) fn verify(id: &[u8], proof: &[u8]) -> Result<WorkerId, IdentityError> {
    let length = || IdentityError::IdLength { n_bytes: id.len() };
    let id = WorkerId::from_bytes(id).ok_or_else(length)?;
    if id == WorkerId::NOBODY {
        return Err(IdentityError::NoWorker { id });
    }
    if proof.is_empty() {
        return match is_proven_id(id.to_bytes()) {
            true => Err(IdentityError::MissingProof { id }),
            false => Ok(id),
        };
    }
    let length = || IdentityError::ProofLength { n_bytes: proof.len() };
    let proof = WorkerProof::from_wire(proof).ok_or_else(length)?;
    match proof.worker_id() == id.to_bytes() {
        true => Ok(id),
        false => Err(IdentityError::OtherProof { id }),
    }
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    #[test]
    fn an_id_with_a_proof_is_of_one_process_and_other_ids_are_as_before() {
        let (own, other) = (WorkerProof::new([1; 32]), WorkerProof::new([2; 32]));
        let claimed = own.worker_id();
        let id = WorkerId::from_bytes(&claimed).unwrap();
        let earlier = WorkerId(1 << 90 | 5);
        let cases: [(&[u8], &[u8], _); 8] = [
            (&claimed, &own.to_wire(), Ok(id)),
            (&claimed, &[], Err(IdentityError::MissingProof { id })),
            (&claimed, &other.to_wire(), Err(IdentityError::OtherProof { id })),
            (&claimed, &[1; 31], Err(IdentityError::ProofLength { n_bytes: 31 })),
            (&claimed[1..], &own.to_wire(), Err(IdentityError::IdLength { n_bytes: 15 })),
            (&earlier.to_bytes(), &[], Ok(earlier)),
            (&earlier.to_bytes(), &own.to_wire(), Err(IdentityError::OtherProof { id: earlier })),
            (&[0; 16], &[], Err(IdentityError::NoWorker { id: WorkerId::NOBODY })),
        ];
        for (id, proof, expected) in cases {
            assert_eq!(verify(id, proof), expected);
        }
    }

    #[test]
    fn whoever_takes_another_id_is_denied_and_a_malformed_one_is_an_error() {
        let id = WorkerId(7);
        let code = |error: IdentityError| Status::from(error).code();
        assert_eq!(code(IdentityError::MissingProof { id }), Code::PermissionDenied);
        assert_eq!(code(IdentityError::OtherProof { id }), Code::PermissionDenied);
        assert_eq!(code(IdentityError::NoWorker { id }), Code::PermissionDenied);
        assert_eq!(code(IdentityError::IdLength { n_bytes: 1 }), Code::InvalidArgument);
        assert_eq!(code(IdentityError::ProofLength { n_bytes: 1 }), Code::InvalidArgument);
    }
}
