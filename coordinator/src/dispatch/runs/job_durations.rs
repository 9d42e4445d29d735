//! The last durations of jobs, from which late jobs are recognized.

use std::collections::VecDeque;
use std::time::Duration;

/// The last jobs must all take less time than this for jobs to count as short.
const SHORT: Duration = Duration::from_millis(100);

/// A job is late after this multiple of the 95th percentile of job durations.
const LATE_FACTOR: u32 = 2;

/// The least duration after which a job is late.
pub(crate) const LATE_AT_LEAST: Duration = Duration::from_secs(2);

/// The number of job durations kept.
const DURATIONS: usize = 64;

/// The durations of the latest jobs of one kind.
#[derive(Debug, Default)]
pub(crate) struct JobDurations {
    last: VecDeque<Duration>,
    /// The number of durations that are not short.
    n_long: usize,
}

impl JobDurations {
    /// Takes note of the duration of a job.
    pub(crate) fn observe(&mut self, took: Duration) {
        self.last.push_back(took);
        self.n_long += usize::from(SHORT <= took);
        if DURATIONS < self.last.len()
            && let Some(oldest) = self.last.pop_front()
        {
            self.n_long -= usize::from(SHORT <= oldest);
        }
    }

    /// Returns whether the jobs are known to be short.
    pub(crate) fn are_short(&self) -> bool {
        !self.last.is_empty() && self.n_long == 0
    }

    /// Returns the duration after which a job is late; `None` if no duration is known.
    pub(crate) fn late(&self) -> Option<Duration> {
        let mut durations: Vec<_> = self.last.iter().copied().collect();
        durations.sort_unstable();
        let p95 = durations.get(durations.len() * 95 / 100)?;
        Some((*p95 * LATE_FACTOR).max(LATE_AT_LEAST))
    }
}
