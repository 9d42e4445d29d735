//! The operations on jobs and their results, each within its transaction.
//!
//! A job has a row in [`JOBS`] until it is folded, and a row in [`RESULTS`] ⇔ it is DONE. [`JOBS`]
//! has exactly the jobs from `folded` to the cursor.

use std::collections::{BTreeMap, BTreeSet};

use redb::{ReadTransaction, ReadableTable, Table, WriteTransaction};

use super::error::StoreStop;
use super::leases::AllLeases;
use super::parts;
use super::runs::{led, step};
use super::tables::{
    CUTS, JOBS, JobRowKey, PARKED, POSITIONS, RESOLVERS, RESULTS, ResultRow, clear_attempts,
    goes_on, has_attempts, key, note_resolver, out_of_step, position,
};
use crate::{
    EnqueueBatch, JobId, JobResult, LeaderToken, ResultPage, RunId, RunPosition, StoreVerdict,
    WorkerId, part_codec,
};

pub(super) fn enqueue(
    txn: &WriteTransaction,
    lead: &LeaderToken,
    enqueue: &EnqueueBatch,
) -> Result<(), StoreStop> {
    let mut position = led(txn, lead)?;
    if !goes_on(&position)
        || position.generation != enqueue.generation
        || position.cursor < enqueue.first_index
    {
        return Err(out_of_step(lead.run, position, "enqueue"));
    }
    parts::insert(txn, lead.run, &enqueue.parts)?;
    let before = position.cursor;
    let mut rows = txn.open_table(JOBS)?;
    for (index, job) in (enqueue.first_index..).zip(&enqueue.jobs) {
        if before <= index {
            rows.insert((key(lead.run), index), job.as_slice())?;
            position.cursor = index + 1;
        }
    }
    if before < position.cursor {
        txn.open_table(CUTS)?.insert(key(lead.run), enqueue.table.as_slice())?;
        step(txn, lead.run, position)?;
    }
    Ok(())
}

pub(super) fn complete(
    txn: &WriteTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
    results: &[(JobId, JobResult)],
) -> Result<Vec<StoreVerdict>, StoreStop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let leases = all_leases.entry(run).or_default();
    let mut done = txn.open_table(RESULTS)?;
    let mut parked = txn.open_table(PARKED)?;
    let mut verdicts = Vec::with_capacity(results.len());
    for (id, result) in results {
        let job = (key(run), id.index);
        if !goes_on(&position)
            || position.generation != id.generation
            || position.cursor <= id.index
        {
            verdicts.push(StoreVerdict::Unknown);
            continue;
        }
        if id.index < position.folded {
            verdicts.push(StoreVerdict::Duplicate);
            continue;
        }
        if let Some(first) = done.get(job)? {
            let (_, output, _, _) = first.value();
            let is_equal = output == result.output;
            verdicts.push(if is_equal { StoreVerdict::Duplicate } else { StoreVerdict::Mismatch });
            continue;
        }
        if !parts::are_whole(txn, run, &result.parts)? {
            verdicts.push(StoreVerdict::PartsMissing);
            continue;
        }
        insert_result(&mut done, run, id.index, result)?;
        parked.remove(job)?;
        if has_attempts(txn, run, id.index)? {
            clear_attempts(txn, run, id.index)?;
            note_resolver(txn, run, *id, result.worker)?;
        }
        leases.settle(id.index);
        verdicts.push(StoreVerdict::Accepted);
    }
    Ok(verdicts)
}

pub(super) fn results(
    txn: &ReadTransaction,
    run: RunId,
    from: u64,
    most: usize,
) -> Result<ResultPage, StoreStop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let done = txn.open_table(RESULTS)?;
    let mut results = Vec::new();
    let rows = done.range((key(run), from)..=(key(run), u64::MAX))?;
    for (index, entry) in (from..).zip(rows).take(most) {
        let (job, result) = entry?;
        if job.value().1 != index {
            break;
        }
        let (worker, output, cost, names) = result.value();
        let lost = || StoreStop::run_damaged(run, format!("the parts of job {index} are lost"));
        results.push(JobResult {
            worker: WorkerId(worker),
            output: output.to_owned(),
            cost: cost.to_owned(),
            parts: part_codec::decode(names).ok_or_else(lost)?,
        });
    }
    let all = || (key(run), 0)..=(key(run), u64::MAX);
    let n_done = done.range(all())?.count() as u64;
    let n_parked = txn.open_table(PARKED)?.range(all())?.count() as u64;
    let n_unresolved = (position.cursor - position.folded)
        .checked_sub(n_done)
        .ok_or_else(|| StoreStop::run_damaged(run, "it has more results than jobs".to_owned()))?;
    Ok(ResultPage { state: position.state, results, n_unresolved, n_parked })
}

pub(super) fn bytes_of(
    txn: &ReadTransaction,
    run: RunId,
    jobs: &[JobId],
) -> Result<Vec<Option<Vec<u8>>>, StoreStop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let rows = txn.open_table(JOBS)?;
    let bytes =
        |id: &JobId| is_there(&position, *id).then(|| job(&rows, run, id.index)).transpose();
    jobs.iter().map(bytes).collect()
}

pub(super) fn disown(
    txn: &WriteTransaction,
    all_leases: &mut AllLeases,
    lead: &LeaderToken,
    workers: &[WorkerId],
) -> Result<Vec<(WorkerId, u64)>, StoreStop> {
    let position = led(txn, lead)?;
    let leases = all_leases.entry(lead.run).or_default();
    let mut done = txn.open_table(RESULTS)?;
    let run = key(lead.run);
    let mut resolvers = txn.open_table(RESOLVERS)?;
    let workers: BTreeSet<_> = workers.iter().map(|worker| worker.0).collect();
    let all = (run, 0)..=(run, u64::MAX);
    let invalidated = done.extract_from_if(all, |_, (of, _, _, _)| workers.contains(&of))?;
    let mut n_invalidated: BTreeMap<WorkerId, u64> = BTreeMap::new();
    for entry in invalidated {
        let (job, result) = entry?;
        let (_, index) = job.value();
        *n_invalidated.entry(WorkerId(result.value().0)).or_default() += 1;
        leases.make_ready(index);
        resolvers.remove((run, position.generation, index))?;
    }
    if !n_invalidated.is_empty() {
        step(txn, lead.run, position)?;
    }
    Ok(n_invalidated.into_iter().collect())
}

/// Makes a job DONE.
pub(super) fn insert_result(
    done: &mut Table<'_, JobRowKey, ResultRow>,
    run: RunId,
    index: u64,
    result: &JobResult,
) -> Result<(), StoreStop> {
    let JobResult { worker, output, cost, parts } = result;
    let names = part_codec::encode(parts);
    let row = (worker.0, output.as_slice(), cost.as_slice(), names.as_slice());
    done.insert((key(run), index), row)?;
    Ok(())
}

/// Returns true if the run has this job now: enqueued and not folded.
pub(super) fn is_there(position: &RunPosition, id: JobId) -> bool {
    id.generation == position.generation
        && position.folded <= id.index
        && id.index < position.cursor
}

/// Returns the bytes of an existing job.
pub(super) fn job(
    rows: &impl ReadableTable<JobRowKey, &'static [u8]>,
    run: RunId,
    index: u64,
) -> Result<Vec<u8>, StoreStop> {
    let row = rows.get((key(run), index))?;
    let row = row.ok_or_else(|| StoreStop::run_damaged(run, format!("job {index} is lost")))?;
    Ok(row.value().to_owned())
}
