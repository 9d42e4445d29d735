//! Who holds which jobs: in memory only, so that leases end with the process.

use std::collections::{BTreeMap, BTreeSet};

use crate::store::RunId;

/// The leases of all runs.
pub(super) type AllLeases = BTreeMap<RunId, Leases>;

/// The leases of one run in its current generation.
///
/// ```text
///   indices:  ......................  next  ..........
///             resolved, held or       | never leased
///             given back: `returned`  |
/// ```
///
/// The jobs themselves are in the file, where an index at or above `next` may be resolved too:
/// anyone may send its result.
#[derive(Debug, Default)]
pub(super) struct Leases {
    next: u64,
    held: BTreeMap<u64, u128>,
    returned: BTreeSet<u64>,
}

impl Leases {
    /// The lowest index that was given back, no longer counted as such.
    pub(super) fn pop_returned(&mut self) -> Option<u64> {
        self.returned.pop_first()
    }

    /// The lowest index that was never leased.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// `consumer` holds this job now.
    pub(super) fn hold(&mut self, index: u64, consumer: u128) {
        self.held.insert(index, consumer);
        self.next = self.next.max(index + 1);
    }

    /// Takes the job back if `consumer` holds it.
    pub(super) fn give_back(&mut self, index: u64, consumer: u128) {
        if self.held.get(&index) == Some(&consumer) {
            self.held.remove(&index);
            self.returned.insert(index);
        }
    }

    /// Forgets a job that has a result.
    pub(super) fn resolve(&mut self, index: u64) {
        self.held.remove(&index);
        self.returned.remove(&index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINE: u128 = 1;
    const OTHERS: u128 = 2;

    #[test]
    fn a_job_comes_back_from_its_holder_only() {
        let mut leases = Leases::default();
        leases.hold(0, MINE);
        leases.hold(1, MINE);
        leases.give_back(1, OTHERS);
        assert_eq!(leases.pop_returned(), None);
        leases.give_back(1, MINE);
        leases.give_back(1, MINE);
        assert_eq!(leases.pop_returned(), Some(1));
        assert_eq!(leases.pop_returned(), None);
        assert_eq!(leases.next(), 2);
    }

    #[test]
    fn nothing_is_kept_of_resolved_jobs() {
        let mut leases = Leases::default();
        leases.hold(0, MINE);
        leases.hold(1, MINE);
        leases.give_back(1, MINE);
        leases.resolve(0);
        leases.resolve(1);
        assert!(leases.held.is_empty() && leases.returned.is_empty());
    }
}
