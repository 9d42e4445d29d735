//! Calls and connections that were refused: all are counted, and as many logged as a person can
//! read.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hatchery_coordinator::Coordinator;
use hatchery_meters::labels::AuthFailure;

use crate::access::AuthError;

/// The most failures that are logged in a period, so that unauthenticated clients cannot fill a
/// disk.
const MAX_LOGGED: u32 = 20;
const PERIOD: Duration = Duration::from_secs(1);

/// Counts and logs failed authentications.
#[derive(Debug)]
pub(crate) struct AuthFailureLog {
    coordinator: Coordinator,
    /// The start of the period, and the number logged in it; connections fail at the same time.
    period: Mutex<(Instant, u32)>,
}

impl AuthFailureLog {
    /// Creates the log of a coordinator.
    pub(crate) fn new(coordinator: Coordinator) -> Self {
        Self { coordinator, period: Mutex::new((Instant::now(), 0)) }
    }

    /// Records that `call` of `peer` was refused.
    pub(crate) fn record(&self, peer: SocketAddr, call: &str, error: &AuthError) {
        self.count(error.reason());
        if self.may_log() {
            let token = error.token().map(tracing::field::display);
            tracing::warn!(%peer, call = truncated(call), token, %error, "call refused");
        }
    }

    /// Records that `peer` has no certificate, or one that is not trusted.
    pub(crate) fn record_certificate(&self, peer: SocketAddr, error: &std::io::Error) {
        self.count(AuthFailure::Certificate);
        if self.may_log() {
            tracing::warn!(%peer, %error, "connection refused: no trusted certificate");
        }
    }

    fn count(&self, reason: AuthFailure) {
        self.coordinator.meters().sessions.count_auth_failure(reason);
    }

    fn may_log(&self) -> bool {
        let mut period = self.period.lock().unwrap_or_else(PoisonError::into_inner);
        if PERIOD <= period.0.elapsed() {
            *period = (Instant::now(), 0);
        }
        period.1 += 1;
        period.1 <= MAX_LOGGED
    }
}

/// Returns the beginning of a path that any client may have chosen.
fn truncated(call: &str) -> &str {
    const MAX_BYTES: usize = 100;
    &call[..call.floor_char_boundary(MAX_BYTES)]
}
