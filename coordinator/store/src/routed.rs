//! A store of stores: each run has its own store.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::{RwLock, broadcast};

use super::error::StoreError;
use super::membership::StoreChange;
use super::operation::{DeleteRun, ListRuns, ReadOverviews, StoreOperation};
use super::{RunId, RunOverview, Store, StoreAnswer, StoreBackend, StoreCall};

/// A store whose runs are in stores of their own, which are added and removed while it is in use.
/// Clones are handles to the same store.
///
/// A run without a store does not exist.
#[derive(Clone, Debug)]
pub struct RoutedStore(Arc<Routes>);

#[derive(Debug)]
struct Routes {
    /// Has what belongs to no run.
    common: Store,
    /// The stores of the runs. Behind a lock, as calls come from every part of a coordinator; it is
    /// held for a look at the map.
    runs: Mutex<BTreeMap<RunId, Route>>,
}

/// The store of a run, which calls lock for reading, so that its removal waits for them. `None`
/// once it is removed.
type Route = Arc<RwLock<Option<Store>>>;

impl RoutedStore {
    /// Creates a store without runs; `common` has what belongs to no run.
    #[must_use]
    pub fn new(common: Store) -> Self {
        Self(Arc::new(Routes { common, runs: Mutex::default() }))
    }

    /// Adds the store of a run, which need not be created yet.
    pub fn insert(&self, run: RunId, store: Store) {
        self.0.runs().insert(run, Arc::new(RwLock::new(Some(store))));
    }

    /// Removes the store of a run. When this returns, no call to it is in progress, and the handle
    /// that was added is dropped.
    pub async fn remove(&self, run: RunId) {
        let route = self.0.runs().remove(&run);
        if let Some(route) = route {
            route.write().await.take();
        }
    }
}

impl Routes {
    fn runs(&self) -> MutexGuard<'_, BTreeMap<RunId, Route>> {
        // A map is whole after any panic.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Executes an operation in the store of `run`; `None` if the run has no store.
    async fn execute_in<Op: StoreOperation>(
        &self,
        run: RunId,
        operation: Op,
    ) -> Result<Option<Op::Answer>, StoreError> {
        let route = self.runs().get(&run).cloned();
        let Some(route) = route else { return Ok(None) };
        let store = route.read().await;
        match &*store {
            Some(store) => store.execute(operation).await.map(Some),
            None => Ok(None),
        }
    }

    async fn list(&self) -> Result<Vec<RunId>, StoreError> {
        let routes: Vec<_> = self.runs().keys().copied().collect();
        let mut runs = Vec::new();
        for run in routes {
            runs.extend(self.execute_in(run, ListRuns).await?.unwrap_or_default());
        }
        Ok(runs)
    }

    async fn overviews(&self, runs: Vec<RunId>) -> Result<Vec<Option<RunOverview>>, StoreError> {
        let mut overviews = Vec::with_capacity(runs.len());
        for run in runs {
            let found = self.execute_in(run, ReadOverviews { runs: vec![run] }).await?;
            overviews.push(found.into_iter().flatten().next().flatten());
        }
        Ok(overviews)
    }
}

#[async_trait]
impl StoreBackend for RoutedStore {
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError> {
        let Self(routes) = self;
        match call {
            StoreCall::ListRuns(_) => routes.list().await.map(StoreAnswer::ListRuns),
            StoreCall::FindLastRun(_) => {
                routes.list().await.map(|runs| StoreAnswer::FindLastRun(runs.last().copied()))
            }
            StoreCall::ReadOverviews(ReadOverviews { runs }) => {
                routes.overviews(runs).await.map(StoreAnswer::ReadOverviews)
            }
            StoreCall::DeleteRun(DeleteRun { run }) => {
                routes.execute_in(run, DeleteRun { run }).await?;
                // The common store has the idempotency keys of the run.
                routes.common.execute(DeleteRun { run }).await.map(StoreAnswer::DeleteRun)
            }
            call @ StoreCall::RunForKey(_) => routes.common.execute(call).await,
            call => match call.run() {
                Some(run) => routes.execute_in(run, call).await?.ok_or(StoreError::NoRun { run }),
                None => routes.common.execute(call).await,
            },
        }
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.0.common.changes()
    }
}
