//! The interface of a store: the backend trait, and the handle that its users hold.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::broadcast;

use hatchery_core::part::{MAX_PART_BYTES, PartTooLarge};

use super::error::StoreError;
use super::membership::StoreChange;
use super::operation::{
    CreateRun, EnqueueAndLease, FoldResults, StoreAnswer, StoreCall, StoreOperation, WritePart,
};

/// The data behind a [`Store`]: a backend that keeps data, or a backend that wraps another.
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
    /// The errors that the contract names for the operation, and the errors of a store that cannot
    /// be used.
    pub async fn execute<Op: StoreOperation>(
        &self,
        operation: Op,
    ) -> Result<Op::Answer, StoreError> {
        let call = operation.into();
        check(&call)?;
        Op::parse(self.0.execute(call).await?)
    }

    /// Returns the changes made by other processes from now on.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.0.changes()
    }
}

/// Checks the parts in a call: whatever is wrong with them does not depend on the store.
fn check(call: &StoreCall) -> Result<(), StoreError> {
    let parts = match call {
        StoreCall::WritePart(WritePart { part, index, chunk, .. }) => {
            let (part, index, n_bytes) = (*part, *index, chunk.len());
            return match part.chunk_bytes(index) == Some(n_bytes) {
                true => Ok(()),
                false => Err(StoreError::WrongChunk { part, index, n_bytes }),
            };
        }
        StoreCall::CreateRun(CreateRun { parts, .. }) => parts,
        StoreCall::EnqueueAndLease(EnqueueAndLease { enqueue, .. }) => &enqueue.parts,
        StoreCall::FoldResults(FoldResults { fold, .. }) => &fold.parts,
        _ => return Ok(()),
    };
    match parts.iter().map(Vec::len).find(|n_bytes| MAX_PART_BYTES < *n_bytes) {
        Some(n_bytes) => Err(PartTooLarge { n_bytes: n_bytes as u64 }.into()),
        None => Ok(()),
    }
}
