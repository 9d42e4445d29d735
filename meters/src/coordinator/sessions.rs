//! Workers and their sessions.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;

use crate::builder::{LabeledFamily, MeterBuilder};
use crate::labels::{AuthFailure, MessageDirection, SessionEnd, WorkerState};

/// Meters of workers and their sessions.
#[derive(Debug)]
pub struct SessionMeters {
    workers: LabeledFamily<Gauge, 1>,
    ended: LabeledFamily<Counter, 1>,
    messages: LabeledFamily<Counter, 2>,
    bytes: LabeledFamily<Counter, 1>,
    auth_failures: LabeledFamily<Counter, 1>,
    pauses: Counter,
    certificate_expires: Gauge,
}

impl SessionMeters {
    pub(super) fn new(builder: &mut MeterBuilder) -> Self {
        let meters = Self {
            workers: builder.gauges("hatchery_workers"),
            ended: builder.counters("hatchery_worker_sessions_ended_total"),
            messages: builder.counters("hatchery_session_messages_total"),
            bytes: builder.counters("hatchery_session_bytes_total"),
            auth_failures: builder.counters("hatchery_auth_failures_total"),
            pauses: builder.plain("hatchery_worker_pauses_total", Counter::default()),
            certificate_expires: builder
                .plain("hatchery_certificate_expires_timestamp_seconds", Gauge::default()),
        };
        WorkerState::ALL.iter().for_each(|state| _ = meters.workers.with([state.as_str()]));
        SessionEnd::ALL.iter().for_each(|reason| _ = meters.ended.with([reason.as_str()]));
        MessageDirection::ALL
            .iter()
            .for_each(|direction| _ = meters.bytes.with([direction.as_str()]));
        AuthFailure::ALL.iter().for_each(|why| _ = meters.auth_failures.with([why.as_str()]));
        meters
    }

    /// Sets the number of workers in that state.
    pub fn set_workers(&self, state: WorkerState, n_workers: u64) {
        self.workers.set([state.as_str()], n_workers);
    }

    /// Counts a session that ended.
    pub fn count_ended(&self, reason: SessionEnd) {
        self.ended.with([reason.as_str()]).inc();
    }

    /// Counts a pause of a worker that failed jobs which other workers completed.
    pub fn count_pause(&self) {
        self.pauses.inc();
    }

    /// Counts a message of that type and encoded size.
    pub fn count_message(&self, direction: MessageDirection, r#type: &'static str, n_bytes: usize) {
        self.messages.with([direction.as_str(), r#type]).inc();
        self.bytes.with([direction.as_str()]).inc_by(n_bytes as u64);
    }

    /// Sets the time when the first certificate expires, in seconds since 1970.
    pub fn set_certificate_expiry(&self, unix_s: i64) {
        self.certificate_expires.set(unix_s);
    }

    /// Counts a refused call, connection, result or worker.
    pub fn count_auth_failure(&self, reason: AuthFailure) {
        self.auth_failures.with([reason.as_str()]).inc();
    }
}
