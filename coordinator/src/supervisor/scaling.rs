//! Computes the number of workers that a farm should have.

use std::time::Duration;

/// The settings that decide how many workers a farm should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalingPolicy {
    /// The time within which the workers should finish all pending work.
    pub target_drain: Duration,
    /// Slots per worker; `None` for the average of the connected workers.
    pub slots_per_worker: Option<u32>,
    /// The fewest workers while anything is pending.
    pub min_workers: u32,
    /// The most workers.
    pub max_workers: u32,
}

impl Default for ScalingPolicy {
    fn default() -> Self {
        Self {
            target_drain: Duration::from_secs(300),
            slots_per_worker: None,
            min_workers: 0,
            max_workers: 100,
        }
    }
}

/// The connected workers of a farm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FarmCapacity {
    pub(crate) n_workers: u32,
    pub(crate) n_slots: u32,
}

impl ScalingPolicy {
    /// Returns the number of workers wanted for `pending` CPU time; 0 if nothing is pending.
    pub(crate) fn desired(&self, pending: Duration, capacity: FarmCapacity) -> u32 {
        if pending.is_zero() {
            return 0;
        }
        let average = capacity.n_slots.checked_div(capacity.n_workers).unwrap_or(1);
        let slots = u128::from(self.slots_per_worker.unwrap_or(average).max(1));
        let target_ns = self.target_drain.as_nanos().max(1);
        let needed = pending.as_nanos().div_ceil(target_ns.saturating_mul(slots));
        let needed = u32::try_from(needed).unwrap_or(u32::MAX);
        needed.max(self.min_workers).min(self.max_workers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scaling: ScalingPolicy, pending_s: u64, workers: (u32, u32), expected: u32) {
        let capacity = FarmCapacity { n_workers: workers.0, n_slots: workers.1 };
        let desired = scaling.desired(Duration::from_secs(pending_s), capacity);
        assert_eq!(desired, expected, "{scaling:?} with {pending_s} s pending and {capacity:?}");
    }

    #[test]
    fn as_many_workers_as_drain_what_is_pending_in_time() {
        let scaling = ScalingPolicy { slots_per_worker: Some(4), ..ScalingPolicy::default() };
        check(scaling, 1, (0, 0), 1);
        check(scaling, 1200, (0, 0), 1);
        check(scaling, 1201, (0, 0), 2);
        check(scaling, 12_000, (0, 0), 10);
        check(scaling, 1_000_000, (0, 0), 100);
        check(scaling, u64::MAX, (0, 0), 100);
    }

    #[test]
    fn workers_are_taken_to_be_like_those_that_are_there() {
        check(ScalingPolicy::default(), 12_000, (0, 0), 40);
        check(ScalingPolicy::default(), 12_000, (3, 24), 5);
        check(ScalingPolicy::default(), 12_000, (2, 3), 40);
    }

    #[test]
    fn bounds_hold_and_nothing_needs_nobody() {
        let scaling = ScalingPolicy { min_workers: 3, max_workers: 5, ..ScalingPolicy::default() };
        check(scaling, 0, (9, 9), 0);
        check(scaling, 1, (9, 9), 3);
        check(scaling, 1_000_000, (9, 9), 5);
        let at_once = ScalingPolicy { target_drain: Duration::ZERO, ..scaling };
        check(at_once, 1, (9, 9), 5);
    }
}
