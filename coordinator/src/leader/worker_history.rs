//! The workers that contributed to the folded generations of a run.

use std::collections::{BTreeMap, BTreeSet};

use hatchery_store::WorkerId;

use crate::run::record::ResultOrigin;

/// The first folded generation that each worker contributed to.
#[derive(Debug, Default)]
pub(super) struct WorkerHistory(BTreeMap<WorkerId, u32>);

impl WorkerHistory {
    /// Adds a folded generation.
    pub(super) fn add(&mut self, generation: u32, workers: &BTreeSet<WorkerId>) {
        for &worker in workers {
            let first = self.0.entry(worker).or_insert(generation);
            *first = generation.min(*first);
        }
    }

    /// Returns the workers that contributed.
    pub(super) fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.0.keys().copied()
    }

    /// Returns the first generation that `worker` contributed to.
    pub(super) fn first(&self, worker: &WorkerId) -> Option<u32> {
        self.0.get(worker).copied()
    }
}

/// Returns the workers of an origin.
pub(super) fn workers_of(origin: &ResultOrigin) -> BTreeSet<WorkerId> {
    origin.workers.iter().filter_map(|worker| WorkerId::from_bytes(worker)).collect()
}
