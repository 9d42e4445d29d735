//! Summarizes a coordinator's workers for the other coordinators, and through them for people.

use std::time::Duration;

use hatchery_proto::v1;
use tokio::time::Instant;

use super::dispatcher::{Dispatcher, TICK};
use super::effect::{DispatchEffect, WorkerSummary};
use crate::record::AnnouncedRun;

/// The interval at which jobs of workers and runs are counted.
const COUNT_EVERY: Duration = Duration::from_secs(1);

/// The most runs in a summary, which is for people.
const MAX_COUNTED_RUNS: usize = 1000;

impl Dispatcher {
    /// Publishes the workers when they change, and their jobs at intervals.
    ///
    /// A change of their number, or of what they can compute, is published at once. The rest, such
    /// as a pause, waits for the next tick: comparing thousands of workers takes longer than all
    /// else that a message causes.
    pub(super) fn announce(&mut self, now: Instant, effects: &mut Vec<DispatchEffect>) {
        let totals = self.sessions.totals();
        let is_due = self.compared.is_none_or(|at| TICK <= now - at);
        if is_due || totals != self.announced_totals {
            self.compared = Some(now);
            self.announced_totals = totals;
            let workers = self.sessions.announcement(now, &self.health);
            if workers != self.announced {
                self.announced = workers;
                return effects.push(DispatchEffect::Announce(self.summary(now)));
            }
        }
        if self.counted.is_none_or(|at| COUNT_EVERY <= now - at) {
            self.counted = Some(now);
            effects.push(DispatchEffect::Count(self.summary(now)));
        }
    }

    fn summary(&self, now: Instant) -> WorkerSummary {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let runs = self.runs.iter().take(MAX_COUNTED_RUNS).map(|(id, run)| AnnouncedRun {
            run: id.to_bytes().to_vec(),
            user: run.open.scheduling.user.to_string(),
            priority: v1::Priority::from(run.open.scheduling.priority).into(),
            at_workers: count(run.n_executions),
            waiting: count(run.idle.len()),
        });
        WorkerSummary { workers: self.sessions.counted(now, &self.health), runs: runs.collect() }
    }
}
