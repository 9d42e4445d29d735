//! What is refused: counted always, and logged as often as a person can read.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hatchery_coordinator::Coordinator;
use hatchery_meters::labels::AuthFailure;

use crate::access::Refusal;

/// How many refusals are logged in a period, so that strangers can't fill a disk.
const LOGGED: u32 = 20;
const PERIOD: Duration = Duration::from_secs(1);

/// Where refusals are counted and logged.
#[derive(Debug)]
pub(crate) struct Refusals {
    coordinator: Coordinator,
    /// The period, and how many were logged in it; connections are judged at the same time.
    logged: Mutex<(Instant, u32)>,
}

impl Refusals {
    /// Those of a coordinator.
    pub(crate) fn new(coordinator: Coordinator) -> Self {
        Self { coordinator, logged: Mutex::new((Instant::now(), 0)) }
    }

    /// `call` of `peer` was refused.
    pub(crate) fn refused(&self, peer: SocketAddr, call: &str, refusal: &Refusal) {
        self.count(refusal.reason());
        if self.has_room() {
            let token = refusal.token().map(tracing::field::display);
            tracing::warn!(%peer, call = shown(call), token, %refusal, "refused");
        }
    }

    /// `peer` has no certificate, or a wrong one.
    pub(crate) fn without_certificate(&self, peer: SocketAddr, error: &std::io::Error) {
        self.count(AuthFailure::Certificate);
        if self.has_room() {
            tracing::warn!(%peer, %error, "refused: no certificate that is trusted here");
        }
    }

    fn count(&self, reason: AuthFailure) {
        self.coordinator.meters().sessions.refused(reason);
    }

    fn has_room(&self) -> bool {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if PERIOD <= logged.0.elapsed() {
            *logged = (Instant::now(), 0);
        }
        logged.1 += 1;
        logged.1 <= LOGGED
    }
}

/// A path of a stranger's choice, as far as it is worth logging.
fn shown(call: &str) -> &str {
    const MAX_BYTES: usize = 100;
    &call[..call.floor_char_boundary(MAX_BYTES)]
}
