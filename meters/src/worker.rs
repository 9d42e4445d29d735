//! The meters of a worker.

use std::sync::atomic::{AtomicBool, Ordering};

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::builder::{LabeledFamily, MeterBuilder, text};
use crate::labels::SlotState;
use crate::list::MetricRole;

/// The meters of a worker.
#[derive(Debug)]
pub struct WorkerMeters {
    n_slots: u32,
    slots: LabeledFamily<Gauge, 1>,
    busy: BusySlots,
    outbox: Gauge,
    in_session: AtomicBool,
    registry: Registry,
}

/// The number of slots that run a trial; clones are the same number.
#[derive(Clone, Debug, Default)]
pub struct BusySlots(Gauge);

impl BusySlots {
    /// Counts a slot as busy while `act` runs.
    pub fn during<T>(&self, act: impl FnOnce() -> T) -> T {
        self.0.inc();
        let outcome = act();
        self.0.dec();
        outcome
    }
}

impl WorkerMeters {
    /// Returns the meters of a worker with `n_slots` slots, in this release.
    #[must_use]
    pub fn new(n_slots: u32, version: &str, protocol: u32) -> Self {
        let mut builder = MeterBuilder::new(MetricRole::Worker);
        builder.info("hatchery_build_info", [version.to_owned(), protocol.to_string()]);
        Self {
            n_slots,
            slots: builder.gauges("hatchery_worker_slots"),
            busy: BusySlots::default(),
            outbox: builder.plain("hatchery_result_outbox", Gauge::default()),
            in_session: AtomicBool::new(false),
            registry: builder.finish(),
        }
    }

    /// Returns the counter of slots that run a trial.
    #[must_use]
    pub fn busy_slots(&self) -> BusySlots {
        self.busy.clone()
    }

    /// Sets the number of results that wait to be confirmed.
    pub fn set_outbox(&self, n_results: usize) {
        self.outbox.set(i64::try_from(n_results).unwrap_or(i64::MAX));
    }

    /// Sets whether a coordinator has welcomed the worker.
    pub fn set_in_session(&self, in_session: bool) {
        self.in_session.store(in_session, Ordering::Relaxed);
    }

    /// Returns true if the worker has a session.
    #[must_use]
    pub fn is_in_session(&self) -> bool {
        self.in_session.load(Ordering::Relaxed)
    }

    /// Returns the metrics as OpenMetrics text.
    #[must_use]
    pub fn text(&self) -> String {
        let busy = self.busy.0.get().clamp(0, i64::from(self.n_slots));
        self.slots.with([SlotState::Busy.as_str()]).set(busy);
        self.slots.with([SlotState::Idle.as_str()]).set(i64::from(self.n_slots) - busy);
        text(&self.registry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_busy_while_a_trial_runs() {
        let meters = WorkerMeters::new(4, "1.2.3", 7);
        let during = meters.busy_slots().during(|| meters.text());
        let after = meters.text();
        for (text, busy, idle) in [(during, 1, 3), (after, 0, 4)] {
            assert!(text.contains(&format!("hatchery_worker_slots{{state=\"busy\"}} {busy}\n")));
            assert!(text.contains(&format!("hatchery_worker_slots{{state=\"idle\"}} {idle}\n")));
        }
    }
}
