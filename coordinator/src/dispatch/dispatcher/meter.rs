//! The metrics of dispatch.

use std::time::Duration;

use hatchery_meters::labels::{AttemptReason, BackupOutcome, WorkerState};
use hatchery_proto::v1;
use hatchery_store::RunId;
use prost::Message;
use tokio::time::Instant;

use super::Dispatcher;
use crate::dispatch::job::{JobAnswer, NO_SESSION, TrackedJob};
use crate::dispatch::workers::session::WorkerSession;
use crate::run::record::AttemptKind;

impl Dispatcher {
    /// Updates the gauges.
    pub(super) fn measure(&self, now: Instant) {
        let Self { settings, sessions, health, runs, quarantine, .. } = self;
        let (mut n_leased, mut n_led) = (0, 0);
        for run in runs.values() {
            let n_jobs = run.jobs().len() as u64;
            n_leased += n_jobs;
            n_led += if run.is_led_here() { n_jobs } else { 0 };
        }
        settings.meters.jobs.set_leased(n_leased, n_led);
        let draining = sessions.iter().filter(|(_, session)| session.is_draining()).count() as u64;
        let paused = |session: &WorkerSession| health.pause(now, session.worker()).is_some();
        let paused = sessions
            .iter()
            .filter(|(_, session)| !session.is_draining() && paused(session))
            .count() as u64;
        let connected = sessions.len() as u64 - draining - paused;
        for (state, n_workers) in [
            (WorkerState::Connected, connected),
            (WorkerState::Draining, draining),
            (WorkerState::Paused, paused),
            (WorkerState::Quarantined, quarantine.n_workers() as u64),
        ] {
            settings.meters.sessions.set_workers(state, n_workers);
        }
    }

    /// Counts a job whose answer became its result.
    pub(super) fn count_accepted(&self, leased: Option<&TrackedJob>, answer: &JobAnswer) {
        let (jobs, experiment) = (&self.settings.meters.jobs, &*answer.experiment);
        jobs.count_accepted(experiment, answer.n_trials.into());
        if answer.session == NO_SESSION {
            return;
        }
        if let Ok(cost) = v1::JobCost::decode(answer.result.cost.as_slice()) {
            jobs.observe_duration(experiment, Duration::from_nanos(cost.wall_ns));
        }
        if let Some(worker) = leased.and_then(TrackedJob::backup) {
            let won = worker == answer.result.worker;
            jobs.count_backup(if won { BackupOutcome::Won } else { BackupOutcome::Lost });
        }
    }

    /// Returns the experiment of an open run, as a label.
    pub(super) fn experiment(&self, id: RunId) -> &str {
        self.runs.get(&id).map_or("", |run| &run.open().experiment)
    }
}

/// Returns the label of a kind of failed attempt.
pub(super) fn reason(kind: AttemptKind) -> AttemptReason {
    match kind {
        AttemptKind::Error => AttemptReason::Error,
        AttemptKind::Lost => AttemptReason::Lost,
        AttemptKind::Timeout => AttemptReason::Timeout,
    }
}
