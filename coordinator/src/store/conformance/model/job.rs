//! A job of the model.

use std::collections::BTreeMap;

use crate::store::{AttemptId, CoordinatorId, JobResult};

/// A job of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The job.
    pub bytes: Vec<u8>,
    /// Where it stands.
    pub state: JobState,
    /// What was tried, by the ids of the attempts.
    pub attempts: BTreeMap<AttemptId, Vec<u8>>,
}

/// Where a job stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// READY.
    Ready,
    /// LEASED to this consumer.
    Leased(CoordinatorId),
    /// PARKED.
    Parked,
    /// DONE.
    Done(JobResult),
}
