//! Spans that could not be exported.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use opentelemetry_sdk::error::OTelSdkError;

/// The shortest interval between reports.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// Counts and reports dropped spans; shared by the exporting thread and the thread that shuts down.
#[derive(Debug, Default)]
pub(super) struct DroppedSpans(Mutex<UnreportedSpans>);

#[derive(Debug, Default)]
struct UnreportedSpans {
    /// Spans that are not reported yet.
    n_spans: usize,
    reported: Option<Instant>,
}

impl DroppedSpans {
    /// Logs that `n_spans` were dropped, unless the last report is too recent.
    pub(super) fn report(&self, n_spans: usize, error: &OTelSdkError) {
        let due = {
            let mut unreported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            unreported.add(n_spans, Instant::now())
        };
        if let Some(n_spans) = due {
            // The number of spans that the end of the process cuts off is unknown.
            let n_spans = (0 < n_spans).then_some(n_spans);
            tracing::warn!(n_spans, %error, "traces are lost: they cannot be exported");
        }
    }
}

impl UnreportedSpans {
    /// Adds dropped spans; returns the number to report now, if a report is due.
    fn add(&mut self, n_spans: usize, now: Instant) -> Option<usize> {
        self.n_spans += n_spans;
        if self
            .reported
            .is_some_and(|reported| now.saturating_duration_since(reported) < REPORT_INTERVAL)
        {
            return None;
        }
        self.reported = Some(now);
        Some(std::mem::take(&mut self.n_spans))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_spans_are_reported_once_a_minute() {
        let mut lost = UnreportedSpans::default();
        let start = Instant::now();
        for (n_spans, at_s, told) in [
            (5, 0, Some(5)),
            (3, 0, None),
            (4, 59, None),
            (0, 60, Some(7)),
            (1, 119, None),
            (1, 500, Some(2)),
        ] {
            let now = start + Duration::from_secs(at_s);
            assert_eq!(lost.add(n_spans, now), told, "at {at_s} s");
        }
    }
}
