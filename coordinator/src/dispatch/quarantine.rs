//! Quarantine: workers whose results are not used any more.

use std::collections::BTreeMap;
use std::time::Duration;

use hatchery_meters::labels::SessionEnd;
use tokio::time::Instant;
use tonic::Status;

use super::dispatcher::Dispatcher;
use super::effect::DispatchEffect;
use super::job::JobStage;
use super::message::LeaderNotice;
use crate::store::{StoreError, WorkerId};

/// The delay before a quarantine is stored again that the store did not take.
const STORE_AGAIN: Duration = Duration::from_millis(250);

/// The quarantined workers of the farm.
#[derive(Debug, Default)]
pub(super) struct QuarantineList {
    /// The reason for each worker.
    workers: BTreeMap<WorkerId, String>,
    /// Those that are not stored yet.
    unstored: Vec<(WorkerId, String)>,
    /// The time of the next try to store them.
    store_at: Option<Instant>,
}

impl QuarantineList {
    /// Returns the reason why the worker is quarantined, if it is.
    pub(super) fn reason(&self, worker: WorkerId) -> Option<&str> {
        self.workers.get(&worker).map(String::as_str)
    }

    /// Returns the number of quarantined workers.
    pub(super) fn n_workers(&self) -> usize {
        self.workers.len()
    }

    /// Adds a worker and returns whether it is new; the first reason is kept.
    fn add(&mut self, worker: WorkerId, reason: &str) -> bool {
        let is_new = !self.workers.contains_key(&worker);
        self.workers.entry(worker).or_insert_with(|| reason.to_owned());
        is_new
    }

    /// Notes that the store did not take a quarantine.
    fn unstored(&mut self, now: Instant, worker: WorkerId, reason: String) {
        self.unstored.push((worker, reason));
        self.store_at = Some(now + STORE_AGAIN);
    }

    /// Stores what the store did not take, once it is time.
    pub(super) fn store_again(&mut self, now: Instant, effects: &mut Vec<DispatchEffect>) {
        if self.store_at.is_some_and(|at| at <= now) {
            self.store_at = None;
            let unstored = std::mem::take(&mut self.unstored).into_iter();
            effects.extend(
                unstored.map(|(worker, reason)| DispatchEffect::Quarantine { worker, reason }),
            );
        }
    }
}

impl Dispatcher {
    /// Handles the list of quarantined workers, as the store has it.
    pub(super) fn quarantine_listed(
        &mut self,
        now: Instant,
        workers: Vec<(WorkerId, String)>,
        effects: &mut Vec<DispatchEffect>,
    ) {
        let is_new = workers.iter().any(|&(id, _)| self.quarantine.reason(id).is_none());
        for (worker, reason) in workers {
            self.quarantine(now, worker, &reason, effects);
        }
        if is_new {
            self.runs.values().for_each(|run| run.notify(LeaderNotice::Quarantined));
        }
    }

    /// Quarantines a worker: its session ends and its results are not used.
    pub(super) fn quarantine(
        &mut self,
        now: Instant,
        worker: WorkerId,
        reason: &str,
        effects: &mut Vec<DispatchEffect>,
    ) {
        if !self.quarantine.add(worker, reason) {
            return;
        }
        tracing::error!(%worker, reason, "worker quarantined");
        for run in self.runs.values_mut() {
            for leased in run.jobs.values_mut() {
                if let JobStage::Audit(answers) = &mut leased.stage {
                    answers.retain(|answer| answer.result.worker != worker);
                }
            }
            let gone;
            (gone, run.unstored) = std::mem::take(&mut run.unstored)
                .into_iter()
                .partition(|(_, answer)| answer.result.worker == worker);
            for (job, _) in gone {
                if run.unstored.iter().all(|(other, _)| *other != job) {
                    run.change(job, |leased| {
                        (leased.stage, leased.idle_since) = (JobStage::Compute, now);
                    });
                }
            }
        }
        if let Some(id) = self.sessions.of_worker(worker) {
            if let Some(session) = self.sessions.get_mut(id) {
                session.end(refusal(reason));
            }
            self.leave(now, id, SessionEnd::Quarantined, effects);
        }
    }

    /// Has leaders invalidate a worker's results once its quarantine is stored; stores it again if
    /// that failed.
    pub(super) fn quarantine_stored(
        &mut self,
        now: Instant,
        worker: WorkerId,
        reason: String,
        written: Result<(), StoreError>,
    ) {
        match written {
            Ok(()) => self.runs.values().for_each(|run| run.notify(LeaderNotice::Quarantined)),
            Err(error) => {
                tracing::warn!(%error, "quarantine not stored yet");
                self.quarantine.unstored(now, worker, reason);
            }
        }
    }
}

/// Returns the refusal of a quarantined worker. It is not an authentication error: the worker keeps
/// asking under its id, where a new process would come back as an unknown worker.
pub(super) fn refusal(reason: &str) -> Status {
    Status::aborted(format!("this worker is quarantined: {reason}"))
}
