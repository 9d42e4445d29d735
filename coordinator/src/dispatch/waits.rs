//! Since when jobs wait for a worker, as far as their leader is in this process.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::machine::WINDOW_JOBS;
use crate::store::JobId;

/// When jobs of a run were made ready that nobody was handed here yet.
#[derive(Debug, Default)]
pub(super) struct Waits {
    since: BTreeMap<JobId, Instant>,
}

impl Waits {
    /// Jobs from `first` on were made ready.
    pub(super) fn begin(&mut self, now: Instant, first: JobId, n_jobs: u64) {
        let JobId { generation, index } = first;
        // Of those before, others have had what is left.
        self.since.retain(|job, _| job.generation == generation);
        for index in (index..).take(usize::try_from(n_jobs).unwrap_or(usize::MAX)) {
            self.since.insert(JobId { generation, index }, now);
        }
        // What other coordinators hand out, nobody tells of.
        while WINDOW_JOBS < self.since.len() as u64 {
            self.since.pop_first();
        }
    }

    /// How long a job has waited that is handed out now; `None` if it was before, or if its wait
    /// is not known.
    pub(super) fn end(&mut self, now: Instant, job: JobId) -> Option<Duration> {
        Some(now - self.since.remove(&job)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_of_once_and_little_is_kept() {
        let job = |generation, index| JobId { generation, index };
        let (mut waits, start) = (Waits::default(), Instant::now());
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
