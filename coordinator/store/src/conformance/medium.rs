//! The places where the suite opens the stores that it checks.

use async_trait::async_trait;
use tokio::runtime::Runtime;

use crate::Store;

/// A place that keeps a store's data while no store is open on it.
#[async_trait]
pub trait Medium: Send + Sync {
    /// Opens the store: everything acknowledged before is kept, but nothing is leased, and runs
    /// that do not exist have no parts. The store opened last was dropped before, unless the medium
    /// is [shared](Self::shared).
    async fn open(&self) -> Store;

    /// Returns true if several stores can be open on it at the same time, as in several processes.
    fn shared(&self) -> bool {
        false
    }

    /// Returns true if the store keeps chunks of unfinished parts when it is opened again: the
    /// contract leaves this open.
    fn keeps_open_parts(&self) -> bool {
        true
    }
}

/// Creates a runtime for a check: a single thread, and more threads for blocking calls.
pub(super) fn runtime() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().expect("the system has room for a runtime")
}
