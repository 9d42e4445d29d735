//! Where the suite finds the stores that it checks.

use async_trait::async_trait;
use tokio::runtime::Runtime;

use crate::store::Store;

/// What keeps a store's data while no store is open on it.
#[async_trait]
pub trait Medium: Send + Sync {
    /// Opens the store: what was acknowledged before is there, and nothing is leased. The store
    /// opened last was dropped before, unless the medium is [shared](Self::shared).
    async fn open(&self) -> Box<dyn Store>;

    /// Whether several stores can be open on it at the same time, as in several processes.
    fn shared(&self) -> bool {
        false
    }
}

/// A runtime for a check: one thread, and others for what blocks.
pub(super) fn runtime() -> Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().expect("the system has room for a runtime")
}
