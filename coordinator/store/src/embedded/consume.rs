//! The operations of consumers: leasing, renewing and returning jobs.

use redb::ReadTransaction;

use super::error::StoreStop;
use super::jobs::{is_there, job};
use super::leases::AllLeases;
use super::tables::{JOBS, PARKED, POSITIONS, RESULTS, key, position};
use crate::{CoordinatorId, JobId, LeasedJob, RunId, RunState};

pub(super) fn lease(
    txn: &ReadTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
    consumer: CoordinatorId,
    most: usize,
) -> Result<Vec<LeasedJob>, StoreStop> {
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
        leases.hold(index, consumer);
        leased.push(LeasedJob { id: id(index), bytes: job(&jobs, run, index)? });
    }
    let (done, parked) = (txn.open_table(RESULTS)?, txn.open_table(PARKED)?);
    for index in leases.next().max(position.folded)..position.cursor {
        if most <= leased.len() {
            break;
        }
        leases.pass(index + 1);
        let row = (key(run), index);
        if leases.is_held(index) || done.get(row)?.is_some() || parked.get(row)?.is_some() {
            continue;
        }
        leases.hold(index, consumer);
        leased.push(LeasedJob { id: id(index), bytes: job(&jobs, run, index)? });
    }
    Ok(leased)
}

pub(super) fn release(
    txn: &ReadTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
    consumer: CoordinatorId,
    jobs: &[JobId],
) -> Result<(), StoreStop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let leases = all_leases.entry(run).or_default();
    for job in jobs.iter().filter(|job| job.generation == position.generation) {
        leases.give_back(job.index, consumer);
    }
    Ok(())
}

/// Returns the `jobs` that `consumer` does not hold. It keeps all other jobs as long as the process
/// lives, and these need no renewal.
pub(super) fn not_held(
    txn: &ReadTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
    consumer: CoordinatorId,
    jobs: Vec<JobId>,
) -> Result<Vec<JobId>, StoreStop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let leases = all_leases.entry(run).or_default();
    let is_held = |job: &JobId| {
        job.generation == position.generation && leases.is_held_by(job.index, consumer)
    };
    Ok(jobs.into_iter().filter(|job| !is_held(job)).collect())
}

pub(super) fn adopt(
    txn: &ReadTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
    consumer: CoordinatorId,
    ids: &[JobId],
) -> Result<Vec<LeasedJob>, StoreStop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let mut adopted = Vec::new();
    if position.state != RunState::Active {
        return Ok(adopted);
    }
    let leases = all_leases.entry(run).or_default();
    let jobs = txn.open_table(JOBS)?;
    let (done, parked) = (txn.open_table(RESULTS)?, txn.open_table(PARKED)?);
    for id in ids.iter().filter(|id| is_there(&position, **id)) {
        let row = (key(run), id.index);
        if done.get(row)?.is_none() && parked.get(row)?.is_none() {
            leases.hold(id.index, consumer);
            adopted.push(LeasedJob { id: *id, bytes: job(&jobs, run, id.index)? });
        }
    }
    Ok(adopted)
}
