//! Which workers had a part in the folded generations of a run.

use std::collections::{BTreeMap, BTreeSet};

use crate::record::ResultOrigin;
use crate::wire::id;

/// In which generation each worker had a part first, of those that are folded.
#[derive(Debug, Default)]
pub(super) struct WorkerHistory(BTreeMap<u128, u32>);

impl WorkerHistory {
    /// Takes in a generation that is folded now.
    pub(super) fn add(&mut self, generation: u32, workers: &BTreeSet<u128>) {
        for &worker in workers {
            let first = self.0.entry(worker).or_insert(generation);
            *first = generation.min(*first);
        }
    }

    /// The first generation that `worker` had a part in.
    pub(super) fn first(&self, worker: &u128) -> Option<u32> {
        self.0.get(worker).copied()
    }
}

/// The workers of an origin.
pub(super) fn workers_of(origin: &ResultOrigin) -> BTreeSet<u128> {
    origin.workers.iter().filter_map(|worker| id(worker)).collect()
}
