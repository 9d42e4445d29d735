//! Measures how long jobs wait for a worker, for runs led in this process.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_store::JobId;
use tokio::time::Instant;

use crate::run::machine::WINDOW_JOBS;

/// The times at which unassigned jobs of a run were enqueued.
#[derive(Debug, Default)]
pub(crate) struct QueueLatency {
    since: BTreeMap<JobId, Instant>,
}

impl QueueLatency {
    /// Records that jobs from `first` on were enqueued.
    pub(crate) fn begin(&mut self, now: Instant, first: JobId, n_jobs: u64) {
        let JobId { generation, index } = first;
        // Other coordinators have taken the rest of the earlier ones.
        self.since.retain(|job, _| job.generation == generation);
        for index in (index..).take(usize::try_from(n_jobs).unwrap_or(usize::MAX)) {
            self.since.insert(JobId { generation, index }, now);
        }
        // Jobs that other coordinators assign are not reported here.
        while WINDOW_JOBS < self.since.len() as u64 {
            self.since.pop_first();
        }
    }

    /// Returns how long a job that is assigned now has waited; `None` if the job was assigned
    /// before, or if its wait is unknown.
    pub(crate) fn end(&mut self, now: Instant, job: JobId) -> Option<Duration> {
        Some(now - self.since.remove(&job)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_of_once_and_little_is_kept() {
        let job = |generation, index| JobId { generation, index };
        let (mut waits, start) = (QueueLatency::default(), Instant::now());
        let later = start + Duration::from_secs(2);
        waits.begin(start, job(0, 3), 2);
        assert_eq!(waits.end(later, job(0, 4)), Some(Duration::from_secs(2)));
        assert_eq!(waits.end(later, job(0, 4)), None);
        assert_eq!(waits.end(later, job(0, 5)), None);
        waits.begin(start, job(1, 0), WINDOW_JOBS + 1);
        assert_eq!(waits.end(later, job(0, 3)), None, "of an earlier generation");
        assert_eq!(waits.end(later, job(1, 0)), None, "pushed out");
        assert_eq!(waits.end(later, job(1, WINDOW_JOBS)), Some(Duration::from_secs(2)));
    }
}
