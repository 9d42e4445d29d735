//! The list of quarantined workers, and the answer that they get.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_proto::RETRY_PUSHBACK;
use hatchery_store::WorkerId;
use tokio::time::Instant;
use tonic::Status;
use tonic::metadata::MetadataValue;

use crate::dispatch::effect::{DispatchEffect, StepContext};

/// The delay before a quarantine that the store refused is stored again.
const STORE_AGAIN: Duration = Duration::from_millis(250);

/// The time after which a quarantined worker asks again, in milliseconds.
const RETRY_AFTER_MS: u64 = 120_000;

/// The quarantined workers of the farm.
#[derive(Debug, Default)]
pub(crate) struct QuarantineList {
    /// The reason for each worker.
    workers: BTreeMap<WorkerId, String>,
    /// The quarantines that are not stored yet.
    unstored: Vec<(WorkerId, String)>,
    /// The time of the next try to store them.
    store_at: Option<Instant>,
}

impl QuarantineList {
    /// Returns the reason why the worker is quarantined, if it is.
    pub(crate) fn reason(&self, worker: WorkerId) -> Option<&str> {
        self.workers.get(&worker).map(String::as_str)
    }

    /// Returns the number of quarantined workers.
    pub(crate) fn n_workers(&self) -> usize {
        self.workers.len()
    }

    /// Adds a worker and returns whether it is new; the first reason is kept.
    pub(crate) fn add(&mut self, worker: WorkerId, reason: &str) -> bool {
        let is_new = !self.workers.contains_key(&worker);
        self.workers.entry(worker).or_insert_with(|| reason.to_owned());
        is_new
    }

    /// Notes that the store refused a quarantine.
    pub(crate) fn unstored(&mut self, now: Instant, worker: WorkerId, reason: String) {
        self.unstored.push((worker, reason));
        self.store_at = Some(now + STORE_AGAIN);
    }

    /// Stores the remaining quarantines, once it is time.
    pub(crate) fn store_again(&mut self, ctx: &mut StepContext) {
        if self.store_at.is_some_and(|at| at <= ctx.now) {
            self.store_at = None;
            let unstored = std::mem::take(&mut self.unstored).into_iter();
            ctx.effects.extend(
                unstored.map(|(worker, reason)| DispatchEffect::Quarantine { worker, reason }),
            );
        }
    }
}

/// Returns the refusal of a quarantined worker. It is not an authentication error: after such an
/// error a new process would come back as an unknown worker, while now the worker keeps asking
/// under its id.
pub(crate) fn refusal(name: &str, reason: &str) -> Status {
    let mut status = Status::aborted(format!("worker {name} is quarantined: {reason}"));
    status.metadata_mut().insert(RETRY_PUSHBACK, MetadataValue::from(RETRY_AFTER_MS));
    status
}
