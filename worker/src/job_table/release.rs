//! How a desk gets rid of jobs: those that are not wanted, and those that are given back.

use tokio::time::Instant;

use super::{EntryStage, JobEntry, JobTable};
use crate::ids::JobKey;

impl JobTable {
    /// A job is not wanted any more: what runs ends soon, all else is gone at once.
    pub(crate) fn cancel(&mut self, key: JobKey, now: Instant) {
        let Some(held) = self.jobs.get_mut(&key) else { return };
        if let EntryStage::Running { handle, cancelled_at } = &mut held.stage
            && !handle.withdraw()
        {
            handle.cancel();
            cancelled_at.get_or_insert(now);
            return;
        }
        self.drop_job(key);
    }

    /// Gives back what has not begun.
    pub(crate) fn release_waiting(&mut self) {
        self.release(|held| match &held.stage {
            EntryStage::Waiting(_) => true,
            EntryStage::Running { handle, .. } => handle.withdraw(),
            EntryStage::Done { .. } => false,
        });
    }

    /// Gives back all that is not done, and stops it.
    pub(crate) fn release_all(&mut self) {
        self.release(|held| match &held.stage {
            EntryStage::Running { handle, .. } => {
                handle.cancel();
                true
            }
            EntryStage::Waiting(_) => true,
            EntryStage::Done { .. } => false,
        });
    }

    fn release(&mut self, chosen: impl Fn(&JobEntry) -> bool) {
        let chosen: Vec<_> = self
            .jobs
            .iter()
            .filter(|(_, held)| chosen(held))
            .map(|(key, held)| (*key, held.is_cancelled()))
            .collect();
        for (key, cancelled) in chosen {
            self.drop_job(key);
            if !cancelled {
                self.give_back(key);
            }
        }
    }

    /// When a job was cancelled that runs to this moment; of several, the earliest.
    pub(crate) fn cancelled_at(&self) -> Option<Instant> {
        let stages = self.jobs.values().map(|held| &held.stage);
        stages
            .filter_map(|stage| match stage {
                EntryStage::Running { cancelled_at, .. } => *cancelled_at,
                EntryStage::Waiting(_) | EntryStage::Done { .. } => None,
            })
            .min()
    }

    /// A job that was cancelled at `before` or earlier and has a trial that does not return. Other
    /// such jobs wait for a thread, and count as cancelled `now`.
    pub(crate) fn stuck(&mut self, before: Instant, now: Instant) -> Option<JobKey> {
        for (key, held) in &mut self.jobs {
            if let EntryStage::Running { handle, cancelled_at: Some(at) } = &mut held.stage
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
