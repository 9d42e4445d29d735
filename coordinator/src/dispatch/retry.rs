//! The retry policy: when a job that keeps failing is dead, and how long it waits until then.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::record::{AttemptKind, FailedAttempt};

/// The delay after the first, second and later failed attempts.
const BACKOFF: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(25)];

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
    /// The number of different workers that must have failed, if so many exist.
    pub workers: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { errors: 3, lost: 8, timeouts: 2, workers: 2 }
    }
}

impl RetryPolicy {
    /// Returns whether a job with these attempts is dead, while `n_able` workers could compute it.
    pub(super) fn is_over(self, attempts: &[FailedAttempt], n_able: usize) -> bool {
        let n = |kind: AttemptKind| attempts.iter().filter(|a| a.kind() == kind).count() as u64;
        let workers: BTreeSet<_> = attempts.iter().map(|attempt| &attempt.worker).collect();
        let enough_workers = workers.len() >= (self.workers as usize).min(n_able.max(1));
        enough_workers
            && (u64::from(self.errors) <= n(AttemptKind::Error)
                || u64::from(self.lost) <= n(AttemptKind::Lost)
                || u64::from(self.timeouts) <= n(AttemptKind::Timeout))
    }
}

/// Returns the delay after these attempts.
pub(super) fn backoff(attempts: &[FailedAttempt]) -> Duration {
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

    #[test]
    fn patience_counts_each_kind_and_wants_two_workers() {
        let retry_policy = RetryPolicy::default();
        let errors = |workers: &[u8]| -> Vec<_> {
            workers.iter().map(|&worker| attempt(AttemptKind::Error, worker)).collect()
        };
        assert!(!retry_policy.is_over(&errors(&[1, 2]), 2));
        assert!(!retry_policy.is_over(&errors(&[1, 1, 1, 1]), 2), "one worker may be broken");
        assert!(retry_policy.is_over(&errors(&[1, 1, 1]), 1), "unless there is no other");
        assert!(retry_policy.is_over(&errors(&[1, 2, 1]), 2));
        let mixed = [errors(&[1, 2]), vec![attempt(AttemptKind::Timeout, 3)]].concat();
        assert!(!retry_policy.is_over(&mixed, 3));
        let lost: Vec<_> = (0..7).map(|worker| attempt(AttemptKind::Lost, worker)).collect();
        assert!(!retry_policy.is_over(&lost, 3));
        assert!(retry_policy.is_over(&[lost, vec![attempt(AttemptKind::Lost, 1)]].concat(), 3));
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
