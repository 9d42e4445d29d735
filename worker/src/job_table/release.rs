//! How a desk gets rid of jobs: those that are not wanted, and those that are given back.

use tokio::time::Instant;

use super::{Desk, Held, Stage};
use crate::ids::Key;

impl Desk {
    /// A job is not wanted any more: what runs ends soon, all else is gone at once.
    pub(crate) fn cancel(&mut self, key: Key, now: Instant) {
        let Some(held) = self.jobs.get_mut(&key) else { return };
        if let Stage::Running { progress, cancelled_at } = &mut held.stage
            && !progress.withdraw()
        {
            progress.cancel();
            cancelled_at.get_or_insert(now);
            return;
        }
        self.drop_job(key);
    }

    /// Gives back what has not begun.
    pub(crate) fn release_waiting(&mut self) {
        self.release(|held| match &held.stage {
            Stage::Waiting(_) => true,
            Stage::Running { progress, .. } => progress.withdraw(),
            Stage::Done { .. } => false,
        });
    }

    /// Gives back all that is not done, and stops it.
    pub(crate) fn release_all(&mut self) {
        self.release(|held| match &held.stage {
            Stage::Running { progress, .. } => {
                progress.cancel();
                true
            }
            Stage::Waiting(_) => true,
            Stage::Done { .. } => false,
        });
    }

    fn release(&mut self, chosen: impl Fn(&Held) -> bool) {
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
                Stage::Running { cancelled_at, .. } => *cancelled_at,
                Stage::Waiting(_) | Stage::Done { .. } => None,
            })
            .min()
    }

    /// A job that was cancelled at `before` or earlier and has a trial that does not return. Other
    /// such jobs wait for a thread, and count as cancelled `now`.
    pub(crate) fn stuck(&mut self, before: Instant, now: Instant) -> Option<Key> {
        for (key, held) in &mut self.jobs {
            if let Stage::Running { progress, cancelled_at: Some(at) } = &mut held.stage
                && *at <= before
            {
                if progress.is_in_trial() {
                    return Some(*key);
                }
                *at = now;
            }
        }
        None
    }
}
