//! The operations on a run's jobs.
//!
//! Jobs are independent in all these calls, so a call for many jobs is split. A successful call
//! counts, whatever the outcome of the other calls.

use std::iter;

use redis::Value;

use super::reply::MalformedReply;
use super::script::{
    ADOPT, ATTEMPT, BATCH, COMPLETE, DISOWN, JOBS, LEASE, PARK, PARKED, RELEASE, RENEW, RESULTS,
    RETRY, SKIP,
};
use super::{RedisStore, keys, parts, reply};
use crate::{
    AttemptId, AttemptedJob, CoordinatorId, DeadJobRecord, JobId, JobResult, LEASE_TTL,
    LeaderToken, LeasedJob, MAX_ATTEMPTS, ResultPage, RunId, StoreError, StoreVerdict, WorkerId,
};

/// The number of bytes of results in one call or answer, not counting the last result.
const MAX_BYTES: usize = 4 << 20;

/// The interval between searches for expired leases: a small part of their time.
const SWEEP_EVERY_MS: u64 = 1000;

/// The time without leases after which a consumer is forgotten; a result that comes back is
/// recognized.
const FORGET_AFTER_MS: u64 = 60_000;

impl RedisStore {
    pub(super) async fn lease_jobs(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        let ttl_ms = u64::try_from(LEASE_TTL.as_millis()).unwrap_or(u64::MAX);
        let mut leased = Vec::new();
        loop {
            let n = BATCH.min(most - leased.len());
            let request = self.on(run, &LEASE).arg(consumer.to_string()).arg(n).arg(ttl_ms);
            let request = request.arg(SWEEP_EVERY_MS).arg(FORGET_AFTER_MS);
            let more = match request.ask(reply::jobs).await {
                // The caller is to know what it has.
                Err(_) if !leased.is_empty() => return Ok(leased),
                more => more?,
            };
            let is_last = more.len() < n;
            leased.extend(more);
            if is_last || leased.len() == most {
                return Ok(leased);
            }
        }
    }

    pub(super) async fn release_jobs(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<(), StoreError> {
        for slice in slices(jobs) {
            let request = self.on(run, &RELEASE).arg(consumer.to_string()).arg(entries(slice));
            request.done().await?;
        }
        Ok(())
    }

    pub(super) async fn renew_leases(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<Vec<JobId>, StoreError> {
        let mut lost = Vec::new();
        for slice in slices(jobs) {
            let request = self.on(run, &RENEW).arg(consumer.to_string()).arg(entries(slice));
            let numbers = |value| reply::list(value)?.into_iter().map(reply::number).collect();
            let numbers: Vec<u64> = request.ask(numbers).await?;
            let job = |number| slice.get(usize::try_from(number).ok()?);
            lost.extend(numbers.into_iter().filter_map(job));
        }
        Ok(lost)
    }

    pub(super) async fn adopt_jobs(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        jobs: &[JobId],
    ) -> Result<Vec<LeasedJob>, StoreError> {
        let mut adopted = Vec::new();
        for slice in slices(jobs) {
            let request = self.on(run, &ADOPT).arg(consumer.to_string()).arg(entries(slice));
            adopted.extend(request.ask(reply::jobs).await?);
        }
        Ok(adopted)
    }

    pub(super) async fn job_bytes(
        &self,
        run: RunId,
        jobs: &[JobId],
    ) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let mut found = Vec::with_capacity(jobs.len());
        for slice in slices(jobs) {
            let bytes = |value| reply::list(value)?.into_iter().map(reply::maybe_bytes).collect();
            let bytes: Vec<_> = self.on(run, &JOBS).arg(pairs(slice)).ask(bytes).await?;
            found.extend(bytes);
        }
        Ok(found)
    }

    pub(super) async fn add_attempt(
        &self,
        run: RunId,
        job: JobId,
        id: AttemptId,
        attempt: &[u8],
    ) -> Result<AttemptedJob, StoreError> {
        let request = self.on(run, &ATTEMPT).arg(job.generation).arg(job.index);
        let request = request.arg(&id.to_bytes()[..]).arg(attempt).arg(MAX_ATTEMPTS);
        request.ask(attempted).await
    }

    pub(super) async fn park_job(
        &self,
        run: RunId,
        consumer: CoordinatorId,
        job: JobId,
    ) -> Result<(), StoreError> {
        let request = self.on(run, &PARK).arg(consumer.to_string()).arg(job.index);
        request.arg(reply::entry_id(job)).done().await
    }

    pub(super) async fn parked_jobs(
        &self,
        run: RunId,
        from: u64,
        most: usize,
    ) -> Result<Vec<DeadJobRecord>, StoreError> {
        let mut found: Vec<DeadJobRecord> = Vec::new();
        loop {
            let n = BATCH.min(most - found.len());
            let next = found.last().map_or(from, |last| last.job.index + 1);
            let more = self.on(run, &PARKED).arg(next).arg(n).ask(parked).await?;
            let is_last = more.len() < n;
            found.extend(more);
            if is_last || found.len() == most {
                return Ok(found);
            }
        }
    }

    pub(super) async fn retry_jobs(&self, run: RunId, jobs: &[JobId]) -> Result<u64, StoreError> {
        let mut n_ready = 0;
        for slice in slices(jobs) {
            n_ready += self.on(run, &RETRY).arg(pairs(slice)).ask(reply::number).await?;
        }
        Ok(n_ready)
    }

    pub(super) async fn offer_results(
        &self,
        run: RunId,
        results: &[(JobId, JobResult)],
    ) -> Result<Vec<StoreVerdict>, StoreError> {
        let mut verdicts = Vec::with_capacity(results.len());
        let mut rest = results;
        loop {
            let mut request = self.on(run, &COMPLETE);
            let (mut n, mut n_bytes) = (0, 0);
            while let Some((job, result)) = rest.get(n)
                && n < BATCH
                && n_bytes < MAX_BYTES
            {
                let names = parts::names(&result.parts);
                let result = reply::encode_result(result);
                n_bytes += result.len() + names.len();
                request = request.arg(job.generation).arg(job.index).arg(result).arg(names);
                n += 1;
            }
            verdicts.extend(request.ask(|value| parse_verdicts(value, n)).await?);
            rest = &rest[n..];
            if rest.is_empty() {
                return Ok(verdicts);
            }
        }
    }

    pub(super) async fn skip_jobs(
        &self,
        lead: &LeaderToken,
        results: &[(JobId, JobResult)],
    ) -> Result<(), StoreError> {
        let slices = iter::once(results).filter(|all| all.is_empty()).chain(results.chunks(BATCH));
        for slice in slices {
            let mut request = self.on(lead.run, &SKIP).arg(keys::token(lead));
            for (job, result) in slice {
                request = request.arg(job.generation).arg(job.index);
                request = request.arg(reply::encode_result(result));
            }
            request.done().await?;
        }
        Ok(())
    }

    pub(super) async fn disown_results(
        &self,
        lead: &LeaderToken,
        workers: &[WorkerId],
    ) -> Result<Vec<(WorkerId, u64)>, StoreError> {
        let mut invalidated = Vec::new();
        let slices = iter::once(workers).filter(|all| all.is_empty()).chain(workers.chunks(BATCH));
        for slice in slices {
            let request = self.on(lead.run, &DISOWN).arg(keys::token(lead));
            let ids = slice.iter().map(|worker| worker.to_bytes().to_vec());
            invalidated.extend(request.arg(ids.collect::<Vec<_>>()).ask(counts).await?);
        }
        invalidated.sort_unstable();
        Ok(invalidated)
    }

    pub(super) async fn read_page(
        &self,
        run: RunId,
        from: u64,
        most: usize,
    ) -> Result<ResultPage, StoreError> {
        let request = self.on(run, &RESULTS).arg(from).arg(most).arg(MAX_BYTES);
        let read_page = |value| {
            let [state, reason, results, unresolved, parked] = reply::items(value)?;
            let results = reply::list(results)?.into_iter().map(reply::result);
            Ok(ResultPage {
                state: reply::state(state, reason)?,
                results: results.collect::<Result<_, _>>()?,
                n_unresolved: reply::number(unresolved)?,
                n_parked: reply::number(parked)?,
            })
        };
        request.ask(read_page).await
    }
}

/// Splits jobs into calls: at least one call, which finds out whether the run exists.
fn slices(jobs: &[JobId]) -> impl Iterator<Item = &[JobId]> {
    iter::once(jobs).filter(|jobs| jobs.is_empty()).chain(jobs.chunks(BATCH))
}

fn entries(jobs: &[JobId]) -> Vec<String> {
    jobs.iter().copied().map(reply::entry_id).collect()
}

/// Returns the generations and indices of jobs.
fn pairs(jobs: &[JobId]) -> Vec<u64> {
    jobs.iter().flat_map(|job| [job.generation.into(), job.index]).collect()
}

fn parked(value: Value) -> Result<Vec<DeadJobRecord>, MalformedReply> {
    let [generation, found] = reply::items(value)?;
    let generation = reply::generation_of(reply::number(generation)?)?;
    let one = |value| {
        let [index, bytes, attempts] = reply::items(value)?;
        let job = JobId { generation, index: reply::number(index)? };
        Ok(DeadJobRecord { job, bytes: reply::bytes(bytes)?, attempts: reply::attempts(attempts)? })
    };
    reply::list(found)?.into_iter().map(one).collect()
}

/// Returns workers with numbers of jobs.
fn counts(value: Value) -> Result<Vec<(WorkerId, u64)>, MalformedReply> {
    let count = |value| {
        let [worker, n_jobs] = reply::items(value)?;
        let worker = WorkerId::from_bytes(&reply::bytes(worker)?);
        let worker = worker.ok_or(MalformedReply { expected: "the id of a worker" })?;
        Ok((worker, reply::number(n_jobs)?))
    };
    reply::list(value)?.into_iter().map(count).collect()
}

fn attempted(value: Value) -> Result<AttemptedJob, MalformedReply> {
    let [status, value] = reply::items(value)?;
    if reply::bytes(status)? == b"unresolved" {
        return Ok(AttemptedJob::Unresolved(reply::attempts(value)?));
    }
    let worker = reply::bytes(value)?;
    if worker.is_empty() {
        return Ok(AttemptedJob::Gone);
    }
    let worker = WorkerId::from_bytes(&worker);
    let worker = worker.ok_or(MalformedReply { expected: "the worker that resolved a job" })?;
    Ok(AttemptedJob::resolved_by(worker))
}

fn parse_verdicts(value: Value, n: usize) -> Result<Vec<StoreVerdict>, MalformedReply> {
    let expected = "a verdict for each result";
    let verdict = |letter| match letter {
        b'A' => Ok(StoreVerdict::Accepted),
        b'D' => Ok(StoreVerdict::Duplicate),
        b'M' => Ok(StoreVerdict::Mismatch),
        b'U' => Ok(StoreVerdict::Unknown),
        b'P' => Ok(StoreVerdict::PartsMissing),
        _ => Err(MalformedReply { expected }),
    };
    let letters = reply::bytes(value)?;
    if letters.len() != n {
        return Err(MalformedReply { expected });
    }
    letters.into_iter().map(verdict).collect()
}
