//! Jobs and their results.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use super::ExperimentKinds;
use crate::builder::{LabeledFamily, MeterBuilder};
use crate::labels::{
    AttemptReason, AuditOutcome, BackupOutcome, JobState, LeaseLevel, ResultOutcome,
};

/// Meters of jobs and their results.
#[derive(Debug)]
pub struct JobMeters {
    kinds: ExperimentKinds,
    jobs: LabeledFamily<Gauge, 1>,
    /// Unresolved jobs of the runs led here, including jobs leased here.
    outstanding: AtomicU64,
    /// The number of these jobs that are leased here.
    outstanding_leased: AtomicU64,
    completed: LabeledFamily<Counter, 2>,
    attempts_failed: LabeledFamily<Counter, 2>,
    units: LabeledFamily<Counter, 1>,
    durations: LabeledFamily<Histogram, 1>,
    waits: LabeledFamily<Histogram, 1>,
    expirations: LabeledFamily<Counter, 1>,
    speculated: LabeledFamily<Counter, 1>,
    audits: LabeledFamily<Counter, 1>,
}

impl JobMeters {
    pub(super) fn new(builder: &mut MeterBuilder, kinds: ExperimentKinds) -> Self {
        let meters = Self {
            jobs: builder.gauges("hatchery_jobs"),
            outstanding: AtomicU64::new(0),
            outstanding_leased: AtomicU64::new(0),
            completed: builder.counters("hatchery_jobs_completed_total"),
            attempts_failed: builder.counters("hatchery_job_attempts_failed_total"),
            units: builder.counters("hatchery_units_completed_total"),
            durations: builder.histograms("hatchery_job_duration_seconds"),
            waits: builder.histograms("hatchery_job_queue_wait_seconds"),
            expirations: builder.counters("hatchery_lease_expirations_total"),
            speculated: builder.counters("hatchery_jobs_speculated_total"),
            audits: builder.counters("hatchery_audits_total"),
            kinds,
        };
        meters.create_series();
        meters
    }

    /// Creates all series at 0, so that the first event is an increase.
    fn create_series(&self) {
        JobState::ALL.iter().for_each(|state| _ = self.jobs.with([state.as_str()]));
        for &kind in &self.kinds.0 {
            for outcome in ResultOutcome::ALL {
                self.completed.with([kind, outcome.as_str()]);
            }
            for reason in AttemptReason::ALL {
                self.attempts_failed.with([kind, reason.as_str()]);
            }
            self.units.with([kind]);
            self.durations.with([kind]);
            self.waits.with([kind]);
        }
        LeaseLevel::ALL.iter().for_each(|level| _ = self.expirations.with([level.as_str()]));
        BackupOutcome::ALL.iter().for_each(|outcome| _ = self.speculated.with([outcome.as_str()]));
        AuditOutcome::ALL.iter().for_each(|outcome| _ = self.audits.with([outcome.as_str()]));
    }

    /// Sets the number of jobs leased here, and how many of these jobs belong to runs led here.
    pub fn set_leased(&self, n_jobs: u64, n_led: u64) {
        self.jobs.set([JobState::Leased.as_str()], n_jobs);
        self.outstanding_leased.store(n_led, Ordering::Relaxed);
    }

    /// Sets the two numbers of unresolved jobs of the runs that this coordinator leads: `n_jobs`
    /// live jobs, and `n_dead` dead jobs.
    pub fn set_unresolved(&self, n_jobs: u64, n_dead: u64) {
        self.outstanding.store(n_jobs, Ordering::Relaxed);
        self.jobs.set([JobState::Dead.as_str()], n_dead);
    }

    /// Sets the number of ready jobs: the outstanding jobs that are not leased here.
    pub(super) fn update_ready(&self) {
        let outstanding = self.outstanding.load(Ordering::Relaxed);
        // The two numbers were not set at the same moment.
        let ready = outstanding.saturating_sub(self.outstanding_leased.load(Ordering::Relaxed));
        self.jobs.set([JobState::Ready.as_str()], ready);
    }

    /// Counts a result by its outcome.
    pub fn count_result(&self, experiment: &str, outcome: ResultOutcome) {
        self.completed.with([self.kinds.of(experiment), outcome.as_str()]).inc();
    }

    /// Counts an accepted result and its trials.
    pub fn count_accepted(&self, experiment: &str, n_trials: u64) {
        self.count_result(experiment, ResultOutcome::Accepted);
        self.units.with([self.kinds.of(experiment)]).inc_by(n_trials);
    }

    /// Records the time that a worker took for a job.
    pub fn observe_duration(&self, experiment: &str, duration: Duration) {
        self.durations.with([self.kinds.of(experiment)]).observe(duration.as_secs_f64());
    }

    /// Records the time that a job was ready before a worker was given it.
    pub fn observe_queue_wait(&self, experiment: &str, duration: Duration) {
        self.waits.with([self.kinds.of(experiment)]).observe(duration.as_secs_f64());
    }

    /// Counts a failed attempt at a job.
    pub fn count_failed_attempt(&self, experiment: &str, reason: AttemptReason) {
        self.attempts_failed.with([self.kinds.of(experiment), reason.as_str()]).inc();
    }

    /// Counts leases that expired.
    pub fn count_expired_leases(&self, level: LeaseLevel, n_leases: u64) {
        self.expirations.with([level.as_str()]).inc_by(n_leases);
    }

    /// Counts a resolved job that had a backup copy.
    pub fn count_backup(&self, outcome: BackupOutcome) {
        self.speculated.with([outcome.as_str()]).inc();
    }

    /// Counts a job that was due to be computed by a second worker.
    pub fn count_audit(&self, outcome: AuditOutcome) {
        self.audits.with([outcome.as_str()]).inc();
    }
}
