//! Views of a store: the operations that each part of a coordinator may execute.

use std::marker::PhantomData;

use tokio::sync::broadcast;

use crate::backend::Store;
use crate::error::StoreError;
use crate::membership::StoreChange;
use crate::operation::{AllowedIn, SupervisorView};

/// A store as one part of a coordinator sees it, which executes the operations of its view only.
/// The list in [`operation`](crate::operation) says which these are.
///
/// ```
/// use hatchery_store::operation::{DispatchView, LeaseJobs};
/// use hatchery_store::{LeasedJob, StoreError, StoreView};
///
/// async fn more_jobs(
///     store: StoreView<'_, DispatchView>,
///     lease: LeaseJobs,
/// ) -> Result<Vec<LeasedJob>, StoreError> {
///     store.execute(lease).await
/// }
/// ```
///
/// Dispatch leads no run:
/// ```compile_fail,E0277
/// use hatchery_store::operation::{DispatchView, TakeLead};
/// use hatchery_store::{LeaderState, StoreError, StoreView};
///
/// async fn lead(
///     store: StoreView<'_, DispatchView>,
///     lead: TakeLead,
/// ) -> Result<LeaderState, StoreError> {
///     store.execute(lead).await
/// }
/// ```
#[derive(Debug)]
pub struct StoreView<'a, View> {
    store: &'a Store,
    view: PhantomData<View>,
}

impl<View> Clone for StoreView<'_, View> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<View> Copy for StoreView<'_, View> {}

impl Store {
    /// Returns this store as the part that `View` is for sees it.
    #[must_use]
    pub fn view<View>(&self) -> StoreView<'_, View> {
        StoreView { store: self, view: PhantomData }
    }
}

impl<View> StoreView<'_, View> {
    /// Executes an operation of this view and returns its answer.
    ///
    /// # Errors
    /// The errors of [`Store::execute`].
    pub async fn execute<Op: AllowedIn<View>>(
        &self,
        operation: Op,
    ) -> Result<Op::Answer, StoreError> {
        self.store.execute(operation).await
    }
}

impl StoreView<'_, SupervisorView> {
    /// Returns the changes made by other processes from now on.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.store.changes()
    }
}
