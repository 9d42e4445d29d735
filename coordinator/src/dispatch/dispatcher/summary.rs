//! Summarizes a coordinator's workers for the other coordinators, and through them for people.

use std::time::Duration;

use hatchery_proto::v1;
use tokio::time::Instant;

use super::{Dispatcher, TICK};
use crate::base::event::Event;
use crate::dispatch::effect::{DispatchEffect, StepContext, WorkerSummary};
use crate::dispatch::runs::DispatchedRun;
use crate::dispatch::workers::slot_limit::SlotLimit;
use crate::run::record::AnnouncedRun;
use crate::run::time_left::as_f64;

/// The interval at which jobs of workers and runs are counted.
const COUNT_EVERY: Duration = Duration::from_secs(1);

/// The least time between two publications of changes, per worker. Publishing the workers of this
/// coordinator, and reading the workers of the farm, takes time in proportion to their number. One
/// publication for each of thousands of joining workers would leave no time for anything else.
const GAP_PER_WORKER: Duration = Duration::from_micros(50);

/// The most runs in a summary, which is for people.
const MAX_COUNTED_RUNS: usize = 1000;

impl Dispatcher {
    /// Publishes the workers when they change, and their jobs at intervals.
    ///
    /// A change is published at once, unless the last publication was too recent for so many
    /// workers. Then the changes until the next tick are published together.
    pub(super) fn announce(&mut self, ctx: &mut StepContext) {
        let n_sessions = u32::try_from(self.sessions.len()).unwrap_or(u32::MAX);
        let gap = GAP_PER_WORKER.saturating_mul(n_sessions).min(TICK);
        if self.workers_changed && self.announced_at.is_none_or(|at| gap <= ctx.now - at) {
            self.workers_changed = false;
            self.announced_at = Some(ctx.now);
            return ctx.push(DispatchEffect::Announce(self.summary(ctx.now)));
        }
        if self.counted.is_none_or(|at| COUNT_EVERY <= ctx.now - at) {
            self.counted = Some(ctx.now);
            ctx.push(DispatchEffect::Count(self.summary(ctx.now)));
            let in_progress_ppm = self.runs.values().map(DispatchedRun::in_progress_ppm).sum();
            if std::mem::replace(&mut self.in_progress_ppm, in_progress_ppm) != in_progress_ppm {
                let trials = as_f64(in_progress_ppm) / 1e6;
                ctx.push(DispatchEffect::Publish(Event::TrialsInProgress { trials }));
            }
        }
    }

    /// Notes a change if a pause of a worker has begun or ended since the last call.
    pub(super) fn note_pauses(&mut self, now: Instant) {
        let paused = self.health.paused(now);
        self.workers_changed |= paused != self.paused;
        self.paused = paused;
    }

    fn summary(&self, now: Instant) -> WorkerSummary {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let runs = self.runs.iter().take(MAX_COUNTED_RUNS).map(|(id, run)| AnnouncedRun {
            run: id.to_bytes().to_vec(),
            user: run.open().scheduling.user.to_string(),
            priority: v1::Priority::from(run.open().scheduling.priority).into(),
            at_workers: count(run.n_executions()),
            waiting: count(run.idle().len()),
            in_progress_ppm: run.in_progress_ppm(),
            slots: count(run.slot_limit().map_or(0, SlotLimit::used)),
            yields: run.yields_slots(now),
        });
        WorkerSummary {
            workers: self.sessions.announcement(now, &self.health),
            runs: runs.collect(),
            lost: self.lost.iter().cloned().collect(),
        }
    }
}
