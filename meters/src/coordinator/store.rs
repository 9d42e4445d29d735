//! Calls to the store.

use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use crate::builder::{LabeledFamily, MeterBuilder};
use crate::labels::{CallOutcome, StoreErrorKind};

/// Meters of calls to the store.
#[derive(Debug)]
pub struct StoreMeters {
    durations: LabeledFamily<Histogram, 2>,
    up: Gauge,
    memory_used: Gauge,
    memory_limit: Gauge,
    errors: LabeledFamily<Counter, 1>,
}

impl StoreMeters {
    pub(super) fn new(builder: &mut MeterBuilder) -> Self {
        let errors = builder.counters("hatchery_store_errors_total");
        StoreErrorKind::ALL.iter().for_each(|kind| _ = errors.with([kind.as_str()]));
        Self {
            durations: builder.histograms("hatchery_store_op_duration_seconds"),
            up: builder.plain("hatchery_store_up", Gauge::default()),
            memory_used: builder.plain("hatchery_store_memory_used_bytes", Gauge::default()),
            memory_limit: builder.plain("hatchery_store_memory_limit_bytes", Gauge::default()),
            errors,
        }
    }

    /// Records a call that took `elapsed`, and its error if there was one.
    pub fn observe_call(&self, op: &'static str, elapsed: Duration, error: Option<StoreErrorKind>) {
        let outcome = if error.is_some() { CallOutcome::Error } else { CallOutcome::Ok };
        self.durations.with([op, outcome.as_str()]).observe(elapsed.as_secs_f64());
        if let Some(error) = error {
            self.errors.with([error.as_str()]).inc();
        }
    }

    /// Sets whether the store answered the last call.
    pub fn set_up(&self, answers: bool) {
        self.up.set(i64::from(answers));
    }

    /// Sets the memory that the store uses, and the most that it may use; a limit of 0 is none.
    pub fn set_memory(&self, used_bytes: u64, limit_bytes: u64) {
        let set = |gauge: &Gauge, n_bytes| gauge.set(i64::try_from(n_bytes).unwrap_or(i64::MAX));
        set(&self.memory_used, used_bytes);
        set(&self.memory_limit, limit_bytes);
    }
}
