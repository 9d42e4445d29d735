//! A store whose calls are counted.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hatchery_core::Digest;
use hatchery_meters::CoordinatorMeters;
use hatchery_meters::labels::StoreErrorKind;
use tokio::sync::broadcast;
use tokio::time::Instant;

use super::outage::OutageLog;
use super::{
    AttemptId, CoordinatorId, DeadJobRecord, EnqueueBatch, FoldCommit, JobId, JobResult,
    LeaderState, LeaderToken, LeasedJob, ResultPage, Rewind, RunId, RunOverview, RunPosition,
    RunState, SteerAction, Store, StoreError, StoreVerdict, WorkerId, redis,
};
use crate::store::membership::{Membership, RunClaim, StoreChange};

/// A store whose calls are counted.
#[derive(Debug)]
pub(crate) struct MeteredStore {
    store: Arc<dyn Store>,
    meters: Arc<CoordinatorMeters>,
    outages: Arc<OutageLog>,
}

impl MeteredStore {
    /// Counts the calls to `store`, and records its outages.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        meters: Arc<CoordinatorMeters>,
        outages: Arc<OutageLog>,
    ) -> Self {
        Self { store, meters, outages }
    }

    fn count<T>(&self, op: &'static str, took: Duration, outcome: &Result<T, StoreError>) {
        self.outages.record(op, outcome);
        self.meters.store.observe_call(op, took, outcome.as_ref().err().and_then(trouble));
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
        StoreError::Locked { .. }
        | StoreError::Unsuitable { .. }
        | StoreError::WrongFormat { .. }
        | StoreError::Damaged { .. } => Some(StoreErrorKind::Damaged),
    }
}

/// A trait whose methods ask the store and count that.
macro_rules! metered {
    ($trait:ident {
        $($op:ident($($name:ident: $type:ty),*) -> $answer:ty;)*
    } $($rest:tt)*) => {
        #[async_trait]
        impl $trait for MeteredStore {
            $(async fn $op(&self, $($name: $type),*) -> Result<$answer, StoreError> {
                let begun = Instant::now();
                let outcome = self.store.$op($($name),*).await;
                self.count(stringify!($op), begun.elapsed(), &outcome);
                outcome
            })*

            $($rest)*
        }
    };
}

metered! {
    Store {
        create(run: RunId, record: &[u8], checkpoint: &[u8], summary: &[u8]) -> bool;
        run_for(key: Digest, run: RunId) -> RunId;
        delete(run: RunId) -> ();
        runs() -> Vec<RunId>;
        overviews(runs: &[RunId]) -> Vec<Option<RunOverview>>;
        summarize(run: RunId, summary: &[u8]) -> ();
        record(run: RunId) -> Vec<u8>;
        position(run: RunId) -> RunPosition;
        standing(lead: &LeaderToken) -> RunPosition;
        checkpoint(run: RunId) -> Vec<u8>;
        lead(run: RunId) -> LeaderState;
        enqueue(lead: &LeaderToken, enqueue: EnqueueBatch) -> ();
        enqueue_and_lease(
            lead: &LeaderToken, enqueue: EnqueueBatch, consumer: CoordinatorId, most: usize
        ) -> Vec<LeasedJob>;
        lease(run: RunId, consumer: CoordinatorId, most: usize) -> Vec<LeasedJob>;
        release(run: RunId, consumer: CoordinatorId, jobs: &[JobId]) -> ();
        renew(run: RunId, consumer: CoordinatorId, jobs: &[JobId]) -> Vec<JobId>;
        adopt(run: RunId, consumer: CoordinatorId, jobs: &[JobId]) -> Vec<LeasedJob>;
        jobs(run: RunId, jobs: &[JobId]) -> Vec<Option<Vec<u8>>>;
        attempt(run: RunId, job: JobId, id: AttemptId, attempt: &[u8]) -> Vec<Vec<u8>>;
        park(run: RunId, consumer: CoordinatorId, job: JobId) -> ();
        parked(run: RunId, from: u64, most: usize) -> Vec<DeadJobRecord>;
        retry(run: RunId, jobs: &[JobId]) -> u64;
        complete(run: RunId, results: Vec<(JobId, JobResult)>) -> Vec<StoreVerdict>;
        results(run: RunId, from: u64, most: usize) -> ResultPage;
        fold(lead: &LeaderToken, fold: FoldCommit) -> ();
        skip(lead: &LeaderToken, results: Vec<(JobId, JobResult)>) -> ();
        disown(lead: &LeaderToken, worker: WorkerId) -> u64;
        rewind(lead: &LeaderToken, rewind: Rewind) -> ();
        pause(lead: &LeaderToken) -> ();
        fail(lead: &LeaderToken, reason: &str) -> ();
        steer(run: RunId, steer: SteerAction) -> RunState;
        generations(run: RunId, from: u32) -> Vec<Vec<u8>>;
        append_event(run: RunId, event: &[u8]) -> ();
        events(run: RunId, from: u64) -> Vec<Vec<u8>>;
        blob(run: RunId, hash: Digest) -> Option<Vec<u8>>;
    }
}

metered! {
    Membership {
        claim(run: RunId, coordinator: CoordinatorId, progress: &[u8]) -> bool;
        unclaim(run: RunId, coordinator: CoordinatorId) -> ();
        claimed(run: RunId) -> Option<RunClaim>;
        announce(coordinator: CoordinatorId, announcement: &[u8]) -> ();
        withdraw(coordinator: CoordinatorId) -> ();
        announced() -> Vec<(CoordinatorId, Vec<u8>)>;
        quarantine(worker: WorkerId, reason: &str) -> ();
        quarantined() -> Vec<(WorkerId, String)>;
        secret() -> [u8; 32];
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.store.changes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
