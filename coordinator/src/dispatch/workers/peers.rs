//! The coordinators of the farm and their workers, as they last announced themselves.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_store::membership::PRESENCE_TTL;
use hatchery_store::{CoordinatorId, RunId, WorkerId};
use tokio::time::Instant;

use crate::dispatch::message::PeerCoordinator;
use crate::dispatch::workers::slot_limit::SlotClaim;

/// The time for which a missing coordinator and its workers still count. When the store is back
/// after an outage, all announcements have expired, and coordinators come back one by one.
const LINGER: Duration = PRESENCE_TTL;

/// The longest time between two updates while the store answers.
const UPDATED_EVERY: Duration = Duration::from_secs(PRESENCE_TTL.as_secs() / 3);

/// The coordinators of the farm, this one among them.
#[derive(Debug, Default)]
pub(crate) struct PeerTable {
    coordinators: Vec<PeerCoordinator>,
    /// The coordinators that are missing from the last announcements, and since when.
    missing: Vec<(PeerCoordinator, Instant)>,
    /// The time of the last update.
    updated_at: Option<Instant>,
    /// The time at which each worker of these coordinators was first announced.
    first_seen: BTreeMap<WorkerId, Instant>,
}

impl PeerTable {
    /// Replaces the coordinators by the coordinators of a newer announcement.
    pub(crate) fn update(&mut self, now: Instant, coordinators: Vec<PeerCoordinator>) {
        // While the store did not answer, nobody could announce anything: that time does not count.
        let since_update = self.updated_at.replace(now).map_or(Duration::ZERO, |at| now - at);
        let outage = since_update.saturating_sub(UPDATED_EVERY);
        self.missing.iter_mut().for_each(|(_, since)| *since += outage);
        let before = std::mem::replace(&mut self.coordinators, coordinators);
        self.missing.extend(before.into_iter().map(|peer| (peer, now)));
        let is_there = |id| self.coordinators.iter().any(|peer| peer.incarnation == id);
        self.missing.retain(|(peer, since)| {
            !is_there(peer.incarnation) && now.duration_since(*since) < LINGER
        });
        let announced =
            self.known().flat_map(|peer| peer.workers.values().flat_map(|it| &it.available));
        let first_seen =
            announced.map(|&worker| (worker, self.first_seen.get(&worker).copied().unwrap_or(now)));
        self.first_seen = first_seen.collect();
    }

    /// Returns the announced coordinators, and the coordinators that have been missing for a short
    /// while.
    fn known(&self) -> impl Iterator<Item = &PeerCoordinator> {
        self.coordinators.iter().chain(self.missing.iter().map(|(peer, _)| peer))
    }

    /// Returns the coordinators.
    pub(crate) fn coordinators(&self) -> impl Iterator<Item = CoordinatorId> {
        self.known().map(|peer| peer.incarnation)
    }

    /// Returns the claim of each coordinator to slots of `run` for an experiment, given as
    /// `NAME@VERSION`. Workers that get no jobs now count only if there are no others.
    pub(crate) fn slot_claims(
        &self,
        run: RunId,
        experiment: &str,
    ) -> BTreeMap<CoordinatorId, SlotClaim> {
        let slots = |peer: &PeerCoordinator| match peer.workers.get(experiment) {
            Some(workers) => [workers.n_slots, workers.n_available_slots],
            None => [0; 2],
        };
        let only_available = self.coordinators.iter().any(|peer| slots(peer)[1] != 0);
        let claim = |peer: &PeerCoordinator| SlotClaim {
            n_slots: slots(peer)[usize::from(only_available)],
            yields: peer.yielded.contains(&run),
        };
        self.coordinators.iter().map(|peer| (peer.incarnation, claim(peer))).collect()
    }

    /// Returns whether a coordinator other than `own` has workers for an experiment.
    pub(crate) fn has_slots_elsewhere(&self, own: CoordinatorId, experiment: &str) -> bool {
        let mut others = self.known().filter(|peer| peer.incarnation != own);
        others.any(|peer| peer.workers.get(experiment).is_some_and(|it| 0 < it.n_slots))
    }

    /// Returns the workers that get jobs of an experiment at coordinators other than `own`, and the
    /// time since when each worker is known.
    pub(crate) fn workers_elsewhere(
        &self,
        own: CoordinatorId,
        experiment: &str,
    ) -> impl Iterator<Item = (WorkerId, Instant)> {
        let others = self.known().filter(move |peer| peer.incarnation != own);
        let workers = others.filter_map(move |peer| peer.workers.get(experiment));
        let workers = workers.flat_map(|workers| &workers.available);
        workers.filter_map(|worker| Some((*worker, *self.first_seen.get(worker)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::record::AnnouncedWorker;

    const OWN: CoordinatorId = CoordinatorId(1);
    const OTHER: CoordinatorId = CoordinatorId(2);

    /// Returns whether workers elsewhere are known after these updates. An update is the number of
    /// seconds since the update before, and the announced coordinators.
    fn is_known_after(updates: &[(u64, &[CoordinatorId])]) -> bool {
        let (mut table, mut now) = (PeerTable::default(), Instant::now());
        let worker = AnnouncedWorker {
            incarnation: vec![7; 16],
            slots: 1,
            experiments: vec!["pig@1".to_owned()],
            ..AnnouncedWorker::default()
        };
        for (seconds, announced) in updates {
            now += Duration::from_secs(*seconds);
            let peer =
                |&id: &CoordinatorId| PeerCoordinator::new(id, std::slice::from_ref(&worker), &[]);
            table.update(now, announced.iter().map(peer).collect());
        }
        table.has_slots_elsewhere(OWN, "pig@1")
    }

    #[test]
    fn a_coordinator_is_missed_only_while_the_store_answers() {
        let both: &[_] = &[OWN, OTHER];
        assert!(is_known_after(&[(0, both), (2, &[OWN]), (2, &[OWN])]));
        assert!(!is_known_after(&[(0, both), (2, &[OWN]), (2, &[OWN]), (2, &[OWN]), (2, &[OWN])]));
        // Two outages, the second right after the first.
        assert!(is_known_after(&[(0, both), (30, &[OWN]), (30, &[OWN]), (1, both)]));
        assert!(is_known_after(&[(0, both), (30, &[OWN]), (30, &[OWN]), (1, &[OWN])]));
        assert!(!is_known_after(&[(0, &[OWN])]));
    }
}
