//! Spans that could not be exported.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use opentelemetry_sdk::error::OTelSdkError;

/// How often at most a person is told.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// The spans that were lost; shared by the thread that exports and the one that ends it all.
#[derive(Debug, Default)]
pub(super) struct Losses(Mutex<Lost>);

#[derive(Debug, Default)]
struct Lost {
    /// Those that nobody was told of.
    n_spans: usize,
    told: Option<Instant>,
}

impl Losses {
    /// Tells a person that `n_spans` are lost, unless that was not long ago.
    pub(super) fn tell(&self, n_spans: usize, error: &OTelSdkError) {
        let due = {
            let mut lost = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            lost.add(n_spans, Instant::now())
        };
        if let Some(n_spans) = due {
            // What the end of the process cuts off, nobody has counted.
            let n_spans = (0 < n_spans).then_some(n_spans);
            tracing::warn!(n_spans, %error, "traces are lost: they can't be exported");
        }
    }
}

impl Lost {
    /// Adds to what is lost; all that is to be told now, if it is time.
    fn add(&mut self, n_spans: usize, now: Instant) -> Option<usize> {
        self.n_spans += n_spans;
        if self.told.is_some_and(|told| now.saturating_duration_since(told) < TELL_EVERY) {
            return None;
        }
        self.told = Some(now);
        Some(std::mem::take(&mut self.n_spans))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_told_once_a_minute_of_all_that_is_lost() {
        let mut lost = Lost::default();
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
