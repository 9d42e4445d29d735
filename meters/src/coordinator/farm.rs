//! Runs, and what the farm needs.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use super::Kinds;
use crate::book::{Book, Labeled, seconds};
use crate::labels::RunState;

/// Runs, and what the farm needs.
#[derive(Debug)]
pub struct FarmMeters {
    kinds: Kinds,
    runs: Labeled<Gauge, 1>,
    leads: Counter,
    led: Gauge,
    generations: Labeled<Histogram, 1>,
    tails: Histogram,
    pending: Gauge<f64, AtomicU64>,
    desired: Gauge,
}

impl FarmMeters {
    pub(super) fn new(book: &mut Book, kinds: Kinds) -> Self {
        let runs = book.gauges("hatchery_runs");
        RunState::ALL.iter().for_each(|state| _ = runs.with([state.as_str()]));
        let generations = book.histograms("hatchery_generation_duration_seconds");
        kinds.0.iter().for_each(|&kind| _ = generations.with([kind]));
        Self {
            kinds,
            runs,
            leads: book.plain("hatchery_leader_changes_total", Counter::default()),
            led: book.plain("hatchery_leader", Gauge::default()),
            generations,
            tails: book.plain("hatchery_generation_tail_seconds", seconds()),
            pending: book.plain("hatchery_pending_core_seconds", Gauge::default()),
            desired: book.plain("hatchery_desired_workers", Gauge::default()),
        }
    }

    /// The store has so many runs in that state.
    pub fn runs(&self, state: RunState, n_runs: u64) {
        self.runs.set([state.as_str()], n_runs);
    }

    /// This coordinator has taken the lead of a run.
    pub fn took_lead(&self) {
        self.leads.inc();
    }

    /// It leads so many runs.
    pub fn leads(&self, n_runs: u64) {
        self.led.set(i64::try_from(n_runs).unwrap_or(i64::MAX));
    }

    /// A generation was folded that leaders were at for so long.
    pub fn generation_took(&self, experiment: &str, duration: Duration) {
        self.generations.with([self.kinds.of(experiment)]).observe(duration.as_secs_f64());
    }

    /// The last jobs of a generation took so long.
    pub fn tail_took(&self, duration: Duration) {
        self.tails.observe(duration.as_secs_f64());
    }

    /// All active runs need so much CPU time, and so many workers for it.
    pub fn needs(&self, pending: Duration, desired_workers: u32) {
        self.pending.set(pending.as_secs_f64());
        self.desired.set(i64::from(desired_workers));
    }
}
