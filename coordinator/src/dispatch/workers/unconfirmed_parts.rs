//! The parts that a worker may have sent for jobs without a verdict.

use std::collections::BTreeMap;

use hatchery_store::JobKey;
use tonic::Status;

use super::held_jobs::HeldJobs;

/// The most bytes of parts that a worker may have sent for jobs without a verdict. A faulty worker
/// can leave that many bytes in the store until the generation ends. It is enough for four jobs
/// that write as much as a job may.
const MAX_UNCONFIRMED_BYTES: u64 = 2 << 30;

/// The parts that a worker may have sent for jobs without a verdict.
///
/// A job counts from its admission on, while the worker holds it or waits for the verdict on its
/// result. A cancelled or released job no longer counts.
#[derive(Debug, Default)]
pub(crate) struct UnconfirmedParts(BTreeMap<JobKey, PartsOfJob>);

#[derive(Clone, Copy, Debug, Default)]
struct PartsOfJob {
    /// The bytes that the worker announced last: each attempt sends the same parts.
    n_bytes: u64,
    /// True once the result was reported: the worker does not hold the job any more.
    is_reported: bool,
}

impl UnconfirmedParts {
    /// Admits parts of a job to a worker that holds the jobs `held`, in place of the parts that
    /// were admitted before.
    ///
    /// # Errors
    /// If the worker does not hold the job any more, or there are too many bytes.
    pub(crate) fn admit(
        &mut self,
        held: &HeldJobs,
        key: JobKey,
        n_bytes: u64,
    ) -> Result<(), Status> {
        self.0.retain(|&known, parts| parts.is_reported || held.contains(known));
        if !held.contains(key) && !self.0.contains_key(&key) {
            return Err(Status::failed_precondition("the worker does not hold the job any more"));
        }
        let others = self.0.iter().filter(|&(&known, _)| known != key);
        let sum = others.fold(n_bytes, |sum, (_, parts)| sum.saturating_add(parts.n_bytes));
        if MAX_UNCONFIRMED_BYTES < sum {
            return Err(Status::resource_exhausted(format!(
                "{sum} bytes of parts of jobs without a verdict, but at most \
                 {MAX_UNCONFIRMED_BYTES} are allowed"
            )));
        }
        self.0.entry(key).or_default().n_bytes = n_bytes;
        Ok(())
    }

    /// Records that the result of a job was reported.
    pub(crate) fn report(&mut self, key: JobKey) {
        if let Some(parts) = self.0.get_mut(&key) {
            parts.is_reported = true;
        }
    }

    /// Records that the store lacks parts that the result of a job names. The worker sends these
    /// parts again, perhaps in another session than before.
    pub(crate) fn expect_again(&mut self, key: JobKey) {
        self.0.entry(key).or_default().is_reported = true;
    }

    /// Records the final verdict on a result that was reported.
    pub(crate) fn confirm(&mut self, key: JobKey) {
        if self.0.get(&key).is_some_and(|parts| parts.is_reported) {
            self.0.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::SeriesClass;
    use hatchery_store::{JobId, RunId};
    use tonic::Code;
    use ulid::Ulid;

    use super::*;
    use crate::dispatch::workers::held_jobs::SlotUse;

    fn key(index: u64) -> JobKey {
        JobKey { run: RunId(Ulid(7)), job: JobId { generation: 0, index } }
    }

    /// A worker that holds jobs 0 to 4 and has sent as many bytes of jobs 0 to 3 as it may.
    fn full() -> (UnconfirmedParts, HeldJobs) {
        let (mut parts, mut held) = (UnconfirmedParts::default(), HeldJobs::default());
        (0..5).for_each(|index| held.insert(key(index), SeriesClass::Pooled, SlotUse::Another));
        (0..4).for_each(|index| check(&mut parts, &held, index, Code::Ok));
        (parts, held)
    }

    fn check(parts: &mut UnconfirmedParts, held: &HeldJobs, index: u64, expected: Code) {
        let found = parts.admit(held, key(index), MAX_UNCONFIRMED_BYTES / 4);
        assert_eq!(found.err().map_or(Code::Ok, |status| status.code()), expected, "job {index}");
    }

    #[test]
    fn another_attempt_counts_in_place_of_the_first() {
        let (mut parts, held) = full();
        check(&mut parts, &held, 3, Code::Ok);
        check(&mut parts, &held, 4, Code::ResourceExhausted);
    }

    #[test]
    fn a_job_counts_until_its_verdict_or_until_it_is_dropped() {
        let (mut parts, mut held) = full();
        // No result of job 0 was reported, so this is no verdict on one.
        parts.confirm(key(0));
        check(&mut parts, &held, 4, Code::ResourceExhausted);
        parts.report(key(0));
        held.remove(key(0));
        check(&mut parts, &held, 4, Code::ResourceExhausted);
        parts.confirm(key(0));
        check(&mut parts, &held, 4, Code::Ok);
        check(&mut parts, &held, 0, Code::FailedPrecondition);
        // It was cancelled or released.
        held.remove(key(1));
        check(&mut parts, &held, 1, Code::FailedPrecondition);
        held.insert(key(5), SeriesClass::Pooled, SlotUse::Another);
        check(&mut parts, &held, 5, Code::Ok);
    }

    #[test]
    fn missing_parts_are_sent_again() {
        let (mut parts, held) = (UnconfirmedParts::default(), HeldJobs::default());
        check(&mut parts, &held, 0, Code::FailedPrecondition);
        parts.expect_again(key(0));
        check(&mut parts, &held, 0, Code::Ok);
        parts.confirm(key(0));
        check(&mut parts, &held, 0, Code::FailedPrecondition);
    }
}
