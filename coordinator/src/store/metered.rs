//! A store whose calls are counted.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hatchery_core::Digest;
use hatchery_meters::CoordinatorMeters;
use hatchery_meters::labels::StoreTrouble;
use tokio::sync::broadcast;
use tokio::time::Instant;

use super::{
    Enqueue, Fold, Harvest, JobId, JobResult, Lead, Led, Parked, Position, Rewind, RunId, RunState,
    Steer, Store, StoreError, Verdict, redis,
};
use crate::store::roster::{Bell, Claim, Roster};

/// A store whose calls are counted.
#[derive(Debug)]
pub(crate) struct MeteredStore {
    store: Arc<dyn Store>,
    meters: Arc<CoordinatorMeters>,
}

impl MeteredStore {
    /// Counts the calls to `store`.
    pub(crate) fn new(store: Arc<dyn Store>, meters: Arc<CoordinatorMeters>) -> Self {
        Self { store, meters }
    }

    fn count<T>(&self, op: &'static str, took: Duration, outcome: &Result<T, StoreError>) {
        self.meters.store.called(op, took, outcome.as_ref().err().and_then(trouble));
    }
}

/// What is wrong with a store that says so; that there is no such run is an answer.
fn trouble(error: &StoreError) -> Option<StoreTrouble> {
    match error {
        StoreError::NoRun { .. } => None,
        StoreError::Fenced { .. } => Some(StoreTrouble::Fenced),
        StoreError::OutOfStep { .. } => Some(StoreTrouble::Stale),
        StoreError::Unavailable { source, .. } => Some(match redis::refusal(source.as_ref()) {
            Some("OOM") => StoreTrouble::Oom,
            Some("MISCONF") => StoreTrouble::Misconf,
            Some("LOADING") => StoreTrouble::Loading,
            _ => StoreTrouble::Io,
        }),
        StoreError::Locked { .. }
        | StoreError::Unsuitable { .. }
        | StoreError::WrongFormat { .. }
        | StoreError::Damaged { .. } => Some(StoreTrouble::Damaged),
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
        create(run: RunId, record: &[u8], checkpoint: &[u8]) -> ();
        run_for(key: Digest, run: RunId) -> RunId;
        delete(run: RunId) -> ();
        runs() -> Vec<RunId>;
        record(run: RunId) -> Vec<u8>;
        position(run: RunId) -> Position;
        standing(lead: &Lead) -> Position;
        checkpoint(run: RunId) -> Vec<u8>;
        lead(run: RunId) -> Led;
        enqueue(lead: &Lead, enqueue: Enqueue) -> ();
        enqueue_and_lease(lead: &Lead, enqueue: Enqueue, consumer: u128, most: usize)
            -> Vec<(JobId, Vec<u8>)>;
        lease(run: RunId, consumer: u128, most: usize) -> Vec<(JobId, Vec<u8>)>;
        release(run: RunId, consumer: u128, jobs: &[JobId]) -> ();
        renew(run: RunId, consumer: u128, jobs: &[JobId]) -> Vec<JobId>;
        adopt(run: RunId, consumer: u128, jobs: &[JobId]) -> Vec<(JobId, Vec<u8>)>;
        jobs(run: RunId, jobs: &[JobId]) -> Vec<Option<Vec<u8>>>;
        attempt(run: RunId, job: JobId, id: u128, attempt: &[u8]) -> Vec<Vec<u8>>;
        park(run: RunId, consumer: u128, job: JobId) -> ();
        parked(run: RunId, from: u64, most: usize) -> Vec<Parked>;
        retry(run: RunId, jobs: &[JobId]) -> u64;
        complete(run: RunId, results: Vec<(JobId, JobResult)>) -> Vec<Verdict>;
        results(run: RunId, from: u64, most: usize) -> Harvest;
        fold(lead: &Lead, fold: Fold) -> ();
        skip(lead: &Lead, results: Vec<(JobId, JobResult)>) -> ();
        disown(lead: &Lead, worker: u128) -> u64;
        rewind(lead: &Lead, rewind: Rewind) -> ();
        pause(lead: &Lead) -> ();
        fail(lead: &Lead, reason: &str) -> ();
        steer(run: RunId, steer: Steer) -> RunState;
        generations(run: RunId, from: u32) -> Vec<Vec<u8>>;
        append_event(run: RunId, event: &[u8]) -> ();
        events(run: RunId, from: u64) -> Vec<Vec<u8>>;
        blob(run: RunId, hash: Digest) -> Option<Vec<u8>>;
    }
}

metered! {
    Roster {
        claim(run: RunId, coordinator: u128, progress: &[u8]) -> bool;
        unclaim(run: RunId, coordinator: u128) -> ();
        claimed(run: RunId) -> Option<Claim>;
        announce(coordinator: u128, announcement: &[u8]) -> ();
        withdraw(coordinator: u128) -> ();
        announced() -> Vec<(u128, Vec<u8>)>;
        quarantine(worker: u128, reason: &str) -> ();
        quarantined() -> Vec<(u128, String)>;
        secret() -> [u8; 32];
    }

    fn bells(&self) -> broadcast::Receiver<Bell> {
        self.store.bells()
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
        assert_eq!(trouble(&unavailable), Some(StoreTrouble::Io));
        assert_eq!(trouble(&StoreError::Fenced { run }), Some(StoreTrouble::Fenced));
        assert_eq!(trouble(&StoreError::NoRun { run }), None);
    }
}
