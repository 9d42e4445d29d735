//! The meters of a worker.

use std::sync::atomic::{AtomicBool, Ordering};

use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::book::{Book, Labeled, text};
use crate::labels::SlotState;
use crate::list::Role;

/// What a worker counts.
#[derive(Debug)]
pub struct WorkerMeters {
    n_slots: u32,
    slots: Labeled<Gauge, 1>,
    busy: Busy,
    outbox: Gauge,
    in_session: AtomicBool,
    registry: Registry,
}

/// The number of slots that run a trial; clones are the same number.
#[derive(Clone, Debug, Default)]
pub struct Busy(Gauge);

impl Busy {
    /// Counts a slot as busy while `act` runs.
    pub fn during<T>(&self, act: impl FnOnce() -> T) -> T {
        self.0.inc();
        let outcome = act();
        self.0.dec();
        outcome
    }
}

impl WorkerMeters {
    /// The meters of a worker with so many slots, in this release.
    #[must_use]
    pub fn new(n_slots: u32, version: &str, protocol: u32) -> Self {
        let mut book = Book::new(Role::Worker);
        book.info("hatchery_build_info", [version.to_owned(), protocol.to_string()]);
        Self {
            n_slots,
            slots: book.gauges("hatchery_worker_slots"),
            busy: Busy::default(),
            outbox: book.plain("hatchery_result_outbox", Gauge::default()),
            in_session: AtomicBool::new(false),
            registry: book.finish(),
        }
    }

    /// Who counts slots that run a trial.
    #[must_use]
    pub fn busy(&self) -> Busy {
        self.busy.clone()
    }

    /// So many results wait to be confirmed.
    pub fn outbox(&self, n_results: usize) {
        self.outbox.set(i64::try_from(n_results).unwrap_or(i64::MAX));
    }

    /// Whether a coordinator has welcomed the worker.
    pub fn set_in_session(&self, in_session: bool) {
        self.in_session.store(in_session, Ordering::Relaxed);
    }

    /// Whether the worker has a session.
    #[must_use]
    pub fn is_in_session(&self) -> bool {
        self.in_session.load(Ordering::Relaxed)
    }

    /// What Prometheus reads: OpenMetrics text.
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
        let during = meters.busy().during(|| meters.text());
        let after = meters.text();
        for (text, busy, idle) in [(during, 1, 3), (after, 0, 4)] {
            assert!(text.contains(&format!("hatchery_worker_slots{{state=\"busy\"}} {busy}\n")));
            assert!(text.contains(&format!("hatchery_worker_slots{{state=\"idle\"}} {idle}\n")));
        }
    }
}
