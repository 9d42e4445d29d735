//! What becomes of jobs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use super::Kinds;
use crate::book::{Book, Labeled};
use crate::labels::{AttemptReason, Audit, Backup, JobState, LeaseLevel, Outcome};

/// What becomes of jobs.
#[derive(Debug)]
pub struct JobMeters {
    kinds: Kinds,
    jobs: Labeled<Gauge, 1>,
    /// Unresolved jobs of the runs that are led here, those leased here included.
    outstanding: AtomicU64,
    /// How many of those are leased here.
    outstanding_leased: AtomicU64,
    completed: Labeled<Counter, 2>,
    attempts_failed: Labeled<Counter, 2>,
    units: Labeled<Counter, 1>,
    durations: Labeled<Histogram, 1>,
    waits: Labeled<Histogram, 1>,
    expirations: Labeled<Counter, 1>,
    speculated: Labeled<Counter, 1>,
    audits: Labeled<Counter, 1>,
}

impl JobMeters {
    pub(super) fn new(book: &mut Book, kinds: Kinds) -> Self {
        let meters = Self {
            jobs: book.gauges("hatchery_jobs"),
            outstanding: AtomicU64::new(0),
            outstanding_leased: AtomicU64::new(0),
            completed: book.counters("hatchery_jobs_completed_total"),
            attempts_failed: book.counters("hatchery_job_attempts_failed_total"),
            units: book.counters("hatchery_units_completed_total"),
            durations: book.histograms("hatchery_job_duration_seconds"),
            waits: book.histograms("hatchery_job_queue_wait_seconds"),
            expirations: book.counters("hatchery_lease_expirations_total"),
            speculated: book.counters("hatchery_jobs_speculated_total"),
            audits: book.counters("hatchery_audits_total"),
            kinds,
        };
        meters.begin();
        meters
    }

    /// Makes all series, so that the first event is a rise and not a beginning.
    fn begin(&self) {
        JobState::ALL.iter().for_each(|state| _ = self.jobs.with([state.as_str()]));
        for &kind in &self.kinds.0 {
            for outcome in Outcome::ALL {
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
        Backup::ALL.iter().for_each(|outcome| _ = self.speculated.with([outcome.as_str()]));
        Audit::ALL.iter().for_each(|outcome| _ = self.audits.with([outcome.as_str()]));
    }

    /// So many jobs are leased here, and so many of them are of runs that are led here.
    pub fn leased(&self, n_jobs: u64, n_led: u64) {
        self.jobs.set([JobState::Leased.as_str()], n_jobs);
        self.outstanding_leased.store(n_led, Ordering::Relaxed);
    }

    /// The runs that are led here have so many unresolved jobs that are not parked, and so many
    /// that are.
    pub fn unresolved(&self, n_jobs: u64, n_parked: u64) {
        self.outstanding.store(n_jobs, Ordering::Relaxed);
        self.jobs.set([JobState::Parked.as_str()], n_parked);
    }

    /// Works out what follows from what two parts have said.
    pub(super) fn settle(&self) {
        let outstanding = self.outstanding.load(Ordering::Relaxed);
        // They have not said it at the same moment.
        let ready = outstanding.saturating_sub(self.outstanding_leased.load(Ordering::Relaxed));
        self.jobs.set([JobState::Ready.as_str()], ready);
    }

    /// It was decided on a result.
    pub fn completed(&self, experiment: &str, outcome: Outcome) {
        self.completed.with([self.kinds.of(experiment), outcome.as_str()]).inc();
    }

    /// A result with so many trials was accepted.
    pub fn accepted(&self, experiment: &str, n_trials: u64) {
        self.completed(experiment, Outcome::Accepted);
        self.units.with([self.kinds.of(experiment)]).inc_by(n_trials);
    }

    /// A worker took so long for a job.
    pub fn took(&self, experiment: &str, duration: Duration) {
        self.durations.with([self.kinds.of(experiment)]).observe(duration.as_secs_f64());
    }

    /// A job was ready for so long before a worker was given it.
    pub fn waited(&self, experiment: &str, duration: Duration) {
        self.waits.with([self.kinds.of(experiment)]).observe(duration.as_secs_f64());
    }

    /// An attempt at a job failed.
    pub fn attempt_failed(&self, experiment: &str, reason: AttemptReason) {
        self.attempts_failed.with([self.kinds.of(experiment), reason.as_str()]).inc();
    }

    /// So many leases ended that nobody renewed.
    pub fn leases_expired(&self, level: LeaseLevel, n_leases: u64) {
        self.expirations.with([level.as_str()]).inc_by(n_leases);
    }

    /// A job that had a backup copy has its result.
    pub fn speculated(&self, outcome: Backup) {
        self.speculated.with([outcome.as_str()]).inc();
    }

    /// A job that was due to be computed by a second worker was settled.
    pub fn audited(&self, outcome: Audit) {
        self.audits.with([outcome.as_str()]).inc();
    }
}
