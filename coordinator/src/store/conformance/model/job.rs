//! A job of the model.

use std::collections::BTreeMap;

use crate::store::JobResult;

/// A job of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The job.
    pub bytes: Vec<u8>,
    /// Where it stands.
    pub state: JobState,
    /// What was tried, by the ids of the attempts.
    pub attempts: BTreeMap<u128, Vec<u8>>,
}

/// Where a job stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// READY.
    Ready,
    /// LEASED to this consumer.
    Leased(u128),
    /// PARKED.
    Parked,
    /// DONE.
    Done(JobResult),
}
