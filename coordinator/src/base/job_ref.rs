//! The keys of jobs and the names of parts in messages.

use hatchery_core::{DecodeError, Part};
use hatchery_proto::v1::{JobRef, PartRef};
use hatchery_store::{JobId, JobKey, RunId};

/// Reads the key in a message.
///
/// # Errors
/// If the key is missing, or if the id of its run does not have 16 bytes.
pub(crate) fn from_wire(job_ref: Option<&JobRef>) -> Result<JobKey, DecodeError> {
    let missing = || DecodeError::field("ref", "missing", "a job's address");
    let JobRef { run, generation, index } = job_ref.ok_or_else(missing)?;
    let length = || DecodeError::field("run", &run.len(), "16 bytes");
    let run = RunId::from_bytes(run).ok_or_else(length)?;
    Ok(JobKey { run, job: JobId { generation: *generation, index: *index } })
}

/// Returns the key as messages carry it.
pub(crate) fn to_wire(JobKey { run, job }: JobKey) -> JobRef {
    let JobId { generation, index } = job;
    JobRef { run: run.to_bytes().to_vec(), generation, index }
}

/// Returns the name of a part as messages carry it.
pub(crate) fn part_to_wire(part: &Part) -> PartRef {
    PartRef { hash: part.hash().as_bytes().to_vec(), n_bytes: part.n_bytes() }
}

#[cfg(test)]
mod tests {
    use ulid::Ulid;

    use super::*;

    #[test]
    fn a_key_survives_the_wire() {
        let key = JobKey { run: RunId(Ulid(7)), job: JobId { generation: 3, index: 1 << 40 } };
        let job_ref = to_wire(key);
        assert_eq!(from_wire(Some(&job_ref)).ok(), Some(key));
        assert!(from_wire(None).is_err());
        let cut_off = JobRef { run: job_ref.run[1..].to_vec(), ..job_ref };
        assert!(from_wire(Some(&cut_off)).is_err());
    }
}
