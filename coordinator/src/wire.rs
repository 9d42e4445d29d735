//! Job addresses in wire messages.

use hatchery_core::DecodeError;
use hatchery_proto::v1::JobRef;
use ulid::Ulid;

use crate::store::{JobId, RunId};

/// Converts a job's address to its wire form.
pub(crate) fn to_ref(run: RunId, job: JobId) -> JobRef {
    let run = run.0.0.to_be_bytes().to_vec();
    JobRef { run, generation: job.generation, index: job.index }
}

/// Parses the address in `job_ref`.
pub(crate) fn from_ref(job_ref: Option<&JobRef>) -> Result<(RunId, JobId), DecodeError> {
    let missing = || DecodeError::field("ref", "missing", "a job's address");
    let JobRef { run, generation, index } = job_ref.ok_or_else(missing)?;
    let run = id(run).ok_or_else(|| DecodeError::field("run", &run.len(), "16 bytes"))?;
    Ok((RunId(Ulid(run)), JobId { generation: *generation, index: *index }))
}

/// Reads a 128-bit id from 16 bytes; `None` for any other length.
pub(crate) fn id(bytes: &[u8]) -> Option<u128> {
    bytes.try_into().ok().map(u128::from_be_bytes)
}
