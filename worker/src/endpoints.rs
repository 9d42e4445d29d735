//! Where coordinators are, and how long to wait before the next is tried.

use std::collections::BTreeSet;
use std::time::Duration;

use fastrand::Rng;

use crate::rng::random_wait;

/// The most endpoints that a worker remembers: those of a large farm.
const MAX_ENDPOINTS: usize = 64;

/// The longest endpoint that a coordinator may tell of: longer than any URL of a host and a port.
const MAX_ENDPOINT_BYTES: usize = 300;

/// The longest wait after the first failure.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// The longest wait at all: how late a worker may notice that a coordinator is back.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The endpoints in the order in which they are tried, again and again.
#[derive(Debug)]
pub(crate) struct EndpointRotation {
    endpoints: Vec<String>,
    /// The endpoint that was tried last.
    last: Option<usize>,
    /// Failures since the last session that lasted.
    failures: u32,
    /// Endpoints that refused this worker for good, since a session was last granted.
    refused: BTreeSet<String>,
}

impl EndpointRotation {
    /// The endpoints in random order, so that workers spread over coordinators.
    pub(crate) fn new(endpoints: &[String], rng: &mut Rng) -> Self {
        let mut itinerary =
            Self { endpoints: Vec::new(), last: None, failures: 0, refused: BTreeSet::new() };
        itinerary.learn(endpoints);
        rng.shuffle(&mut itinerary.endpoints);
        itinerary
    }

    /// The endpoint to try now; `None` if there are none at all.
    pub(crate) fn advance(&mut self) -> Option<String> {
        let next = self.last.map_or(0, |last| last + 1) % self.endpoints.len().max(1);
        self.last = Some(next);
        self.endpoints.get(next).cloned()
    }

    /// Remembers more endpoints, as far as there is room.
    pub(crate) fn learn(&mut self, more: &[String]) {
        for endpoint in more {
            let known = self.endpoints.contains(endpoint);
            let fits = !endpoint.is_empty() && endpoint.len() <= MAX_ENDPOINT_BYTES;
            if !known && fits && self.endpoints.len() < MAX_ENDPOINTS {
                self.endpoints.push(endpoint.clone());
            }
        }
    }

    /// A session failed, or there was none: how long to wait before the next attempt.
    pub(crate) fn failed(&mut self, rng: &mut Rng) -> Duration {
        let wait = random_wait(rng, longest_wait(self.failures));
        self.failures = self.failures.saturating_add(1);
        wait
    }

    /// A session lasted: the next failure is the first again.
    pub(crate) fn lasted(&mut self) {
        self.failures = 0;
    }

    /// A session was granted.
    pub(crate) fn welcomed(&mut self) {
        self.refused.clear();
    }

    /// `endpoint` refused this worker for good; whether all endpoints have.
    pub(crate) fn refused(&mut self, endpoint: &str) -> bool {
        self.refused.insert(endpoint.to_owned());
        self.endpoints.iter().all(|endpoint| self.refused.contains(endpoint))
    }
}

/// Full jitter: the wait after `failures` earlier failures is anything from zero to this.
fn longest_wait(failures: u32) -> Duration {
    let doubled = 1_u32.checked_shl(failures).and_then(|factor| FIRST_WAIT.checked_mul(factor));
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
                EndpointRotation::new(&[], &mut rng).failed(&mut Rng::with_seed(rng.u64(..99)))
            })
            .collect();
        waits.sort_unstable();
        assert!(waits[999] <= FIRST_WAIT);
        assert!(waits[100] < FIRST_WAIT / 3 && FIRST_WAIT / 3 * 2 < waits[900], "{waits:?}");
    }

    #[test]
    fn a_session_that_lasted_starts_the_waits_again() {
        let mut rng = Rng::with_seed(1);
        let mut itinerary = EndpointRotation::new(&names(&["a"]), &mut rng);
        for _ in 0..100 {
            assert!(itinerary.failed(&mut rng) <= LONGEST_WAIT);
        }
        itinerary.lasted();
        assert!(itinerary.failed(&mut rng) <= FIRST_WAIT);
    }

    #[test]
    fn every_endpoint_has_its_turn_and_the_list_is_bounded() {
        let mut rng = Rng::with_seed(1);
        let mut itinerary = EndpointRotation::new(&names(&["a", "b", "a"]), &mut rng);
        let turns: Vec<_> = (0..4).filter_map(|_| itinerary.advance()).collect();
        assert_eq!(turns[..2], turns[2..]);
        assert_ne!(turns[0], turns[1]);
        itinerary.learn(&names(&["", &"x".repeat(1000), "c"]));
        assert_eq!(
            itinerary.advance().unwrap(),
            "c",
            "what is learned comes before a second round"
        );
        itinerary.learn(&(0..1000).map(|n| n.to_string()).collect::<Vec<_>>());
        assert_eq!(itinerary.endpoints.len(), MAX_ENDPOINTS);
        assert_eq!(itinerary.endpoints[2], "c");
        assert_eq!(EndpointRotation::new(&[], &mut rng).advance(), None);
    }

    #[test]
    fn a_worker_is_refused_when_all_endpoints_have_refused_it() {
        let mut rng = Rng::with_seed(1);
        let mut itinerary = EndpointRotation::new(&names(&["a", "b"]), &mut rng);
        assert!(!itinerary.refused("a"));
        assert!(!itinerary.refused("a"));
        itinerary.welcomed();
        assert!(!itinerary.refused("b"));
        assert!(itinerary.refused("a"));
    }
}
