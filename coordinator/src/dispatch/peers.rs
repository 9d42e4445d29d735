//! The coordinators of the farm and their workers, as they last announced themselves.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::message::PeerCoordinator;
use crate::store::{CoordinatorId, WorkerId};

/// The coordinators of the farm, this one among them.
#[derive(Debug, Default)]
pub(super) struct PeerTable {
    coordinators: Vec<PeerCoordinator>,
    /// The time at which each of their workers was first announced.
    first_seen: BTreeMap<WorkerId, Instant>,
}

impl PeerTable {
    /// Replaces the coordinators by those of a newer announcement.
    pub(super) fn update(&mut self, now: Instant, coordinators: Vec<PeerCoordinator>) {
        self.coordinators = coordinators;
        let announced = self.coordinators.iter().flat_map(|peer| peer.workers.values().flatten());
        let first_seen =
            announced.map(|&worker| (worker, self.first_seen.get(&worker).copied().unwrap_or(now)));
        self.first_seen = first_seen.collect();
    }

    /// Returns the slots of each coordinator for an experiment, as `NAME@VERSION`.
    pub(super) fn slots(&self, experiment: &str) -> BTreeMap<CoordinatorId, usize> {
        let slots = |peer: &PeerCoordinator| peer.slots.get(experiment).copied().unwrap_or(0);
        self.coordinators.iter().map(|peer| (peer.incarnation, slots(peer))).collect()
    }

    /// Returns the workers of the coordinators except `own` that get jobs of an experiment, and the
    /// time since when they are known.
    pub(super) fn workers_elsewhere(
        &self,
        own: CoordinatorId,
        experiment: &str,
    ) -> impl Iterator<Item = (WorkerId, Instant)> {
        let others = self.coordinators.iter().filter(move |peer| peer.incarnation != own);
        let workers = others.filter_map(move |peer| peer.workers.get(experiment)).flatten();
        workers.filter_map(|worker| Some((*worker, *self.first_seen.get(worker)?)))
    }
}
