//! Workers and their sessions.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;

use crate::book::{Book, Labeled};
use crate::labels::{AuthFailure, Direction, SessionEnd, WorkerState};

/// Workers and their sessions.
#[derive(Debug)]
pub struct SessionMeters {
    workers: Labeled<Gauge, 1>,
    ended: Labeled<Counter, 1>,
    messages: Labeled<Counter, 2>,
    bytes: Labeled<Counter, 1>,
    auth_failures: Labeled<Counter, 1>,
}

impl SessionMeters {
    pub(super) fn new(book: &mut Book) -> Self {
        let meters = Self {
            workers: book.gauges("hatchery_workers"),
            ended: book.counters("hatchery_worker_sessions_ended_total"),
            messages: book.counters("hatchery_session_messages_total"),
            bytes: book.counters("hatchery_session_bytes_total"),
            auth_failures: book.counters("hatchery_auth_failures_total"),
        };
        WorkerState::ALL.iter().for_each(|state| _ = meters.workers.with([state.as_str()]));
        SessionEnd::ALL.iter().for_each(|reason| _ = meters.ended.with([reason.as_str()]));
        Direction::ALL.iter().for_each(|direction| _ = meters.bytes.with([direction.as_str()]));
        AuthFailure::ALL.iter().for_each(|why| _ = meters.auth_failures.with([why.as_str()]));
        meters
    }

    /// So many workers are in that state.
    pub fn workers(&self, state: WorkerState, n_workers: u64) {
        self.workers.set([state.as_str()], n_workers);
    }

    /// A session ended.
    pub fn ended(&self, reason: SessionEnd) {
        self.ended.with([reason.as_str()]).inc();
    }

    /// A message of that type and encoded size went that way.
    pub fn message(&self, direction: Direction, r#type: &'static str, n_bytes: usize) {
        self.messages.with([direction.as_str(), r#type]).inc();
        self.bytes.with([direction.as_str()]).inc_by(n_bytes as u64);
    }

    /// Something was refused.
    pub fn refused(&self, reason: AuthFailure) {
        self.auth_failures.with([reason.as_str()]).inc();
    }
}
