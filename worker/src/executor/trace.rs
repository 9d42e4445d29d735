//! The span of a job in traces.
//!
//! The span is never entered: logs are the same with and without traces.

use hatchery_proto::v1::Job;
use tracing::Span;
use tracing::field::Empty;

use super::job::{ComputedOutput, JobOutcome};
use crate::ids::JobKey;

/// Returns the span of a job that begins.
pub(super) fn job_span(key: JobKey, job: &Job) -> Span {
    tracing::debug_span!(
        parent: None,
        "job",
        run = %key.run,
        generation = i64::from(key.generation),
        job = count(key.index),
        experiment = job.experiment,
        trials = count(job.n_trials()),
        cpu_ns = Empty,
        outcome = Empty,
        otel.status_description = Empty,
    )
}

/// Records the outcome of a job in its span.
pub(super) fn record_outcome(span: &Span, outcome: &JobOutcome) {
    let outcome = match outcome {
        JobOutcome::Output(ComputedOutput { cost, .. }) => {
            span.record("cpu_ns", count(cost.cpu_ns));
            "done"
        }
        JobOutcome::Failed(failure) => {
            span.record("otel.status_description", failure.message.as_str());
            "failed"
        }
        JobOutcome::Cancelled => "cancelled",
    };
    span.record("outcome", outcome);
}

/// Returns `n` as a number of a trace.
fn count(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
