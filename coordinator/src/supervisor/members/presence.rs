//! Announces this coordinator to the other coordinators of its store, and keeps their
//! announcements.

use std::sync::Arc;
use std::time::Duration;

use hatchery_core::error_chain;
use hatchery_store::StoreError;
use hatchery_store::operation::{AnnounceCoordinator, ListCoordinators, WithdrawCoordinator};
use prost::Message as _;
use tokio::sync::watch::{self, Ref};
use tokio::time::Instant;

use super::{AnnouncedMember, FarmMembers, RENEW_EVERY};
use crate::base::context::CoordinatorContext;
use crate::dispatch::{PeerCoordinator, WorkerSummary};
use crate::run::record::{AnnouncedLead, CoordinatorAnnouncement, LostCoordinator, LostWorker};
use crate::supervisor::scaling::FarmCapacity;

/// The interval at which all runs are reconciled.
pub(crate) const TICK: Duration = Duration::from_millis(500);

/// The time within which every coordinator reads the announcements of all other coordinators.
const READ_WITHIN: Duration = RENEW_EVERY.saturating_add(TICK);

/// The farm as this coordinator sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FarmView {
    /// The last announcements of the farm's coordinators. Each worker is in a single announcement.
    pub(crate) coordinators: Vec<Arc<CoordinatorAnnouncement>>,
    /// The workers that were lost within the last hour, the latest first.
    pub(crate) lost_workers: Vec<LostWorker>,
    /// The coordinators that were lost within the last hour, the latest first.
    pub(crate) lost_coordinators: Vec<LostCoordinator>,
    /// The time at which the announcements were read.
    pub(crate) read_at: Option<Instant>,
    /// The last call of the store succeeded.
    pub(crate) store_answers: bool,
    /// The number of workers wanted.
    pub(crate) desired_workers: u32,
}

impl FarmView {
    /// Returns the workers and slots of the farm, summed over its coordinators.
    pub(crate) fn capacity(&self) -> FarmCapacity {
        let mut capacity = FarmCapacity::default();
        for worker in self.coordinators.iter().flat_map(|coordinator| &coordinator.workers) {
            capacity.n_workers += 1;
            capacity.n_slots = capacity.n_slots.saturating_add(worker.slots);
        }
        capacity
    }
}

/// The presence of this coordinator in the farm.
pub(crate) struct Presence {
    context: CoordinatorContext,
    /// The URL at which workers and clients reach this coordinator; empty if it does not listen.
    endpoint: String,
    /// The workers connected here.
    workers: watch::Receiver<WorkerSummary>,
    /// Publishes the view of the farm.
    farm: watch::Sender<FarmView>,
    /// Publishes the slots of the farm.
    slots: watch::Sender<u32>,
    /// The members of the farm.
    members: FarmMembers,
    /// The time from which this coordinator has announced that it leaves.
    leaving_since: Option<Instant>,
}

impl Presence {
    pub(crate) fn new(
        context: CoordinatorContext,
        endpoint: String,
        workers: watch::Receiver<WorkerSummary>,
        farm: watch::Sender<FarmView>,
        slots: watch::Sender<u32>,
    ) -> Self {
        let (members, leaving_since) = (FarmMembers::default(), None);
        Self { context, endpoint, workers, farm, slots, members, leaving_since }
    }

    /// Has the next announcements say that this coordinator leaves.
    pub(crate) fn leave(&mut self) {
        self.leaving_since.get_or_insert_with(Instant::now);
    }

    /// Has the next announcements say that this coordinator stays.
    pub(crate) fn stay(&mut self) {
        self.leaving_since = None;
    }

    /// Waits until the workers connected here have changed; returns `false` if they never will.
    pub(crate) async fn workers_changed(&mut self) -> bool {
        self.workers.changed().await.is_ok()
    }

    /// Announces this coordinator and the runs that it leads. Returns the announcements of the
    /// farm's coordinators; `None` if the store fails.
    pub(crate) async fn announce(
        &mut self,
        led: Vec<AnnouncedLead>,
    ) -> Option<Vec<PeerCoordinator>> {
        match self.exchange(led).await {
            Ok(announced) => Some(self.publish(announced)),
            Err(error) => {
                self.store_failed(&error);
                None
            }
        }
    }

    async fn exchange(
        &mut self,
        led: Vec<AnnouncedLead>,
    ) -> Result<Vec<AnnouncedMember>, StoreError> {
        let WorkerSummary { workers, runs, lost } = self.workers.borrow_and_update().clone();
        let now = Instant::now();
        self.members.lose(now, &self.endpoint, &lost);
        let announcement = CoordinatorAnnouncement {
            endpoint: self.endpoint.clone(),
            workers,
            build: env!("CARGO_PKG_VERSION").to_owned(),
            runs,
            led,
            leaving: self.leaving_since.is_some(),
            lost_workers: self.members.lost_workers(now),
            lost_coordinators: self.members.lost_coordinators(now),
        };
        let announcement = announcement.encode_to_vec();
        let (store, coordinator) = (self.context.store.supervisor(), self.context.incarnation);
        store.execute(AnnounceCoordinator { coordinator, announcement }).await?;
        let announced = store.execute(ListCoordinators).await?;
        let announced = announced.into_iter().filter_map(|(id, bytes)| {
            Some((id, CoordinatorAnnouncement::decode(bytes.as_slice()).ok()?))
        });
        Ok(self.members.update(Instant::now(), announced.collect()))
    }

    fn publish(&self, announced: Vec<AnnouncedMember>) -> Vec<PeerCoordinator> {
        let peers = announced
            .iter()
            .map(|(id, announcement)| {
                PeerCoordinator::new(*id, &announcement.workers, &announcement.runs)
            })
            .collect();
        let coordinators = announced.into_iter().map(|(_, announcement)| announcement).collect();
        let (desired_workers, store_answers) = (self.farm.borrow().desired_workers, true);
        let now = Instant::now();
        let farm = FarmView {
            coordinators,
            lost_workers: self.members.lost_workers(now),
            lost_coordinators: self.members.lost_coordinators(now),
            read_at: Some(now),
            store_answers,
            desired_workers,
        };
        let slots = farm.capacity().n_slots;
        self.slots.send_if_modified(|known| std::mem::replace(known, slots) != slots);
        self.farm.send_replace(farm);
        self.context.meters.store.set_up(true);
        peers
    }

    /// Notes that the store failed, and logs the first failure in a row.
    pub(crate) fn store_failed(&self, error: &StoreError) {
        let noticed =
            self.farm.send_if_modified(|farm| std::mem::replace(&mut farm.store_answers, false));
        self.context.meters.store.set_up(false);
        if noticed {
            tracing::error!(error = error_chain(error), "the store does not answer");
        }
    }

    /// Returns the farm as last announced.
    pub(crate) fn view(&self) -> Ref<'_, FarmView> {
        self.farm.borrow()
    }

    /// Returns whether workers are connected here.
    pub(crate) fn has_workers(&self) -> bool {
        !self.workers.borrow().workers.is_empty()
    }

    /// Returns the workers and slots of the farm, as last announced.
    pub(crate) fn capacity(&self) -> FarmCapacity {
        self.farm.borrow().capacity()
    }

    /// Publishes the number of workers that the farm should have.
    pub(crate) fn set_desired_workers(&self, desired: u32) {
        self.farm.send_if_modified(|farm| {
            std::mem::replace(&mut farm.desired_workers, desired) != desired
        });
    }

    /// Returns the time by which the other coordinators will have read that this coordinator
    /// leaves; `None` if there are no other coordinators.
    pub(crate) fn unread_until(&self) -> Option<Instant> {
        let has_others = 1 < self.view().coordinators.len();
        Some(self.leaving_since.filter(|_| has_others)? + READ_WITHIN)
    }

    /// Withdraws the announcement.
    pub(crate) async fn withdraw(&self) {
        let (store, coordinator) = (self.context.store.supervisor(), self.context.incarnation);
        if let Err(error) = store.execute(WithdrawCoordinator { coordinator }).await {
            self.store_failed(&error);
        }
    }
}
