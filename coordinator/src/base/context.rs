//! The handles that every part of a coordinator may hold.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use hatchery_core::Catalog;
use hatchery_meters::CoordinatorMeters;
use hatchery_store::operation::{
    AppendEvent, ControlView, DispatchView, EventView, LeaderView, SummaryView, SupervisorView,
};
use hatchery_store::{CoordinatorId, RunId, Store, StoreError, StoreView};
use tokio::sync::watch;

use super::compute_pool::ComputePool;
use super::event::{Event, EventBus, StampedEvent};

/// The shared handles of a coordinator. Clones are handles to the same parts.
#[derive(Clone, Debug)]
pub(crate) struct CoordinatorContext {
    pub(crate) store: StoreViews,
    pub(crate) catalog: Catalog,
    /// Runs plans and folds.
    pub(crate) compute_pool: ComputePool,
    /// The id of this coordinator: unique in the farm, new at each start.
    pub(crate) incarnation: CoordinatorId,
    pub(crate) meters: Arc<CoordinatorMeters>,
    pub(crate) events: EventBus,
    /// The number of slots in the farm, over all workers.
    pub(crate) slots: watch::Receiver<u32>,
    /// The most trials in a job of runs led here; `None` for about a second of work per job.
    pub(crate) job_trials: Option<NonZeroU64>,
    /// Time without progress after which a job counts as hanging; `None` for the time that its run
    /// sets.
    pub(crate) stall: Option<Duration>,
    /// The clock that orders and dates new runs, in milliseconds since 1970.
    pub(crate) clock: fn() -> u64,
}

impl CoordinatorContext {
    /// Publishes and stores an event.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub(crate) async fn keep(&self, run: RunId, event: Event) -> Result<(), StoreError> {
        let stamped = self.events.publish(event);
        self.store_event(run, &stamped).await
    }

    /// Stores an event that has been published.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub(crate) async fn store_event(
        &self,
        run: RunId,
        stamped: &StampedEvent,
    ) -> Result<(), StoreError> {
        let json = serde_json::to_vec(stamped).expect("events are plain data");
        self.store.events().execute(AppendEvent { run, event: json }).await?;
        if stamped.event.is_the_last() {
            self.events.ended(run);
        }
        Ok(())
    }
}

/// The store; each part of the coordinator borrows its own view of the store.
#[derive(Clone, Debug)]
pub(crate) struct StoreViews(Store);

impl StoreViews {
    /// The views of `store`.
    pub(crate) fn new(store: Store) -> Self {
        Self(store)
    }

    pub(crate) fn leader(&self) -> StoreView<'_, LeaderView> {
        self.0.view()
    }

    pub(crate) fn dispatch(&self) -> StoreView<'_, DispatchView> {
        self.0.view()
    }

    pub(crate) fn supervisor(&self) -> StoreView<'_, SupervisorView> {
        self.0.view()
    }

    pub(crate) fn control(&self) -> StoreView<'_, ControlView> {
        self.0.view()
    }

    pub(crate) fn summaries(&self) -> StoreView<'_, SummaryView> {
        self.0.view()
    }

    fn events(&self) -> StoreView<'_, EventView> {
        self.0.view()
    }
}
