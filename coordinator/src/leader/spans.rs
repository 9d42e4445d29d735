//! Tracing spans of a lead: one for the run, and below it one for each generation.
//!
//! No span is ever entered: logs are the same with and without traces.

use hatchery_store::RunId;
use tracing::Span;
use tracing::field::Empty;

use super::outcome::RunOutcome;
use crate::run::record::{GenerationRecord, RunRecord};

/// The spans of a lead. A span that is still open when this value is dropped counts as broken off.
#[derive(Debug)]
pub(super) struct LeadSpans {
    id: RunId,
    run: Span,
    /// The span of the current generation.
    generation: Span,
}

impl LeadSpans {
    /// Opens the span of a lead of the run.
    pub(super) fn lead(id: RunId, record: &RunRecord) -> Self {
        let run = tracing::info_span!(
            parent: None,
            "run",
            run = %id,
            experiment = record.experiment,
            outcome = Empty,
            otel.status_description = Empty,
        );
        Self { id, run, generation: Span::none() }
    }

    /// Opens the span of a generation, planned for the first time or again.
    pub(super) fn plan(&mut self, generation: u32) {
        let span = tracing::info_span!(
            parent: &self.run,
            "generation",
            run = %self.id,
            generation = i64::from(generation),
            jobs = Empty,
            trials = Empty,
            outcome = Empty,
            otel.status_description = Empty,
        );
        let before = std::mem::replace(&mut self.generation, span);
        before.record("outcome", "again");
    }

    /// Closes the span of a folded generation.
    pub(super) fn folded(&mut self, record: &GenerationRecord) {
        let span = std::mem::replace(&mut self.generation, Span::none());
        span.record("jobs", count(record.spent.jobs));
        span.record("trials", count(record.spent.trials));
        span.record("outcome", "folded");
    }

    /// Closes the span of the lead with the outcome of the run.
    pub(super) fn ended(mut self, ended: &RunOutcome) {
        match ended {
            RunOutcome::Done => self.close("done"),
            RunOutcome::Cancelled => self.close("cancelled"),
            RunOutcome::Failed { reason } => {
                for span in [&self.generation, &self.run] {
                    span.record("otel.status_description", reason.as_str());
                }
                self.close("failed");
            }
        }
    }

    fn close(&mut self, outcome: &str) {
        for span in [&mut self.generation, &mut self.run] {
            std::mem::replace(span, Span::none()).record("outcome", outcome);
        }
    }
}

impl Drop for LeadSpans {
    fn drop(&mut self) {
        self.close("broken_off");
    }
}

/// Converts a count to the integers of traces.
fn count(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
