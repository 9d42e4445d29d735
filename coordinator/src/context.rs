//! What every part of a coordinator may hold.

use std::num::NonZeroU64;
use std::sync::Arc;

use hatchery_core::Catalog;
use hatchery_meters::CoordinatorMeters;
use tokio::sync::watch;

use crate::event::{Event, EventBus, Stamped};
use crate::hands::Hands;
use crate::store::{RunId, Store, StoreError};

/// Handles to what the parts of a coordinator share. Clones are handles to the same.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    /// Where plans and folds run.
    pub(crate) hands: Hands,
    /// Which coordinator this is: unique in the farm, new at each start.
    pub(crate) incarnation: u128,
    pub(crate) meters: Arc<CoordinatorMeters>,
    pub(crate) events: EventBus,
    /// The slots of all workers of the farm.
    pub(crate) slots: watch::Receiver<u32>,
    /// The most trials in a job of the runs that are led here: they have a second's worth otherwise.
    pub(crate) job_trials: Option<NonZeroU64>,
}

impl Context {
    /// Publishes an event and stores it.
    ///
    /// # Errors
    /// If it can't be stored.
    pub(crate) async fn keep(&self, run: RunId, event: Event) -> Result<(), StoreError> {
        let stamped = self.events.publish(event);
        self.store_event(run, &stamped).await
    }

    /// Stores an event that is published already.
    ///
    /// # Errors
    /// If it can't be stored.
    pub(crate) async fn store_event(
        &self,
        run: RunId,
        stamped: &Stamped,
    ) -> Result<(), StoreError> {
        let json = serde_json::to_vec(stamped).expect("events are plain data");
        self.store.append_event(run, &json).await?;
        if stamped.event.is_the_last() {
            self.events.ended(run);
        }
        Ok(())
    }
}
