//! What a trace shows of a job.
//!
//! The span is never entered: logs are the same whether anybody takes traces or not.

use hatchery_proto::v1::Job;
use tracing::Span;
use tracing::field::Empty;

use super::job::JobOutcome;
use crate::ids::JobKey;

/// The span of a job that begins.
pub(crate) fn begin(key: JobKey, job: &Job) -> Span {
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

/// Says in the span of a job how it ended.
pub(crate) fn end(span: &Span, executed: &JobOutcome) {
    let outcome = match executed {
        JobOutcome::Output(_, cost) => {
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

/// As traces have numbers.
fn count(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
