//! The members of the farm, from the announcements of its coordinators: each worker once, and the
//! lost members.

mod losses;
pub(super) mod presence;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hatchery_store::membership::PRESENCE_TTL;
use hatchery_store::{CoordinatorId, WorkerId};
use tokio::time::Instant;

use crate::run::record::{AnnouncedWorker, CoordinatorAnnouncement, LostCoordinator, LostWorker};
use losses::LossTable;

/// The interval at which presence and claims are renewed: a third of their lifetime.
pub(super) const RENEW_EVERY: Duration = Duration::from_secs(PRESENCE_TTL.as_secs() / 3);

/// A coordinator and what it announces.
pub(super) type AnnouncedMember = (CoordinatorId, Arc<CoordinatorAnnouncement>);

/// The members of the farm, present and lost.
#[derive(Debug, Default)]
pub(super) struct FarmMembers {
    /// The last announcement of each coordinator, and the time at which it was read.
    seen: BTreeMap<CoordinatorId, (Instant, Arc<CoordinatorAnnouncement>)>,
    /// The time of the last update.
    updated_at: Option<Instant>,
    lost_workers: LossTable<WorkerId, LostWorker>,
    lost_coordinators: LossTable<CoordinatorId, LostCoordinator>,
    /// The time up to which the workers that this coordinator has lost are known.
    own_losses_until: Option<Instant>,
}

impl FarmMembers {
    /// Takes note of the coordinators' announcements, and returns them with each worker once.
    pub(super) fn update(
        &mut self,
        now: Instant,
        announced: Vec<(CoordinatorId, CoordinatorAnnouncement)>,
    ) -> Vec<AnnouncedMember> {
        let present = each_worker_once(announced).into_iter();
        let present: Vec<_> = present.map(|(id, it)| (id, Arc::new(it))).collect();
        self.miss(now, &present);
        for (id, announcement) in &present {
            self.seen.insert(*id, (now, Arc::clone(announcement)));
            self.learn(now, announcement);
        }
        let coordinators: BTreeSet<_> = present.iter().map(|(id, _)| *id).collect();
        let endpoints: BTreeSet<_> = present.iter().map(|(_, it)| it.endpoint.as_str()).collect();
        let workers: BTreeSet<_> = present.iter().flat_map(|(_, it)| ids(it)).collect();
        self.lost_workers.forget(|id, _| workers.contains(id));
        // People know a coordinator by its address: one that was started again is back.
        self.lost_coordinators.forget(|id, lost| {
            coordinators.contains(id)
                || !lost.endpoint.is_empty() && endpoints.contains(lost.endpoint.as_str())
        });
        present
    }

    /// Records the workers that this coordinator, which has this `endpoint`, has lost.
    pub(super) fn lose(
        &mut self,
        now: Instant,
        endpoint: &str,
        lost: &[(Instant, AnnouncedWorker)],
    ) {
        let until = self.own_losses_until;
        for (at, worker) in lost.iter().filter(|(at, _)| until.is_none_or(|until| until < *at)) {
            self.own_losses_until = Some(*at);
            let Some(id) = id_of(worker) else { continue };
            let (worker, coordinator) = (Some(worker.clone()), endpoint.to_owned());
            let lost = LostWorker { worker, coordinator, lost_ms: 0 };
            self.lost_workers.add(now, id, now.duration_since(*at), lost);
        }
    }

    /// Returns the lost workers.
    pub(super) fn lost_workers(&self, now: Instant) -> Vec<LostWorker> {
        let listed = self.lost_workers.list(now).into_iter();
        listed.map(|(_, lost, lost_ms)| LostWorker { lost_ms, ..lost }).collect()
    }

    /// Returns the lost coordinators.
    pub(super) fn lost_coordinators(&self, now: Instant) -> Vec<LostCoordinator> {
        let listed = self.lost_coordinators.list(now).into_iter();
        listed.map(|(_, lost, lost_ms)| LostCoordinator { lost_ms, ..lost }).collect()
    }

    /// Finds the coordinators that have stopped announcing. A coordinator that did not announce
    /// that it leaves is lost, and its workers are lost until they appear elsewhere.
    fn miss(&mut self, now: Instant, announced: &[AnnouncedMember]) {
        // While the store did not answer, nobody could announce anything: that time does not count.
        let since_update = self.updated_at.replace(now).map_or(Duration::ZERO, |at| now - at);
        let outage = since_update.saturating_sub(RENEW_EVERY);
        self.seen.values_mut().for_each(|(at, _)| *at += outage);
        let is_there = |id| announced.iter().any(|(present, _)| *present == id);
        let is_gone = |&id: &CoordinatorId, (at, _): &mut (Instant, Arc<_>)| {
            !is_there(id) && PRESENCE_TTL <= now.duration_since(*at)
        };
        for (id, (at, announcement)) in self.seen.extract_if(.., is_gone) {
            if announcement.leaving {
                continue;
            }
            let CoordinatorAnnouncement { endpoint, build, workers, .. } = &*announcement;
            let age = now.duration_since(at);
            for worker in workers {
                let Some(worker_id) = id_of(worker) else { continue };
                let (worker, coordinator) = (Some(worker.clone()), endpoint.clone());
                let lost = LostWorker { worker, coordinator, lost_ms: 0 };
                self.lost_workers.add(now, worker_id, age, lost);
            }
            let incarnation = id.to_bytes().to_vec();
            let (endpoint, build) = (endpoint.clone(), build.clone());
            let lost = LostCoordinator { incarnation, endpoint, build, lost_ms: 0 };
            self.lost_coordinators.add(now, id, age, lost);
        }
    }

    /// Records the losses that a coordinator announces.
    fn learn(&mut self, now: Instant, announcement: &CoordinatorAnnouncement) {
        for lost in &announcement.lost_workers {
            let age = Duration::from_millis(lost.lost_ms);
            if let Some(id) = lost.worker.as_ref().and_then(id_of) {
                self.lost_workers.add(now, id, age, lost.clone());
            }
        }
        for lost in &announcement.lost_coordinators {
            let age = Duration::from_millis(lost.lost_ms);
            if let Some(id) = CoordinatorId::from_bytes(&lost.incarnation) {
                self.lost_coordinators.add(now, id, age, lost.clone());
            }
        }
    }
}

fn id_of(worker: &AnnouncedWorker) -> Option<WorkerId> {
    WorkerId::from_bytes(&worker.incarnation)
}

fn ids(announcement: &CoordinatorAnnouncement) -> impl Iterator<Item = WorkerId> {
    announcement.workers.iter().filter_map(id_of)
}

/// Leaves each worker to the coordinator that it joined last. While a worker moves, its earlier
/// coordinator may still announce it.
fn each_worker_once(
    mut announced: Vec<(CoordinatorId, CoordinatorAnnouncement)>,
) -> Vec<(CoordinatorId, CoordinatorAnnouncement)> {
    if announced.len() < 2 {
        return announced;
    }
    let mut homes: BTreeMap<WorkerId, (u64, CoordinatorId)> = BTreeMap::new();
    for (coordinator, announcement) in &announced {
        for worker in &announcement.workers {
            if let Some(id) = id_of(worker) {
                let home = (worker.joined_ms, *coordinator);
                homes.entry(id).and_modify(|known| *known = home.min(*known)).or_insert(home);
            }
        }
    }
    for (coordinator, announcement) in &mut announced {
        announcement.workers.retain(|worker| {
            id_of(worker).and_then(|id| homes.get(&id)).is_none_or(|(_, home)| home == coordinator)
        });
    }
    announced
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: CoordinatorId = CoordinatorId(1);
    const THERE: CoordinatorId = CoordinatorId(2);

    fn worker(id: u8, joined_ms: u64) -> AnnouncedWorker {
        AnnouncedWorker { incarnation: vec![id; 16], joined_ms, ..AnnouncedWorker::default() }
    }

    fn member(
        id: CoordinatorId,
        workers: Vec<AnnouncedWorker>,
    ) -> (CoordinatorId, CoordinatorAnnouncement) {
        let endpoint = format!("http://{}", id.0);
        (id, CoordinatorAnnouncement { endpoint, workers, ..CoordinatorAnnouncement::default() })
    }

    /// Returns the ids of the lost workers, and the addresses of the lost coordinators with the
    /// seconds since their loss.
    fn lost(members: &FarmMembers, now: Instant) -> (Vec<u8>, Vec<(String, u64)>) {
        let workers = members.lost_workers(now).into_iter();
        let workers = workers.map(|it| it.worker.unwrap().incarnation[0]);
        let coordinators = members.lost_coordinators(now).into_iter();
        let coordinators = coordinators.map(|it| (it.endpoint, it.lost_ms / 1000));
        (workers.collect(), coordinators.collect())
    }

    /// Has `HERE` alone announce itself for `seconds`.
    fn alone(
        members: &mut FarmMembers,
        from: Instant,
        seconds: u64,
        own: &(CoordinatorId, CoordinatorAnnouncement),
    ) {
        for second in 1..=seconds {
            members.update(from + Duration::from_secs(second), vec![own.clone()]);
        }
    }

    #[test]
    fn a_worker_that_moves_is_counted_once_where_it_joined_last() {
        let mut members = FarmMembers::default();
        let both = vec![
            member(HERE, vec![worker(7, 60_000), worker(8, 10)]),
            member(THERE, vec![worker(7, 300), worker(9, 20)]),
        ];
        let present = members.update(Instant::now(), both);
        let ids: Vec<Vec<u8>> = present
            .iter()
            .map(|(_, it)| it.workers.iter().map(|worker| worker.incarnation[0]).collect())
            .collect();
        assert_eq!(ids, [vec![8], vec![7, 9]]);
    }

    #[test]
    fn a_coordinator_that_falls_silent_is_lost_with_its_workers() {
        let (mut members, start) = (FarmMembers::default(), Instant::now());
        let there = member(THERE, vec![worker(7, 60_000), worker(8, 60_000)]);
        members.update(start, vec![member(HERE, vec![]), there.clone()]);
        // One of its workers has moved.
        alone(&mut members, start, 10, &member(HERE, vec![worker(8, 100)]));
        let now = start + Duration::from_secs(10);
        assert_eq!(lost(&members, now), (vec![7], vec![("http://2".to_owned(), 10)]));
        // Another coordinator learns of it.
        let mut other = FarmMembers::default();
        let lost_workers = members.lost_workers(now);
        let lost_coordinators = members.lost_coordinators(now);
        let (id, announcement) = member(HERE, vec![]);
        let announced = CoordinatorAnnouncement { lost_workers, lost_coordinators, ..announcement };
        other.update(now, vec![(id, announced)]);
        let later = now + Duration::from_secs(5);
        assert_eq!(lost(&other, later), (vec![7], vec![("http://2".to_owned(), 15)]));
        // It was started again at its address, and has its worker.
        let again = (CoordinatorId(3), there.1);
        other.update(later, vec![again]);
        assert_eq!(lost(&other, later), (vec![], vec![]));
    }

    #[test]
    fn a_coordinator_that_leaves_is_not_lost() {
        let (mut members, start) = (FarmMembers::default(), Instant::now());
        let (id, announcement) = member(THERE, vec![worker(7, 60_000)]);
        let leaving = CoordinatorAnnouncement { leaving: true, ..announcement };
        members.update(start, vec![(id, leaving)]);
        alone(&mut members, start, 10, &member(HERE, vec![]));
        assert_eq!(lost(&members, start + Duration::from_secs(10)), (vec![], vec![]));
    }

    #[test]
    fn a_worker_that_was_lost_here_and_came_back_stays_known() {
        let (mut members, start) = (FarmMembers::default(), Instant::now());
        let losses = [(start, worker(7, 10)), (start + Duration::from_secs(2), worker(8, 10))];
        let now = start + Duration::from_secs(5);
        members.lose(now, "http://1", &losses);
        assert_eq!(lost(&members, now).0, [8, 7]);
        members.update(now, vec![member(HERE, vec![]), member(THERE, vec![worker(7, 10)])]);
        // It left there in an orderly way; the loss here is the same as before.
        members.lose(now, "http://1", &losses);
        members.update(now, vec![member(HERE, vec![]), member(THERE, vec![])]);
        assert_eq!(lost(&members, now).0, [8]);
    }

    #[test]
    fn an_outage_of_the_store_loses_nobody() {
        let (mut members, start) = (FarmMembers::default(), Instant::now());
        let both = vec![member(HERE, vec![]), member(THERE, vec![worker(7, 60_000)])];
        members.update(start, both.clone());
        let back = start + Duration::from_secs(600);
        members.update(back, vec![both[0].clone()]);
        assert_eq!(lost(&members, back), (vec![], vec![]));
        members.update(back + Duration::from_secs(1), both);
        assert_eq!(lost(&members, back + Duration::from_secs(1)), (vec![], vec![]));
    }
}
