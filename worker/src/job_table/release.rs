//! Removes jobs from a table: cancelled jobs, stuck jobs, and jobs to give back.

use tokio::time::Instant;

use super::{EntryStage, JobEntry, JobTable};
use crate::ids::JobKey;

impl JobTable {
    /// Cancels a job. A running job ends soon; any other job is removed at once.
    pub(crate) fn cancel(&mut self, key: JobKey, now: Instant) {
        let Some(entry) = self.jobs.get_mut(&key) else { return };
        if let EntryStage::Running { handle, cancelled_at, .. } = &mut entry.stage
            && !handle.withdraw()
        {
            handle.cancel();
            cancelled_at.get_or_insert(now);
            return;
        }
        self.remove(key);
    }

    /// Gives back the jobs that have not started.
    pub(crate) fn release_waiting(&mut self) {
        self.release(|entry| match &entry.stage {
            EntryStage::Waiting(_) => true,
            EntryStage::Running { handle, .. } => handle.withdraw(),
            EntryStage::Done { .. } => false,
        });
    }

    /// Gives back all unfinished jobs, and stops the running jobs.
    pub(crate) fn release_all(&mut self) {
        self.release(|entry| match &entry.stage {
            EntryStage::Running { handle, .. } => {
                handle.cancel();
                true
            }
            EntryStage::Waiting(_) => true,
            EntryStage::Done { .. } => false,
        });
    }

    pub(super) fn release(&mut self, is_chosen: impl Fn(&JobEntry) -> bool) {
        let chosen: Vec<_> = self
            .jobs
            .iter()
            .filter(|(_, entry)| is_chosen(entry))
            .map(|(key, entry)| (*key, entry.is_cancelled()))
            .collect();
        for (key, is_cancelled) in chosen {
            self.remove(key);
            if !is_cancelled {
                self.queue_release(key);
            }
        }
    }

    /// Returns the earliest cancellation of a job that is still running.
    pub(crate) fn earliest_cancellation(&self) -> Option<Instant> {
        let stages = self.jobs.values().map(|entry| &entry.stage);
        stages
            .filter_map(|stage| match stage {
                EntryStage::Running { cancelled_at, .. } => *cancelled_at,
                EntryStage::Waiting(_) | EntryStage::Done { .. } => None,
            })
            .min()
    }

    /// Finds a job that was cancelled at `before` or earlier and has a trial that does not return.
    /// Other such jobs wait for a thread, and count as cancelled `now`.
    pub(crate) fn find_stuck(&mut self, before: Instant, now: Instant) -> Option<JobKey> {
        for (key, entry) in &mut self.jobs {
            if let EntryStage::Running { handle, cancelled_at: Some(at), .. } = &mut entry.stage
                && *at <= before
            {
                if handle.is_in_trial() {
                    return Some(*key);
                }
                *at = now;
            }
        }
        None
    }
}
