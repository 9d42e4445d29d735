//! The operations of consumers on the jobs of the model.

use super::super::refusal::Refusal;
use super::job::{Job, JobState};
use super::run::Run;
use crate::{
    AttemptId, AttemptedJob, CoordinatorId, EnqueueBatch, JobId, JobResult, LeasedJob,
    MAX_ATTEMPTS, RunState, StoreVerdict, WorkerId,
};

impl Run {
    pub(super) fn lease(&mut self, consumer: CoordinatorId, most: usize) -> Vec<LeasedJob> {
        let generation = self.position.generation;
        let most = if self.position.state == RunState::Active { most } else { 0 };
        let ready = self.jobs.iter_mut().filter(|(_, job)| job.state == JobState::Ready);
        let leased = ready.take(most).map(|(&index, job)| {
            job.state = JobState::Leased(consumer);
            LeasedJob { id: JobId { generation, index }, bytes: job.bytes.clone() }
        });
        leased.collect()
    }

    pub(super) fn enqueue_and_lease(
        &mut self,
        enqueue: EnqueueBatch,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, Refusal> {
        self.enqueue(enqueue)?;
        Ok(self.lease(consumer, most))
    }

    pub(super) fn release(&mut self, consumer: CoordinatorId, jobs: &[JobId]) {
        for id in jobs {
            if let Some(job) = self.held(consumer, *id) {
                job.state = JobState::Ready;
            }
        }
    }

    /// Returns the `jobs` that `consumer` does not hold.
    pub(super) fn not_held(&mut self, consumer: CoordinatorId, jobs: Vec<JobId>) -> Vec<JobId> {
        jobs.into_iter().filter(|id| self.held(consumer, *id).is_none()).collect()
    }

    pub(super) fn adopt(&mut self, consumer: CoordinatorId, jobs: &[JobId]) -> Vec<LeasedJob> {
        let is_active = self.position.state == RunState::Active;
        let mut adopted = Vec::new();
        for id in jobs.iter().filter(|_| is_active) {
            if let Some(job) = self.job(*id)
                && matches!(job.state, JobState::Ready | JobState::Leased(_))
            {
                job.state = JobState::Leased(consumer);
                adopted.push(LeasedJob { id: *id, bytes: job.bytes.clone() });
            }
        }
        adopted
    }

    pub(super) fn skip(&mut self, results: Vec<(JobId, JobResult)>) {
        let mut skipped = false;
        for (id, result) in results {
            if self.goes_on_at(id.generation)
                && let Some(job) = self.job(id)
                && job.state == JobState::Parked
            {
                job.state = JobState::Done(result);
                job.attempts.clear();
                self.resolvers.insert(id, WorkerId::NOBODY);
                skipped = true;
            }
        }
        self.position.revision += u64::from(skipped);
    }

    pub(super) fn attempt(&mut self, job: JobId, id: AttemptId, attempt: Vec<u8>) -> AttemptedJob {
        let noted = self.resolvers.get(&job).copied();
        let resolved = |worker| AttemptedJob::resolved_by(noted.unwrap_or(worker));
        let Some(job) = self.job(job) else {
            return noted.map_or(AttemptedJob::Gone, AttemptedJob::resolved_by);
        };
        if let JobState::Done(result) = &job.state {
            return resolved(result.worker);
        }
        if job.attempts.len() < MAX_ATTEMPTS {
            job.attempts.entry(id).or_insert(attempt);
        }
        AttemptedJob::Unresolved(job.attempts.values().cloned().collect())
    }

    pub(super) fn park(&mut self, consumer: CoordinatorId, job: JobId) {
        if let Some(job) = self.held(consumer, job) {
            job.state = JobState::Parked;
        }
    }

    pub(super) fn retry(&mut self, jobs: &[JobId]) -> u64 {
        let mut n_retried = 0;
        for id in jobs {
            if let Some(job) = self.job(*id)
                && job.state == JobState::Parked
            {
                job.state = JobState::Ready;
                job.attempts.clear();
                n_retried += 1;
            }
        }
        n_retried
    }

    pub(super) fn complete(&mut self, results: Vec<(JobId, JobResult)>) -> Vec<StoreVerdict> {
        results.into_iter().map(|(id, result)| self.resolve(id, result)).collect()
    }

    fn resolve(&mut self, id: JobId, result: JobResult) -> StoreVerdict {
        if !self.goes_on_at(id.generation) || self.position.cursor <= id.index {
            return StoreVerdict::Unknown;
        }
        let has_parts = result.parts.iter().all(|part| self.parts.is_whole(part));
        match self.job(id) {
            None => StoreVerdict::Duplicate,
            Some(Job { state: JobState::Done(first), .. }) if first.output == result.output => {
                StoreVerdict::Duplicate
            }
            Some(Job { state: JobState::Done(_), .. }) => StoreVerdict::Mismatch,
            Some(_) if !has_parts => StoreVerdict::PartsMissing,
            Some(job) => {
                let worker = result.worker;
                job.state = JobState::Done(result);
                if !std::mem::take(&mut job.attempts).is_empty() {
                    self.resolvers.insert(id, worker);
                }
                StoreVerdict::Accepted
            }
        }
    }

    fn job(&mut self, id: JobId) -> Option<&mut Job> {
        let is_of_now = id.generation == self.position.generation;
        self.jobs.get_mut(&id.index).filter(|_| is_of_now)
    }

    /// Returns the job if it is LEASED to `consumer`.
    fn held(&mut self, consumer: CoordinatorId, id: JobId) -> Option<&mut Job> {
        self.job(id).filter(|job| job.state == JobState::Leased(consumer))
    }
}
