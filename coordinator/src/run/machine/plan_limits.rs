//! The limits on the data that a generation sends to workers, checked when the generation is
//! planned.

use std::collections::BTreeSet;

use hatchery_core::Part;
use hatchery_core::erased::AnyPlan;
use hatchery_proto::{MAX_BATCH_BYTES, MAX_JOB_INPUT_BYTES, MAX_JOB_PARTS, MAX_PART_BYTES};

use super::input::RunFailure;

/// The most bytes of the parts that the trials of a series may read: as many as a job may have.
pub const MAX_SERIES_PART_BYTES: u64 = MAX_JOB_INPUT_BYTES as u64;

/// The most bytes of the parts that all trials of a generation may read.
pub const MAX_GENERATION_PART_BYTES: u64 = 8 << 30;

/// The most bytes of the parts that a state may name: a run keeps the parts of several states.
pub const MAX_STATE_PART_BYTES: u64 = 8 << 30;

/// The largest subject: a job with it still fits into a message.
pub(super) const MAX_SUBJECT_BYTES: usize = MAX_BATCH_BYTES / 2;

/// Returns the error of a plan whose trials may read more parts than a worker can have.
fn too_many_parts(plan: &AnyPlan) -> Option<String> {
    let mut all = BTreeSet::new();
    for (idx, series) in plan.series.iter().enumerate() {
        let inputs: BTreeSet<Part> = plan.inputs(series).into_iter().collect();
        let n_bytes: u64 = inputs.iter().map(Part::n_bytes).sum();
        if MAX_JOB_PARTS < inputs.len() || MAX_SERIES_PART_BYTES < n_bytes {
            return Some(format!(
                "the trials of subject {idx} may read {} parts of {n_bytes} bytes, but at most \
                 {MAX_JOB_PARTS} parts of {MAX_SERIES_PART_BYTES} bytes are allowed",
                inputs.len()
            ));
        }
        all.extend(inputs);
    }
    let n_bytes: u64 = all.iter().map(Part::n_bytes).sum();
    (MAX_GENERATION_PART_BYTES < n_bytes).then(|| {
        format!(
            "the trials of the generation may read parts of {n_bytes} bytes, but at most \
             {MAX_GENERATION_PART_BYTES} are allowed"
        )
    })
}

/// Returns the failure of a run whose plan is too large to be sent.
pub(super) fn oversized(plan: &AnyPlan) -> Option<RunFailure> {
    if MAX_PART_BYTES < plan.shared.len() {
        let message = format!(
            "the shared input has {} bytes, but may have at most {MAX_PART_BYTES}; large bytes \
             belong in parts that it names",
            plan.shared.len()
        );
        return Some(RunFailure { message, trial: None });
    }
    if let Some(message) = too_many_parts(plan) {
        return Some(RunFailure { message, trial: None });
    }
    let large = |n_bytes: usize| MAX_SUBJECT_BYTES < n_bytes;
    let subject_idx = plan.series.iter().position(|series| large(series.subject.len()))?;
    let n_bytes = plan.series[subject_idx].subject.len();
    let message = format!(
        "subject {subject_idx} has {n_bytes} bytes, but a subject has at most \
         {MAX_SUBJECT_BYTES}; what subjects have in common belongs in the shared input"
    );
    Some(RunFailure { message, trial: None })
}
