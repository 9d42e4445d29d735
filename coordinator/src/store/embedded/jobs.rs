//! What each operation on jobs does within its transaction.
//!
//! A job has a row in [`JOBS`] as long as it is unresolved, and one in [`RESULTS`] from then until
//! it is folded. Below the cursor it has exactly one of the two, below `folded` none.

use redb::{ReadTransaction, ReadableTable, WriteTransaction};

use super::leases::AllLeases;
use super::runs::{led, out_of_step, step};
use super::tables::{CUTS, JOBS, POSITIONS, RESULTS, key, position};
use super::trouble::Stop;
use crate::store::{Enqueue, JobId, JobResult, Lead, RunId, RunState, Verdict};

pub(super) fn enqueue(txn: &WriteTransaction, lead: &Lead, enqueue: &Enqueue) -> Result<(), Stop> {
    let mut position = led(txn, lead)?;
    if position.state != RunState::Active
        || position.generation != enqueue.generation
        || position.cursor < enqueue.first_index
    {
        return Err(out_of_step(lead.run, position, "enqueue"));
    }
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

pub(super) fn lease(
    txn: &ReadTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
    consumer: u128,
    most: usize,
) -> Result<Vec<(JobId, Vec<u8>)>, Stop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let mut leased = Vec::new();
    if position.state != RunState::Active {
        return Ok(leased);
    }
    let id = |index| JobId { generation: position.generation, index };
    let leases = all_leases.entry(run).or_default();
    let jobs = txn.open_table(JOBS)?;
    while leased.len() < most
        && let Some(index) = leases.pop_returned()
    {
        let job = jobs.get((key(run), index))?.ok_or_else(|| lost(run, index))?;
        leases.hold(index, consumer);
        leased.push((id(index), job.value().to_owned()));
    }
    let never_leased = jobs.range((key(run), leases.next())..(key(run), position.cursor))?;
    for entry in never_leased.take(most - leased.len()) {
        let (job_key, job) = entry?;
        let (_, index) = job_key.value();
        leases.hold(index, consumer);
        leased.push((id(index), job.value().to_owned()));
    }
    Ok(leased)
}

pub(super) fn release(
    txn: &ReadTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
    consumer: u128,
    jobs: &[JobId],
) -> Result<(), Stop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let leases = all_leases.entry(run).or_default();
    for job in jobs.iter().filter(|job| job.generation == position.generation) {
        leases.give_back(job.index, consumer);
    }
    Ok(())
}

pub(super) fn complete(
    txn: &WriteTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
    results: &[(JobId, JobResult)],
) -> Result<Vec<Verdict>, Stop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let leases = all_leases.entry(run).or_default();
    let mut jobs = txn.open_table(JOBS)?;
    let mut done = txn.open_table(RESULTS)?;
    let mut verdicts = Vec::with_capacity(results.len());
    for (id, result) in results {
        let job = (key(run), id.index);
        let verdict = if position.state != RunState::Active
            || position.generation != id.generation
            || position.cursor <= id.index
        {
            Verdict::Unknown
        } else if id.index < position.folded {
            Verdict::Duplicate
        } else if jobs.remove(job)?.is_some() {
            done.insert(job, (result.output.as_slice(), result.cost.as_slice()))?;
            leases.resolve(id.index);
            Verdict::Accepted
        } else {
            let resolved = done.get(job)?.ok_or_else(|| lost(run, id.index))?;
            let (output, _) = resolved.value();
            if output == result.output { Verdict::Duplicate } else { Verdict::Mismatch }
        };
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

pub(super) fn results(
    txn: &ReadTransaction,
    run: RunId,
    from: u64,
    most: usize,
) -> Result<Vec<JobResult>, Stop> {
    position(&txn.open_table(POSITIONS)?, run)?;
    let done = txn.open_table(RESULTS)?;
    let mut results = Vec::new();
    let rows = done.range((key(run), from)..=(key(run), u64::MAX))?;
    for (index, entry) in (from..).zip(rows).take(most) {
        let (job, result) = entry?;
        if job.value().1 != index {
            break;
        }
        let (output, cost) = result.value();
        results.push(JobResult { output: output.to_owned(), cost: cost.to_owned() });
    }
    Ok(results)
}

/// A job that must be in the file is not there.
fn lost(run: RunId, index: u64) -> Stop {
    Stop::damaged(format!("job {index} of run {run} is lost"))
}
