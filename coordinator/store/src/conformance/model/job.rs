//! A job of the model.

use std::collections::BTreeMap;

use crate::{AttemptId, CoordinatorId, JobResult};

/// A job of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The job.
    pub bytes: Vec<u8>,
    /// The state of the job.
    pub state: JobState,
    /// The failed attempts, by their ids.
    pub attempts: BTreeMap<AttemptId, Vec<u8>>,
}

/// The state of a job.
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
