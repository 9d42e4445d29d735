//! Times the end of a generation, when most workers have nothing left to do.

use std::time::Duration;

use tokio::time::Instant;

use crate::run::machine::RemainingJobs;

/// The tail is one in this many of a generation's jobs.
const TAIL_SHARE: u64 = 20;

/// Times the tail of the current generation.
#[derive(Debug, Default)]
pub(super) struct TailTimer {
    since: Option<Instant>,
    /// Whether the tail was reported.
    is_over: bool,
}

impl TailTimer {
    /// Updates with the remaining jobs; returns the duration of the tail once none is left.
    pub(super) fn observe(&mut self, rest: RemainingJobs, now: Instant) -> Option<Duration> {
        let was_over = std::mem::replace(&mut self.is_over, rest == RemainingJobs::Nothing);
        match rest {
            RemainingJobs::Jobs { n_unresolved, n_jobs }
                if n_unresolved.saturating_mul(TAIL_SHARE) <= n_jobs =>
            {
                self.since.get_or_insert(now);
                None
            }
            // Resolved jobs can be invalidated.
            RemainingJobs::Unknown | RemainingJobs::Jobs { .. } => {
                self.since = None;
                None
            }
            RemainingJobs::Nothing if was_over => None,
            // The last jobs may have been resolved between two updates.
            RemainingJobs::Nothing => Some(now - self.since.take().unwrap_or(now)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_begins_when_one_job_in_twenty_is_left() {
        let mut tail = TailTimer::default();
        let start = Instant::now();
        let at = |s: u64| start + Duration::from_secs(s);
        let jobs = |n_unresolved| RemainingJobs::Jobs { n_unresolved, n_jobs: 100 };
        for (rest, now, expected) in [
            (RemainingJobs::Unknown, 0, None),
            (jobs(6), 1, None),
            (jobs(5), 2, None),
            (jobs(1), 7, None),
            (RemainingJobs::Nothing, 9, Some(7)),
            (RemainingJobs::Nothing, 9, None),
            (jobs(5), 10, None),
            (jobs(6), 11, None),
            (jobs(2), 12, None),
            (RemainingJobs::Nothing, 15, Some(3)),
        ] {
            assert_eq!(
                tail.observe(rest, at(now)),
                expected.map(Duration::from_secs),
                "at {now} s"
            );
        }
    }
}
