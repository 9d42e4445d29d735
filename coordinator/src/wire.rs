//! Job addresses in wire messages.

use hatchery_core::DecodeError;
use hatchery_proto::v1::JobRef;

use crate::store::{JobId, RunId};

/// Converts a job's address to its wire form.
pub(crate) fn to_ref(run: RunId, job: JobId) -> JobRef {
    let run = run.to_bytes().to_vec();
    JobRef { run, generation: job.generation, index: job.index }
}

/// Parses the address in `job_ref`.
pub(crate) fn from_ref(job_ref: Option<&JobRef>) -> Result<(RunId, JobId), DecodeError> {
    let missing = || DecodeError::field("ref", "missing", "a job's address");
    let JobRef { run, generation, index } = job_ref.ok_or_else(missing)?;
    let length = || DecodeError::field("run", &run.len(), "16 bytes");
    let run = RunId::from_bytes(run).ok_or_else(length)?;
    Ok((run, JobId { generation: *generation, index: *index }))
}
