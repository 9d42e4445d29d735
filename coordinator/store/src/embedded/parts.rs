//! The operations on parts, each within its transaction.
//!
//! A part has a row in [`PARTS`] ⇔ it is whole, and a row in [`OPEN_PARTS`] ⇔ it is not whole, but
//! some of its chunks exist. Every chunk belongs to a part with one of these rows.

use std::collections::BTreeSet;

use hatchery_core::{Digest, Part};
use redb::{ReadTransaction, ReadableTable as _, WriteTransaction};

use super::error::StoreStop;
use super::tables::{
    CHUNKS, OPEN_PARTS, PARTS, POSITIONS, RunKey, clear_chunks, clear_parts, goes_on, key,
    out_of_step, position,
};
use crate::{RunId, StoreError, part_codec};

/// The first and the last hash.
const FIRST: &[u8; 32] = &[0; 32];
const LAST: &[u8; 32] = &[0xff; 32];

pub(super) fn write(
    txn: &WriteTransaction,
    run: RunId,
    part: Part,
    index: u32,
    chunk: &[u8],
) -> Result<(), StoreStop> {
    let (hash, n_bytes) = (part.hash(), part.n_bytes());
    let row = (key(run), hash.as_bytes());
    if txn.open_table(PARTS)?.get(row)?.is_some() {
        return Ok(());
    }
    check_open(txn, run, "write_part")?;
    let mut open = txn.open_table(OPEN_PARTS)?;
    let known = open.get(row)?.map(|known| known.value());
    let n_before = match known {
        Some((n_known, n_before)) if n_known == n_bytes => n_before,
        Some(_) => {
            clear_chunks(txn, run, &hash)?;
            0
        }
        None => 0,
    };
    let is_new = txn.open_table(CHUNKS)?.insert((row.0, row.1, index), chunk)?.is_none();
    open.insert(row, (n_bytes, n_before + u32::from(is_new)))?;
    Ok(())
}

pub(super) fn finish(txn: &WriteTransaction, run: RunId, part: Part) -> Result<bool, StoreStop> {
    let (hash, n_bytes) = (part.hash(), part.n_bytes());
    let row = (key(run), hash.as_bytes());
    let mut whole = txn.open_table(PARTS)?;
    let known = whole.get(row)?.map(|known| known.value());
    if known == Some(n_bytes) {
        return Ok(true);
    }
    check_open(txn, run, "finish_part")?;
    let mut open = txn.open_table(OPEN_PARTS)?;
    let so_far = open.get(row)?.map(|so_far| so_far.value());
    let is_complete = known.is_none() && so_far == Some((n_bytes, part.n_chunks()));
    if is_complete {
        open.remove(row)?;
        whole.insert(row, n_bytes)?;
    }
    Ok(is_complete)
}

pub(super) fn find(
    txn: &ReadTransaction,
    run: RunId,
    hashes: &[Digest],
) -> Result<Vec<Option<Part>>, StoreStop> {
    let parts = txn.open_table(PARTS)?;
    let part = |hash: &Digest| {
        let n_bytes = parts.get((key(run), hash.as_bytes()))?.map(|n_bytes| n_bytes.value());
        let part = n_bytes.map(|n_bytes| Part::new(*hash, n_bytes)).transpose();
        part.map_err(|error| StoreStop::damaged(error.to_string()))
    };
    hashes.iter().map(part).collect()
}

pub(super) fn chunk(
    txn: &ReadTransaction,
    run: RunId,
    hash: Digest,
    index: u32,
) -> Result<Option<Vec<u8>>, StoreStop> {
    if txn.open_table(PARTS)?.get((key(run), hash.as_bytes()))?.is_none() {
        return Ok(None);
    }
    let chunk = txn.open_table(CHUNKS)?.get((key(run), hash.as_bytes(), index))?;
    Ok(chunk.map(|chunk| chunk.value().to_owned()))
}

/// Writes parts that are not there yet, each as a whole.
pub(super) fn insert(
    txn: &WriteTransaction,
    run: RunId,
    parts: &[Vec<u8>],
) -> Result<(), StoreStop> {
    let (mut whole, mut open) = (txn.open_table(PARTS)?, txn.open_table(OPEN_PARTS)?);
    for bytes in parts {
        let part = part_codec::part_of(bytes)?;
        let hash = part.hash();
        let row = (key(run), hash.as_bytes());
        if whole.get(row)?.is_some() {
            continue;
        }
        if open.remove(row)?.is_some() {
            clear_chunks(txn, run, &hash)?;
        }
        let mut rows = txn.open_table(CHUNKS)?;
        for (index, chunk) in (0..).zip(part_codec::chunks(bytes)) {
            rows.insert((row.0, row.1, index), chunk)?;
        }
        whole.insert(row, part.n_bytes())?;
    }
    Ok(())
}

/// Removes all parts of a run but these.
pub(super) fn keep(
    txn: &WriteTransaction,
    run: RunId,
    kept: impl IntoIterator<Item = Digest>,
) -> Result<(), StoreStop> {
    let kept: BTreeSet<_> = kept.into_iter().map(|hash| *hash.as_bytes()).collect();
    let all = || (key(run), FIRST)..=(key(run), LAST);
    let (mut whole, mut open) = (txn.open_table(PARTS)?, txn.open_table(OPEN_PARTS)?);
    let mut gone = Vec::new();
    for row in whole.extract_from_if(all(), |(_, hash), _| !kept.contains(hash))? {
        gone.push(*row?.0.value().1);
    }
    for row in open.extract_from_if(all(), |(_, hash), _| !kept.contains(hash))? {
        gone.push(*row?.0.value().1);
    }
    for hash in gone.iter().filter_map(|hash| Digest::from_bytes(hash)) {
        clear_chunks(txn, run, &hash)?;
    }
    Ok(())
}

/// Removes these parts of a run, whole or not.
pub(super) fn remove(
    txn: &WriteTransaction,
    run: RunId,
    hashes: &[Digest],
) -> Result<(), StoreStop> {
    let (mut whole, mut open) = (txn.open_table(PARTS)?, txn.open_table(OPEN_PARTS)?);
    for hash in hashes {
        let row = (key(run), hash.as_bytes());
        whole.remove(row)?;
        open.remove(row)?;
        clear_chunks(txn, run, hash)?;
    }
    Ok(())
}

/// Returns true if the run has all these parts, whole and with these lengths.
pub(super) fn are_whole(
    txn: &WriteTransaction,
    run: RunId,
    parts: &[Part],
) -> Result<bool, StoreStop> {
    let whole = txn.open_table(PARTS)?;
    for part in parts {
        let n_bytes = whole.get((key(run), part.hash().as_bytes()))?;
        if n_bytes.is_none_or(|n_bytes| n_bytes.value() != part.n_bytes()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the runs that have parts, but do not exist.
pub(super) fn without_run(txn: &ReadTransaction) -> Result<Vec<RunId>, StoreStop> {
    let (whole, open) = (txn.open_table(PARTS)?, txn.open_table(OPEN_PARTS)?);
    let positions = txn.open_table(POSITIONS)?;
    let mut found = Vec::new();
    let mut next = Some(RunKey::MIN);
    while let Some(from) = next {
        let first_whole = whole.range((from, FIRST)..)?.next().transpose()?;
        let first_open = open.range((from, FIRST)..)?.next().transpose()?;
        let first_whole = first_whole.map(|(row, _)| row.value().0);
        let first_open = first_open.map(|(row, _)| row.value().0);
        let Some(run) = first_whole.into_iter().chain(first_open).min() else { break };
        if positions.get(run)?.is_none() {
            found.push(RunId(run.into()));
        }
        next = run.checked_add(1);
    }
    Ok(found)
}

/// Removes the parts of runs that do not exist.
pub(super) fn sweep(txn: &WriteTransaction, runs: &[RunId]) -> Result<(), StoreStop> {
    runs.iter().try_for_each(|run| clear_parts(txn, *run))
}

/// Checks that the run has not ended; it may not exist yet.
fn check_open(
    txn: &WriteTransaction,
    run: RunId,
    operation: &'static str,
) -> Result<(), StoreStop> {
    match position(&txn.open_table(POSITIONS)?, run) {
        Err(StoreStop::Refused(StoreError::NoRun { .. })) => Ok(()),
        Ok(position) if goes_on(&position) => Ok(()),
        Ok(position) => Err(out_of_step(run, position, operation)),
        Err(stop) => Err(stop),
    }
}
