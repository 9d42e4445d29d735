//! Runs, and the demand for workers.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use super::ExperimentKinds;
use crate::builder::{LabeledFamily, MeterBuilder, seconds};
use crate::labels::RunState;

/// Meters of runs, and of the demand for workers.
#[derive(Debug)]
pub struct FarmMeters {
    kinds: ExperimentKinds,
    runs: LabeledFamily<Gauge, 1>,
    leads: Counter,
    led: Gauge,
    queued: Gauge,
    generations: LabeledFamily<Histogram, 1>,
    tails: Histogram,
    pending: Gauge<f64, AtomicU64>,
    desired: Gauge,
}

impl FarmMeters {
    pub(super) fn new(builder: &mut MeterBuilder, kinds: ExperimentKinds) -> Self {
        let runs = builder.gauges("hatchery_runs");
        RunState::ALL.iter().for_each(|state| _ = runs.with([state.as_str()]));
        let generations = builder.histograms("hatchery_generation_duration_seconds");
        kinds.0.iter().for_each(|&kind| _ = generations.with([kind]));
        Self {
            kinds,
            runs,
            leads: builder.plain("hatchery_leader_changes_total", Counter::default()),
            led: builder.plain("hatchery_leader", Gauge::default()),
            queued: builder.plain("hatchery_queued_runs", Gauge::default()),
            generations,
            tails: builder.plain("hatchery_generation_tail_seconds", seconds()),
            pending: builder.plain("hatchery_pending_core_seconds", Gauge::default()),
            desired: builder.plain("hatchery_desired_workers", Gauge::default()),
        }
    }

    /// Sets the number of runs in the store in that state.
    pub fn set_runs(&self, state: RunState, n_runs: u64) {
        self.runs.set([state.as_str()], n_runs);
    }

    /// Counts a run whose leader this coordinator became.
    pub fn count_leader_change(&self) {
        self.leads.inc();
    }

    /// Sets the number of runs that this coordinator leads.
    pub fn set_led_runs(&self, n_runs: u64) {
        self.led.set(i64::try_from(n_runs).unwrap_or(i64::MAX));
    }

    /// Sets the number of active runs of the farm that wait for a leader.
    pub fn set_queued_runs(&self, n_runs: u64) {
        self.queued.set(i64::try_from(n_runs).unwrap_or(i64::MAX));
    }

    /// Records the time that leaders took for a folded generation.
    pub fn observe_generation(&self, experiment: &str, duration: Duration) {
        self.generations.with([self.kinds.of(experiment)]).observe(duration.as_secs_f64());
    }

    /// Records the time that the last jobs of a generation took.
    pub fn observe_tail(&self, duration: Duration) {
        self.tails.observe(duration.as_secs_f64());
    }

    /// Sets the CPU time that all active runs still need, and the number of workers for it.
    pub fn set_demand(&self, pending: Duration, desired_workers: u32) {
        self.pending.set(pending.as_secs_f64());
        self.desired.set(i64::from(desired_workers));
    }
}
