//! The jobs that a worker holds.

use std::collections::BTreeSet;

use hatchery_core::SeriesClass;
use hatchery_store::JobKey;

/// The jobs that a worker holds.
#[derive(Debug, Default)]
pub(super) struct HeldJobs {
    all: BTreeSet<JobKey>,
    /// Those with a long trial: each keeps a slot busy for long.
    alone: BTreeSet<JobKey>,
}

impl HeldJobs {
    /// Adds a job, or corrects its class.
    pub(super) fn insert(&mut self, key: JobKey, class: SeriesClass) {
        self.all.insert(key);
        match class {
            SeriesClass::Alone => self.alone.insert(key),
            SeriesClass::Pooled => self.alone.remove(&key),
        };
    }

    pub(super) fn remove(&mut self, key: JobKey) {
        self.all.remove(&key);
        self.alone.remove(&key);
    }

    pub(super) fn contains(&self, key: JobKey) -> bool {
        self.all.contains(&key)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the number of jobs with a long trial.
    pub(super) fn n_alone(&self) -> u32 {
        u32::try_from(self.alone.len()).unwrap_or(u32::MAX)
    }

    /// Returns all jobs, in their order.
    pub(super) fn into_keys(self) -> impl Iterator<Item = JobKey> {
        self.all.into_iter()
    }
}
