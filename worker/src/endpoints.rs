//! The order of a worker's attempts at coordinators, and the waits between attempts.

use std::collections::BTreeSet;
use std::time::Duration;

use fastrand::Rng;

use crate::rng::random_wait;

/// The most endpoints that a worker remembers: enough for a large farm.
const MAX_ENDPOINTS: usize = 64;

/// The longest endpoint that a coordinator may name: longer than any URL of a host and a port.
const MAX_ENDPOINT_BYTES: usize = 300;

/// The longest wait after the first failure.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// The longest wait: the time that a worker may take to notice that a coordinator is back.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The endpoints in the order of attempts, which repeats.
#[derive(Debug)]
pub(crate) struct EndpointRotation {
    endpoints: Vec<String>,
    /// The index of the endpoint that was tried last.
    last: Option<usize>,
    /// The number of failures since the last session that lasted.
    n_failures: u32,
    /// The endpoints that refused this worker for good since the last session was granted.
    refused: BTreeSet<String>,
}

impl EndpointRotation {
    /// The endpoints in random order, so that workers spread over coordinators.
    pub(crate) fn new(endpoints: &[String], rng: &mut Rng) -> Self {
        let mut rotation =
            Self { endpoints: Vec::new(), last: None, n_failures: 0, refused: BTreeSet::new() };
        rotation.add(endpoints);
        rng.shuffle(&mut rotation.endpoints);
        rotation
    }

    /// Returns the endpoint to try now; `None` if there are none at all.
    pub(crate) fn next_endpoint(&mut self) -> Option<String> {
        let next = self.last.map_or(0, |last| last + 1) % self.endpoints.len().max(1);
        self.last = Some(next);
        self.endpoints.get(next).cloned()
    }

    /// Adds endpoints as far as there is room. Known and malformed endpoints are ignored.
    pub(crate) fn add(&mut self, more: &[String]) {
        for endpoint in more {
            let is_known = self.endpoints.contains(endpoint);
            let fits = !endpoint.is_empty() && endpoint.len() <= MAX_ENDPOINT_BYTES;
            if !is_known && fits && self.endpoints.len() < MAX_ENDPOINTS {
                self.endpoints.push(endpoint.clone());
            }
        }
    }

    /// Records that a session was lost or could not be opened, and returns the wait before the next
    /// attempt.
    pub(crate) fn record_failure(&mut self, rng: &mut Rng) -> Duration {
        let wait = random_wait(rng, longest_wait(self.n_failures));
        self.n_failures = self.n_failures.saturating_add(1);
        wait
    }

    /// Records that a session lasted: the next failure counts as the first.
    pub(crate) fn record_lasting_session(&mut self) {
        self.n_failures = 0;
    }

    /// Records that a session was granted.
    pub(crate) fn record_welcome(&mut self) {
        self.refused.clear();
    }

    /// Records that `endpoint` refused this worker for good. Returns true if all endpoints have.
    pub(crate) fn record_refusal(&mut self, endpoint: &str) -> bool {
        self.refused.insert(endpoint.to_owned());
        self.endpoints.iter().all(|endpoint| self.refused.contains(endpoint))
    }
}

/// Returns the longest wait after `n_failures` earlier failures. With full jitter, the wait is
/// anything from zero to this.
fn longest_wait(n_failures: u32) -> Duration {
    let doubled = 1_u32.checked_shl(n_failures).and_then(|factor| FIRST_WAIT.checked_mul(factor));
    doubled.map_or(LONGEST_WAIT, |wait| wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let longest: Vec<_> = (0..10).map(|n| longest_wait(n).as_millis()).collect();
        assert_eq!(longest, [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
        assert_eq!(longest_wait(31), LONGEST_WAIT);
        assert_eq!(longest_wait(u32::MAX), LONGEST_WAIT);
    }

    #[test]
    fn waits_are_spread_over_the_whole_range() {
        let mut rng = Rng::with_seed(1);
        let mut waits: Vec<_> = (0..1000)
            .map(|_| {
                EndpointRotation::new(&[], &mut rng)
                    .record_failure(&mut Rng::with_seed(rng.u64(..99)))
            })
            .collect();
        waits.sort_unstable();
        assert!(waits[999] <= FIRST_WAIT);
        assert!(waits[100] < FIRST_WAIT / 3 && FIRST_WAIT / 3 * 2 < waits[900], "{waits:?}");
    }

    #[test]
    fn a_session_that_lasted_starts_the_waits_again() {
        let mut rng = Rng::with_seed(1);
        let mut rotation = EndpointRotation::new(&names(&["a"]), &mut rng);
        for _ in 0..100 {
            assert!(rotation.record_failure(&mut rng) <= LONGEST_WAIT);
        }
        rotation.record_lasting_session();
        assert!(rotation.record_failure(&mut rng) <= FIRST_WAIT);
    }

    #[test]
    fn every_endpoint_has_its_turn_and_the_list_is_bounded() {
        let mut rng = Rng::with_seed(1);
        let mut rotation = EndpointRotation::new(&names(&["a", "b", "a"]), &mut rng);
        let turns: Vec<_> = (0..4).filter_map(|_| rotation.next_endpoint()).collect();
        assert_eq!(turns[..2], turns[2..]);
        assert_ne!(turns[0], turns[1]);
        rotation.add(&names(&["", &"x".repeat(1000), "c"]));
        assert_eq!(
            rotation.next_endpoint().unwrap(),
            "c",
            "an added endpoint comes before a second round"
        );
        rotation.add(&(0..1000).map(|n| n.to_string()).collect::<Vec<_>>());
        assert_eq!(rotation.endpoints.len(), MAX_ENDPOINTS);
        assert_eq!(rotation.endpoints[2], "c");
        assert_eq!(EndpointRotation::new(&[], &mut rng).next_endpoint(), None);
    }

    #[test]
    fn a_worker_is_refused_when_all_endpoints_have_refused_it() {
        let mut rng = Rng::with_seed(1);
        let mut rotation = EndpointRotation::new(&names(&["a", "b"]), &mut rng);
        assert!(!rotation.record_refusal("a"));
        assert!(!rotation.record_refusal("a"));
        rotation.record_welcome();
        assert!(!rotation.record_refusal("b"));
        assert!(rotation.record_refusal("a"));
    }
}
