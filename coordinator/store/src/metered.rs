//! A store whose calls are counted.

use std::sync::Arc;

use async_trait::async_trait;
use hatchery_meters::CoordinatorMeters;
use hatchery_meters::labels::StoreErrorKind;
use tokio::sync::broadcast;
use tokio::time::Instant;

use super::error::StoreError;
use super::membership::StoreChange;
use super::outage::OutageLog;
use super::{Store, StoreAnswer, StoreBackend, StoreCall, StoreOperation as _, redis};

/// A store whose calls are counted.
#[derive(Debug)]
pub struct MeteredStore {
    store: Store,
    meters: Arc<CoordinatorMeters>,
    outages: Arc<OutageLog>,
}

impl MeteredStore {
    /// Counts the calls to `store`, and records its outages.
    pub fn new(store: Store, meters: Arc<CoordinatorMeters>, outages: Arc<OutageLog>) -> Self {
        Self { store, meters, outages }
    }
}

#[async_trait]
impl StoreBackend for MeteredStore {
    async fn execute(&self, call: StoreCall) -> Result<StoreAnswer, StoreError> {
        let (name, begun) = (call.name(), Instant::now());
        let outcome = self.store.execute(call).await;
        self.outages.record(name, &outcome);
        let kind = outcome.as_ref().err().and_then(trouble);
        self.meters.store.observe_call(name, begun.elapsed(), kind);
        outcome
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.store.changes()
    }
}

/// Returns the kind of a store's failure; `None` for an answer, such as that there is no such run.
fn trouble(error: &StoreError) -> Option<StoreErrorKind> {
    match error {
        StoreError::NoRun { .. } => None,
        StoreError::Fenced { .. } => Some(StoreErrorKind::Fenced),
        StoreError::OutOfStep { .. } => Some(StoreErrorKind::Stale),
        StoreError::Unavailable { source, .. } => Some(match redis::refusal(source.as_ref()) {
            Some("OOM") => StoreErrorKind::Oom,
            Some("MISCONF") => StoreErrorKind::Misconf,
            Some("LOADING") => StoreErrorKind::Loading,
            _ => StoreErrorKind::Io,
        }),
        StoreError::WrongAnswer { .. }
        | StoreError::WrongChunk { .. }
        | StoreError::LargePart(_)
        | StoreError::PartRemoved { .. }
        | StoreError::PartLost { .. }
        | StoreError::PartDamaged { .. }
        | StoreError::RunDamaged { .. }
        | StoreError::PartPlace { .. }
        | StoreError::Locked { .. }
        | StoreError::Unsuitable { .. }
        | StoreError::WrongFormat { .. }
        | StoreError::Damaged { .. } => Some(StoreErrorKind::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunId;

    #[test]
    fn what_is_wrong_is_told_apart() {
        let run = RunId(ulid::Ulid(1));
        let full = std::io::Error::other("no space left on device");
        let source: Box<dyn std::error::Error + Send + Sync> = Box::new(full);
        let unavailable = StoreError::Unavailable { place: "here".to_owned(), source };
        assert_eq!(trouble(&unavailable), Some(StoreErrorKind::Io));
        assert_eq!(trouble(&StoreError::Fenced { run }), Some(StoreErrorKind::Fenced));
        assert_eq!(trouble(&StoreError::NoRun { run }), None);
    }
}
