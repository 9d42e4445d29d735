//! The operations on jobs that keep failing, each within its transaction.

use redb::{ReadTransaction, ReadableTable, WriteTransaction};

use super::error::StoreStop;
use super::jobs::{insert_result, is_there, job};
use super::leases::AllLeases;
use super::runs::{led, step};
use super::tables::{
    ATTEMPTS, AttemptRowKey, JOBS, PARKED, POSITIONS, RESOLVERS, RESULTS, clear_attempts, goes_on,
    key, note_resolver, position,
};
use crate::{
    AttemptId, AttemptedJob, CoordinatorId, DeadJobRecord, JobId, JobResult, LeaderToken,
    MAX_ATTEMPTS, RunId, WorkerId,
};

pub(super) fn attempt(
    txn: &WriteTransaction,
    run: RunId,
    job: JobId,
    id: AttemptId,
    attempt: &[u8],
) -> Result<AttemptedJob, StoreStop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let result = match is_there(&position, job) {
        true => txn.open_table(RESULTS)?.get((key(run), job.index))?.map(|row| row.value().0),
        false => None,
    };
    if result.is_some() || !is_there(&position, job) {
        let resolvers = txn.open_table(RESOLVERS)?;
        let resolver = resolvers.get((key(run), job.generation, job.index))?;
        let worker = resolver.map(|row| row.value()).or(result);
        let resolved = |worker| AttemptedJob::resolved_by(WorkerId(worker));
        return Ok(worker.map_or(AttemptedJob::Gone, resolved));
    }
    let mut attempts = txn.open_table(ATTEMPTS)?;
    let row = (key(run), job.index, id.0);
    let is_new = attempts.get(row)?.is_none();
    if is_new && attempts_at(&attempts, run, job.index)?.len() < MAX_ATTEMPTS {
        attempts.insert(row, attempt)?;
    }
    Ok(AttemptedJob::Unresolved(attempts_at(&attempts, run, job.index)?))
}

pub(super) fn park(
    txn: &WriteTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
    consumer: CoordinatorId,
    job: JobId,
) -> Result<(), StoreStop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let leases = all_leases.entry(run).or_default();
    if is_there(&position, job) && leases.is_held_by(job.index, consumer) {
        txn.open_table(PARKED)?.insert((key(run), job.index), ())?;
        leases.settle(job.index);
    }
    Ok(())
}

pub(super) fn parked(
    txn: &ReadTransaction,
    run: RunId,
    from: u64,
    most: usize,
) -> Result<Vec<DeadJobRecord>, StoreStop> {
    let generation = position(&txn.open_table(POSITIONS)?, run)?.generation;
    let (jobs, attempts) = (txn.open_table(JOBS)?, txn.open_table(ATTEMPTS)?);
    let rows = txn.open_table(PARKED)?.range((key(run), from)..=(key(run), u64::MAX))?;
    let told = rows.take(most).map(|entry| {
        let (_, index) = entry?.0.value();
        let attempts = attempts_at(&attempts, run, index)?;
        let bytes = job(&jobs, run, index)?;
        Ok(DeadJobRecord { job: JobId { generation, index }, bytes, attempts })
    });
    told.collect()
}

pub(super) fn retry(
    txn: &WriteTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
    jobs: &[JobId],
) -> Result<u64, StoreStop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let leases = all_leases.entry(run).or_default();
    let mut parked = txn.open_table(PARKED)?;
    let mut n_retried = 0;
    for id in jobs.iter().filter(|id| is_there(&position, **id)) {
        if parked.remove((key(run), id.index))?.is_some() {
            clear_attempts(txn, run, id.index)?;
            leases.make_ready(id.index);
            n_retried += 1;
        }
    }
    Ok(n_retried)
}

pub(super) fn skip(
    txn: &WriteTransaction,
    lead: &LeaderToken,
    results: &[(JobId, JobResult)],
) -> Result<(), StoreStop> {
    let (run, position) = (lead.run, led(txn, lead)?);
    let mut parked = txn.open_table(PARKED)?;
    let mut done = txn.open_table(RESULTS)?;
    let mut skipped = false;
    for (id, result) in results {
        let is_open = goes_on(&position) && is_there(&position, *id);
        if is_open && parked.remove((key(run), id.index))?.is_some() {
            insert_result(&mut done, run, id.index, result)?;
            clear_attempts(txn, run, id.index)?;
            note_resolver(txn, run, *id, WorkerId::NOBODY)?;
            skipped = true;
        }
    }
    if skipped { step(txn, run, position) } else { Ok(()) }
}

/// Returns the attempts at a job, in the order of their ids.
fn attempts_at(
    attempts: &impl ReadableTable<AttemptRowKey, &'static [u8]>,
    run: RunId,
    index: u64,
) -> Result<Vec<Vec<u8>>, StoreStop> {
    let rows = attempts.range((key(run), index, 0)..=(key(run), index, u128::MAX))?;
    rows.map(|entry| Ok(entry?.1.value().to_owned())).collect()
}
