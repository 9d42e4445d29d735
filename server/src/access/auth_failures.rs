//! Calls and connections that were refused: all are counted, but no more are logged than a person
//! can read.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hatchery_coordinator::Coordinator;
use hatchery_meters::labels::AuthFailure;

use super::AuthError;

/// The most failures that are logged in a period, so that unauthenticated clients cannot fill a
/// disk.
const MAX_LOGGED: u32 = 20;
const PERIOD: Duration = Duration::from_secs(1);

/// Counts and logs failed authentications.
#[derive(Debug)]
pub(crate) struct AuthFailureLog {
    coordinator: Coordinator,
    /// Behind a lock, because connections fail at the same time.
    logged: Mutex<LoggedFailures>,
}

/// The failures that were logged in the current period.
#[derive(Debug)]
struct LoggedFailures {
    since: Instant,
    n_logged: u32,
}

impl AuthFailureLog {
    /// Creates the log of a coordinator.
    pub(crate) fn new(coordinator: Coordinator) -> Self {
        let logged = LoggedFailures { since: Instant::now(), n_logged: 0 };
        Self { coordinator, logged: Mutex::new(logged) }
    }

    /// Records that `call` of `peer` was refused.
    pub(crate) fn record(&self, peer: SocketAddr, call: &str, error: &AuthError) {
        self.count(error.reason());
        if self.may_log() {
            let token = error.token().map(tracing::field::display);
            tracing::warn!(%peer, call = truncated(call), token, %error, "call refused");
        }
    }

    /// Records that `peer` has no certificate, or a certificate that is not trusted.
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
        self.logged.lock().unwrap_or_else(PoisonError::into_inner).admit(Instant::now())
    }
}

impl LoggedFailures {
    /// Returns whether a failure that occurs now is logged, and counts it then.
    fn admit(&mut self, now: Instant) -> bool {
        if PERIOD <= now - self.since {
            *self = Self { since: now, n_logged: 0 };
        }
        let is_logged = self.n_logged < MAX_LOGGED;
        self.n_logged += u32::from(is_logged);
        is_logged
    }
}

/// Returns the beginning of a path that any client may have chosen.
fn truncated(call: &str) -> &str {
    const MAX_BYTES: usize = 100;
    &call[..call.floor_char_boundary(MAX_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/REFERENCE.md states this number.
    #[test]
    fn at_most_20_failures_are_logged_in_a_second() {
        let begun = Instant::now();
        let mut logged = LoggedFailures { since: begun, n_logged: 0 };
        for second in 0..3 {
            let now = begun + Duration::from_secs(second);
            let late = now + Duration::from_millis(999);
            let n_logged = (0..50).filter(|_| logged.admit(now) | logged.admit(late)).count();
            assert_eq!(n_logged, 10, "each of them twice");
        }
    }
}
