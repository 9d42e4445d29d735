//! The retry policy: how many failed attempts make a job dead, and the delays between attempts.

use std::collections::BTreeSet;
use std::time::Duration;

use hatchery_store::WorkerId;

use crate::run::record::{AttemptKind, FailedAttempt};

/// The delay after the first, second and later failed attempts.
const BACKOFF: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(25)];

/// The number of workers that must have failed a job before it is dead without evidence that these
/// workers complete other jobs. If fewer workers exist, all must have failed it.
const MANY_WORKERS: usize = 8;

/// Losses that count as chance: the job goes to another worker at once.
const LOSSES_BY_CHANCE: usize = 3;

/// The number of failed attempts after which a job is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts that ended in an error: a panic or a malformed result.
    pub errors: u32,
    /// Attempts that ended with a lost worker: far more than a sound job meets by chance.
    pub lost: u32,
    /// Attempts that hung.
    pub timeouts: u32,
    /// The number of different workers that must have failed; if fewer workers exist, all of these.
    pub workers: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { errors: 3, lost: 8, timeouts: 2, workers: 2 }
    }
}

/// The workers of the farm that could compute a job that keeps failing.
#[derive(Debug)]
pub(crate) struct KnownWorkers {
    /// The workers that are connected now.
    pub(crate) now: BTreeSet<WorkerId>,
    /// The workers that have been connected since the first of the losses that the policy allows. A
    /// worker that keeps being lost comes back under another id, and so is not among them.
    pub(crate) since_first_loss: BTreeSet<WorkerId>,
}

impl RetryPolicy {
    /// Returns whether a job with these attempts is dead. `is_evidence` selects the attempts of
    /// workers that complete other jobs of the run. Such an attempt speaks against the job; the
    /// failure of a worker that completes nothing may be the worker's own fault. Without such
    /// evidence, the job is dead once all workers, or many workers, have failed it.
    pub(crate) fn is_over(
        self,
        attempts: &[FailedAttempt],
        known: &KnownWorkers,
        is_evidence: impl Fn(WorkerId, &FailedAttempt) -> bool,
    ) -> bool {
        let by_worker = attempts
            .iter()
            .filter_map(|attempt| Some((WorkerId::from_bytes(&attempt.worker)?, attempt)));
        let tried: BTreeSet<_> = by_worker.clone().map(|(worker, _)| worker).collect();
        let evidence: Vec<_> =
            by_worker.filter(|&(worker, attempt)| is_evidence(worker, attempt)).collect();
        let witnesses: BTreeSet<_> = evidence.iter().map(|&(worker, _)| worker).collect();
        // A worker that has not tried the job may be a witness yet. A witness counts although it
        // may have been paused or have left since.
        let n_possible = witnesses.union(&(&known.now - &tried)).count().max(1);
        if self.is_enough(&witnesses, n_possible)
            && self.reached(evidence.iter().map(|&(_, attempt)| attempt)).is_any()
        {
            return true;
        }
        let ReachedLimits { errors_or_timeouts, losses } = self.reached(attempts);
        let failed_by_all = |workers: &BTreeSet<WorkerId>| {
            let n_tried = workers.intersection(&tried).count();
            workers.len().min(MANY_WORKERS) <= n_tried
                && self.is_enough(&tried, workers.len().max(1))
        };
        (errors_or_timeouts && failed_by_all(&known.now))
            || (losses && failed_by_all(&known.since_first_loss))
    }

    /// Returns whether enough different workers have failed, given that `n_possible` workers could
    /// have.
    fn is_enough(self, failed: &BTreeSet<WorkerId>, n_possible: usize) -> bool {
        (self.workers as usize).min(n_possible) <= failed.len()
    }

    /// Returns the limits that the attempts have reached.
    fn reached<'a>(self, attempts: impl IntoIterator<Item = &'a FailedAttempt>) -> ReachedLimits {
        let (mut errors, mut lost, mut timeouts) = (0, 0, 0);
        for attempt in attempts {
            match attempt.kind() {
                AttemptKind::Error => errors += 1,
                AttemptKind::Lost => lost += 1,
                AttemptKind::Timeout => timeouts += 1,
            }
        }
        let errors_or_timeouts = self.errors <= errors || self.timeouts <= timeouts;
        ReachedLimits { errors_or_timeouts, losses: self.lost <= lost }
    }
}

/// The limits of a policy that attempts have reached.
#[derive(Clone, Copy, Debug)]
struct ReachedLimits {
    errors_or_timeouts: bool,
    losses: bool,
}

impl ReachedLimits {
    fn is_any(self) -> bool {
        self.errors_or_timeouts || self.losses
    }
}

/// Returns the delay after these attempts.
pub(crate) fn backoff(attempts: &[FailedAttempt]) -> Duration {
    let n_lost = attempts.iter().filter(|a| a.kind() == AttemptKind::Lost).count();
    if n_lost == attempts.len() && n_lost <= LOSSES_BY_CHANCE {
        return Duration::ZERO;
    }
    BACKOFF[(attempts.len() - 1).min(BACKOFF.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(kind: AttemptKind, worker: u8) -> FailedAttempt {
        FailedAttempt { kind: kind.into(), worker: vec![worker; 16], ..FailedAttempt::default() }
    }

    fn errors(workers: &[u8]) -> Vec<FailedAttempt> {
        workers.iter().map(|&worker| attempt(AttemptKind::Error, worker)).collect()
    }

    fn id(worker: u8) -> WorkerId {
        WorkerId::from_bytes(&[worker; 16]).unwrap()
    }

    /// Returns true if the job is dead among `workers`, given that the workers `good` complete
    /// other jobs.
    fn is_over(attempts: &[FailedAttempt], workers: &[u8], good: &[u8]) -> bool {
        let known = || workers.iter().map(|&worker| id(worker)).collect();
        let known = KnownWorkers { now: known(), since_first_loss: known() };
        let good: Vec<_> = good.iter().map(|&worker| id(worker)).collect();
        RetryPolicy::default().is_over(attempts, &known, |worker, _| good.contains(&worker))
    }

    #[test]
    fn each_kind_has_its_limit_and_two_workers_must_agree() {
        let good = [1, 2, 3];
        assert!(!is_over(&errors(&[1, 2]), &good, &good));
        assert!(!is_over(&errors(&[1, 1, 1, 1]), &good, &good), "one worker is not enough");
        assert!(is_over(&errors(&[1, 1, 1]), &[1], &good), "unless there is no other");
        assert!(is_over(&errors(&[1, 2, 1]), &good, &good));
        assert!(!is_over(&errors(&[1, 1, 1]), &[2], &good), "the other has not tried it");
        let mixed = [errors(&[1, 2]), vec![attempt(AttemptKind::Timeout, 3)]].concat();
        assert!(!is_over(&mixed, &good, &good));
        let lost: Vec<_> =
            (0..7).map(|worker| attempt(AttemptKind::Lost, worker % 3 + 1)).collect();
        assert!(!is_over(&lost, &good, &good));
        assert!(is_over(&[lost, vec![attempt(AttemptKind::Lost, 1)]].concat(), &good, &good));
    }

    #[test]
    fn workers_that_complete_nothing_are_believed_only_if_all_agree() {
        let failures = errors(&[1, 2, 1, 2, 1, 2]);
        assert!(!is_over(&failures, &[1, 2, 3], &[]), "the third has not tried it");
        assert!(!is_over(&failures, &[1, 2, 3], &[3]));
        assert!(is_over(&errors(&[1, 2, 3]), &[1, 2, 3], &[]));
        assert!(is_over(&errors(&[1, 3, 3, 3]), &[1, 3], &[3]), "the only good one fails it");
        let many: Vec<u8> = (1..=20).collect();
        assert!(!is_over(&errors(&many[..7]), &many, &[]));
        assert!(is_over(&errors(&many[..8]), &many, &[]));
    }

    #[test]
    fn losses_are_taken_for_chance_at_first_and_errors_are_not() {
        let lost = attempt(AttemptKind::Lost, 1);
        assert_eq!(backoff(&vec![lost.clone(); 3]), Duration::ZERO);
        assert_eq!(backoff(&vec![lost; 4]), BACKOFF[2]);
        let error = attempt(AttemptKind::Error, 1);
        assert_eq!(backoff(std::slice::from_ref(&error)), BACKOFF[0]);
        assert_eq!(backoff(&[error.clone(), error]), BACKOFF[1]);
    }
}
