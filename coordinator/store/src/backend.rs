//! The interface of a store: what a backend does, and the handle that its users hold.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::broadcast;

use super::error::StoreError;
use super::membership::StoreChange;
use super::operation::{StoreAnswer, StoreCall, StoreOperation};

/// The data behind a [`Store`]: one that keeps it, or one that wraps another.
#[async_trait]
pub trait StoreBackend: Send + Sync + fmt::Debug + 'static {
    /// Executes an operation, as the contract of the store says, and returns its answer: the
    /// variant of the same name.
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError>;

    /// Returns the changes made by other processes from now on.
    fn changes(&self) -> broadcast::Receiver<StoreChange>;
}

/// A store of runs: a handle to its backend, which ends with the last clone.
#[derive(Clone, Debug)]
pub struct Store(Arc<dyn StoreBackend>);

impl Store {
    /// Creates a handle to `backend`.
    pub fn new(backend: impl StoreBackend) -> Self {
        Self(Arc::new(backend))
    }

    /// Executes an operation and returns its answer.
    ///
    /// # Errors
    /// Those that the contract names for the operation, and those of a store that cannot be used.
    pub async fn execute<Op: StoreOperation>(
        &self,
        operation: Op,
    ) -> Result<Op::Answer, StoreError> {
        Op::parse(self.0.execute(operation.into()).await?)
    }

    /// Returns the changes made by other processes from now on.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.0.changes()
    }
}
