//! The leases of jobs: in memory only, so that they end with the process.

use std::collections::{BTreeMap, BTreeSet};

use crate::{CoordinatorId, RunId};

/// The leases by run.
pub(super) type AllLeases = BTreeMap<RunId, LeaseTable>;

/// The leases of a run in its current generation.
///
/// ```text
///   indices:  ......................  next  ..........
///             not READY, or READY     | READY, unless held or
///             again: `returned`       | not so in the file
/// ```
///
/// The jobs themselves are in the file, where any may be DONE or PARKED.
#[derive(Debug, Default)]
pub(super) struct LeaseTable {
    next: u64,
    held: BTreeMap<u64, CoordinatorId>,
    returned: BTreeSet<u64>,
}

impl LeaseTable {
    /// Removes and returns the lowest index that is READY again.
    pub(super) fn pop_returned(&mut self) -> Option<u64> {
        self.returned.pop_first()
    }

    /// Returns the index below which only returned jobs are READY.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Records that only returned jobs are READY below `next`.
    pub(super) fn pass(&mut self, next: u64) {
        self.next = self.next.max(next);
    }

    /// Returns true if anyone holds this job.
    pub(super) fn is_held(&self, index: u64) -> bool {
        self.held.contains_key(&index)
    }

    /// Returns true if `consumer` holds this job.
    pub(super) fn is_held_by(&self, index: u64, consumer: CoordinatorId) -> bool {
        self.held.get(&index) == Some(&consumer)
    }

    /// Gives this job to `consumer`; it was READY or held by anyone.
    pub(super) fn hold(&mut self, index: u64, consumer: CoordinatorId) {
        self.returned.remove(&index);
        self.held.insert(index, consumer);
    }

    /// Takes the job back if `consumer` holds it.
    pub(super) fn give_back(&mut self, index: u64, consumer: CoordinatorId) {
        if self.is_held_by(index, consumer) {
            self.held.remove(&index);
            self.make_ready(index);
        }
    }

    /// Makes this job, which has no holder, READY.
    pub(super) fn make_ready(&mut self, index: u64) {
        if index < self.next {
            self.returned.insert(index);
        }
    }

    /// Looks for READY jobs among all jobs again, because the file may differ from this table.
    /// Holders keep their jobs.
    pub(super) fn look_again(&mut self) {
        self.next = 0;
        self.returned.clear();
    }

    /// Forgets a job that is DONE or PARKED.
    pub(super) fn settle(&mut self, index: u64) {
        self.held.remove(&index);
        self.returned.remove(&index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: CoordinatorId = CoordinatorId(1);
    const OTHERS: CoordinatorId = CoordinatorId(2);

    #[test]
    fn a_job_comes_back_from_its_holder_only() {
        let mut leases = LeaseTable::default();
        leases.hold(0, MINE);
        leases.hold(1, MINE);
        leases.pass(2);
        leases.give_back(1, OTHERS);
        assert_eq!(leases.pop_returned(), None);
        leases.give_back(1, MINE);
        leases.give_back(1, MINE);
        assert_eq!(leases.pop_returned(), Some(1));
        assert_eq!(leases.pop_returned(), None);
        assert_eq!(leases.next(), 2);
    }

    #[test]
    fn nothing_is_kept_of_settled_jobs() {
        let mut leases = LeaseTable::default();
        leases.hold(0, MINE);
        leases.hold(1, MINE);
        leases.pass(2);
        leases.give_back(1, MINE);
        leases.settle(0);
        leases.settle(1);
        assert!(leases.held.is_empty() && leases.returned.is_empty());
    }

    /// Checks that a job above `next` is found when it is passed, and is not counted twice.
    #[test]
    fn a_job_that_was_never_passed_is_not_returned() {
        let mut leases = LeaseTable::default();
        leases.hold(5, MINE);
        leases.give_back(5, MINE);
        assert_eq!((leases.pop_returned(), leases.next()), (None, 0));
        leases.pass(6);
        leases.make_ready(5);
        leases.hold(5, OTHERS);
        assert_eq!(leases.pop_returned(), None);
    }
}
