//! Quarantine: a worker's session ends, and its results are not used any more.

use hatchery_meters::labels::SessionEnd;
use hatchery_store::{JobKey, StoreError, WorkerId};
use tokio::time::Instant;

use super::Dispatcher;
use crate::dispatch::effect::{DispatchEffect, StepContext};
use crate::dispatch::message::LeaderNotice;
use crate::dispatch::workers::quarantine_list::refusal;

impl Dispatcher {
    /// Handles the list of quarantined workers, as the store has it.
    pub(super) fn quarantine_listed(
        &mut self,
        ctx: &mut StepContext,
        workers: Vec<(WorkerId, String)>,
    ) {
        let is_new = workers.iter().any(|&(id, _)| self.quarantine.reason(id).is_none());
        for (worker, reason) in workers {
            self.quarantine(ctx, worker, &reason);
        }
        if is_new {
            self.runs.values().for_each(|run| run.notify(LeaderNotice::Quarantined));
        }
    }

    /// Quarantines a worker in the whole farm.
    pub(super) fn begin_quarantine(
        &mut self,
        ctx: &mut StepContext,
        worker: WorkerId,
        reason: &str,
    ) {
        ctx.push(DispatchEffect::Quarantine { worker, reason: reason.to_owned() });
        self.quarantine(ctx, worker, reason);
    }

    /// Quarantines a worker: its session ends and its results are not used any more.
    pub(super) fn quarantine(&mut self, ctx: &mut StepContext, worker: WorkerId, reason: &str) {
        if !self.quarantine.add(worker, reason) {
            return;
        }
        tracing::error!(%worker, reason, "worker quarantined");
        self.audits.remove_answers_of(worker);
        for (&id, run) in &mut self.runs {
            for job in run.drop_unstored(worker) {
                let stage = self.settings.stage(JobKey { run: id, job });
                run.change(job, |leased| leased.wait_in(stage, ctx.now));
            }
        }
        if let Some(id) = self.sessions.of_worker(worker) {
            if let Some(session) = self.sessions.get_mut(id) {
                let refusal = refusal(session.name(), reason);
                session.end(refusal);
            }
            self.leave(ctx, id, SessionEnd::Quarantined);
        }
    }

    /// Has leaders invalidate a worker's results once its quarantine is stored; stores the
    /// quarantine again if that failed.
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
