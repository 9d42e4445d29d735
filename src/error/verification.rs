//! The error of a failed verification.

use hatchery_core::text::counted;

use crate::format::joined;

/// Jobs of a run whose results are different when they are computed again.
#[derive(Debug, thiserror::Error)]
#[error(
    "{n_mismatches} of {} of run {run} gave another result here; the first is job {job} \
     of generation {generation}: {what}; the generation was computed by {}",
    counted(*.n_jobs, "job"),
    joined(.workers, "unknown workers")
)]
pub(crate) struct VerificationError {
    pub(crate) run: String,
    pub(crate) n_mismatches: usize,
    /// The number of jobs that were computed again.
    pub(crate) n_jobs: u64,
    /// The generation and index of the first job that is different.
    pub(crate) generation: u32,
    pub(crate) job: u64,
    /// The difference, for people.
    pub(crate) what: String,
    /// The workers that computed that generation.
    pub(crate) workers: Vec<String>,
}
