//! The operations on a run, each within its transaction.

use hatchery_core::Digest;
use redb::{ReadTransaction, ReadableTable, WriteTransaction};
use ulid::Ulid;

use super::error::StoreStop;
use super::leases::AllLeases;
use super::parts;
use super::tables::{
    CHECKPOINTS, CUTS, EVENTS, GENERATIONS, JOBS, KEYS, LEADS, POSITIONS, PositionRow, RECORDS,
    RESULTS, RunKey, SUMMARIES, TokenRow, clear_generations, clear_jobs, clear_resolvers_before,
    clear_run, goes_on, key, out_of_step, position, row,
};
use crate::{
    AfterFold, FencingNonce, FencingToken, FoldCommit, LeaderState, LeaderToken, PartRetention,
    RunId, RunPosition, RunState, SteerAction, StoreError,
};

/// A run that does not exist yet.
#[derive(Debug)]
pub(super) struct NewRun {
    pub(super) run: RunId,
    pub(super) record: Vec<u8>,
    pub(super) checkpoint: Vec<u8>,
    pub(super) summary: Vec<u8>,
    pub(super) parts: Vec<Vec<u8>>,
}

/// The beginning of a generation, to which a run is rewound.
#[derive(Debug)]
pub(super) struct RewindPoint {
    pub(super) generation: u32,
    pub(super) checkpoint: Vec<u8>,
    pub(super) keep: Option<Vec<Digest>>,
}

pub(super) fn create(txn: &WriteTransaction, new: &NewRun) -> Result<bool, StoreStop> {
    let NewRun { run, record, checkpoint, summary, parts } = new;
    let run = *run;
    let mut positions = txn.open_table(POSITIONS)?;
    if positions.get(key(run))?.is_some() {
        return Ok(false);
    }
    positions.insert(key(run), row(&RunPosition::FIRST))?;
    txn.open_table(RECORDS)?.insert(key(run), record.as_slice())?;
    txn.open_table(CHECKPOINTS)?.insert(key(run), checkpoint.as_slice())?;
    txn.open_table(SUMMARIES)?.insert(key(run), summary.as_slice())?;
    parts::insert(txn, run, parts)?;
    Ok(true)
}

/// Returns the run of a key.
pub(super) fn run_for(
    txn: &WriteTransaction,
    name: Digest,
    run: RunId,
) -> Result<RunId, StoreStop> {
    let mut keys = txn.open_table(KEYS)?;
    if let Some(first) = keys.get(name.as_bytes())? {
        return Ok(RunId(Ulid(first.value())));
    }
    keys.insert(name.as_bytes(), key(run))?;
    Ok(run)
}

/// Returns the run of a key, if the key has a run.
pub(super) fn run_of(txn: &ReadTransaction, name: Digest) -> Result<Option<RunId>, StoreStop> {
    let run = txn.open_table(KEYS)?.get(name.as_bytes())?;
    Ok(run.map(|run| RunId(Ulid(run.value()))))
}

pub(super) fn delete(
    txn: &WriteTransaction,
    all_leases: &mut AllLeases,
    run: RunId,
) -> Result<(), StoreStop> {
    all_leases.remove(&run);
    clear_run(txn, run)
}

/// Hands over the lead; `nonce` must never have been used before.
pub(super) fn lead(
    txn: &WriteTransaction,
    run: RunId,
    nonce: FencingNonce,
) -> Result<LeaderState, StoreStop> {
    let position = position(&txn.open_table(POSITIONS)?, run)?;
    let mut leads = txn.open_table(LEADS)?;
    let count = leads.get(key(run))?.map_or(0, |lead| lead.value().0) + 1;
    leads.insert(key(run), (count, nonce.0))?;
    let cuts = txn.open_table(CUTS)?;
    let table = cuts.get(key(run))?.map_or_else(Vec::new, |table| table.value().to_owned());
    let checkpoint = bytes(&txn.open_table(CHECKPOINTS)?, run)?;
    Ok(LeaderState {
        lead: LeaderToken { run, token: FencingToken { count, nonce } },
        position,
        checkpoint,
        table,
    })
}

/// Returns the position of the run that `lead` leads.
pub(super) fn led(txn: &WriteTransaction, lead: &LeaderToken) -> Result<RunPosition, StoreStop> {
    led_in(&txn.open_table(POSITIONS)?, &txn.open_table(LEADS)?, lead)
}

/// Returns the same as [`led`], for a reader.
pub(super) fn standing(
    txn: &ReadTransaction,
    lead: &LeaderToken,
) -> Result<RunPosition, StoreStop> {
    led_in(&txn.open_table(POSITIONS)?, &txn.open_table(LEADS)?, lead)
}

fn led_in(
    positions: &impl ReadableTable<RunKey, PositionRow>,
    leads: &impl ReadableTable<RunKey, TokenRow>,
    lead: &LeaderToken,
) -> Result<RunPosition, StoreStop> {
    let position = position(positions, lead.run)?;
    let last = leads.get(key(lead.run))?.map(|token| token.value());
    if last == Some((lead.token.count, lead.token.nonce.0)) {
        Ok(position)
    } else {
        Err(StoreError::Fenced { run: lead.run }.into())
    }
}

/// Moves the run to `position`, under the next revision.
pub(super) fn step(
    txn: &WriteTransaction,
    run: RunId,
    position: RunPosition,
) -> Result<(), StoreStop> {
    let next = RunPosition { revision: position.revision + 1, ..position };
    txn.open_table(POSITIONS)?.insert(key(run), row(&next))?;
    Ok(())
}

pub(super) fn fold(
    txn: &WriteTransaction,
    all_leases: &mut AllLeases,
    lead: &LeaderToken,
    fold: &FoldCommit,
) -> Result<(), StoreStop> {
    let run = lead.run;
    let position = led(txn, lead)?;
    let after = after(&position, fold);
    if is_repeat(txn, run, &position, &after, fold)? {
        return Ok(());
    }
    let fits = match fold.then {
        AfterFold::SameGeneration => {
            position.folded < fold.folded && fold.folded <= position.cursor
        }
        AfterFold::NextGeneration { .. } | AfterFold::Done { .. } => fold.folded == position.cursor,
    };
    if !goes_on(&position) || position.generation != fold.generation || !fits {
        return Err(out_of_step(run, position, "fold"));
    }
    let (mut jobs, mut results) = (txn.open_table(JOBS)?, txn.open_table(RESULTS)?);
    for index in position.folded..fold.folded {
        if results.remove((key(run), index))?.is_none() {
            return Err(out_of_step(run, position, "fold over a job without result"));
        }
        jobs.remove((key(run), index))?;
    }
    txn.open_table(CHECKPOINTS)?.insert(key(run), fold.checkpoint.as_slice())?;
    txn.open_table(SUMMARIES)?.insert(key(run), fold.summary.as_slice())?;
    if let Some(record) = record_of(fold) {
        txn.open_table(GENERATIONS)?.insert((key(run), fold.generation), record)?;
        let is_last = matches!(fold.then, AfterFold::Done { .. });
        clear_resolvers_before(txn, run, fold.generation + u32::from(is_last))?;
        // The indices begin anew, or nothing is leased any more.
        all_leases.remove(&run);
    }
    parts::insert(txn, run, &fold.parts)?;
    match fold.full_retention() {
        PartRetention::All => {}
        PartRetention::Keep(kept) => parts::keep(txn, run, kept)?,
        PartRetention::Drop(dropped) => parts::remove(txn, run, &dropped)?,
    }
    if after.generation != position.generation {
        txn.open_table(CUTS)?.remove(key(run))?;
    }
    step(txn, run, after)
}

pub(super) fn rewind(
    txn: &WriteTransaction,
    all_leases: &mut AllLeases,
    lead: &LeaderToken,
    to: &RewindPoint,
) -> Result<(), StoreStop> {
    let run = lead.run;
    let &RewindPoint { generation, ref checkpoint, ref keep } = to;
    let position = led(txn, lead)?;
    let is_there = position.state != RunState::Done
        && (position.generation, position.cursor) == (generation, 0);
    if is_there && bytes(&txn.open_table(CHECKPOINTS)?, run)? == *checkpoint {
        return Ok(());
    }
    if position.state != RunState::Active || position.generation < generation {
        return Err(out_of_step(run, position, "rewind"));
    }
    clear_jobs(txn, run)?;
    clear_generations(txn, run, generation)?;
    txn.open_table(CUTS)?.remove(key(run))?;
    txn.open_table(CHECKPOINTS)?.insert(key(run), checkpoint.as_slice())?;
    if let Some(keep) = keep {
        parts::keep(txn, run, keep.iter().copied())?;
    }
    all_leases.remove(&run);
    step(txn, run, RunPosition { generation, cursor: 0, folded: 0, ..position })
}

pub(super) fn fail(
    txn: &WriteTransaction,
    lead: &LeaderToken,
    reason: &str,
) -> Result<(), StoreStop> {
    let position = led(txn, lead)?;
    let state = RunState::Failed { reason: reason.to_owned() };
    if position.state == state {
        return Ok(());
    }
    if !goes_on(&position) {
        return Err(out_of_step(lead.run, position, "fail"));
    }
    step(txn, lead.run, RunPosition { state, ..position })
}

pub(super) fn pause(txn: &WriteTransaction, lead: &LeaderToken) -> Result<(), StoreStop> {
    let position = led(txn, lead)?;
    if position.state != RunState::Active {
        return Ok(());
    }
    step(txn, lead.run, RunPosition { state: RunState::Paused, ..position })
}

pub(super) fn steer(
    txn: &WriteTransaction,
    run: RunId,
    steer: SteerAction,
) -> Result<RunState, StoreStop> {
    let mut positions = txn.open_table(POSITIONS)?;
    let mut position = position(&positions, run)?;
    let next = match (steer, &position.state) {
        (SteerAction::Pause, RunState::Active) => RunState::Paused,
        (SteerAction::Resume, RunState::Paused | RunState::Failed { .. } | RunState::Cancelled) => {
            RunState::Active
        }
        (SteerAction::Cancel, RunState::Active | RunState::Paused) => RunState::Cancelled,
        _ => return Ok(position.state),
    };
    position.state = next;
    positions.insert(key(run), row(&position))?;
    Ok(position.state)
}

pub(super) fn all(txn: &ReadTransaction) -> Result<Vec<RunId>, StoreStop> {
    let positions = txn.open_table(POSITIONS)?;
    positions.iter()?.map(|entry| Ok(RunId(entry?.0.value().into()))).collect()
}

pub(super) fn last(txn: &ReadTransaction) -> Result<Option<RunId>, StoreStop> {
    let positions = txn.open_table(POSITIONS)?;
    let last = positions.last()?;
    Ok(last.map(|(run, _)| RunId(run.value().into())))
}

/// Returns whether any run goes on.
pub(super) fn any_goes_on(txn: &ReadTransaction) -> Result<bool, StoreStop> {
    let positions = txn.open_table(POSITIONS)?;
    for entry in positions.iter()? {
        if goes_on(&position(&positions, RunId(entry?.0.value().into()))?) {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) fn current(txn: &ReadTransaction, run: RunId) -> Result<RunPosition, StoreStop> {
    position(&txn.open_table(POSITIONS)?, run)
}

pub(super) fn record(txn: &ReadTransaction, run: RunId) -> Result<Vec<u8>, StoreStop> {
    bytes(&txn.open_table(RECORDS)?, run)
}

pub(super) fn checkpoint(txn: &ReadTransaction, run: RunId) -> Result<Vec<u8>, StoreStop> {
    bytes(&txn.open_table(CHECKPOINTS)?, run)
}

pub(super) fn generations(
    txn: &ReadTransaction,
    run: RunId,
    from: u32,
) -> Result<Vec<Vec<u8>>, StoreStop> {
    position(&txn.open_table(POSITIONS)?, run)?;
    let records = txn.open_table(GENERATIONS)?;
    let wanted = records.range((key(run), from)..=(key(run), u32::MAX))?;
    wanted.map(|entry| Ok(entry?.1.value().to_owned())).collect()
}

pub(super) fn append_event(
    txn: &WriteTransaction,
    run: RunId,
    event: &[u8],
) -> Result<(), StoreStop> {
    position(&txn.open_table(POSITIONS)?, run)?;
    let mut events = txn.open_table(EVENTS)?;
    let last = events.range((key(run), 0)..=(key(run), u64::MAX))?.next_back().transpose()?;
    let number = last.map_or(0, |(event_key, _)| event_key.value().1 + 1);
    events.insert((key(run), number), event)?;
    Ok(())
}

pub(super) fn events(
    txn: &ReadTransaction,
    run: RunId,
    from: u64,
) -> Result<Vec<Vec<u8>>, StoreStop> {
    position(&txn.open_table(POSITIONS)?, run)?;
    let events = txn.open_table(EVENTS)?;
    let wanted = events.range((key(run), from)..=(key(run), u64::MAX))?;
    wanted.map(|entry| Ok(entry?.1.value().to_owned())).collect()
}

/// Returns the position after `fold`, except for the revision.
fn after(position: &RunPosition, fold: &FoldCommit) -> RunPosition {
    let folded =
        RunPosition { generation: fold.generation, folded: fold.folded, ..position.clone() };
    match fold.then {
        AfterFold::SameGeneration => folded,
        AfterFold::NextGeneration { .. } => RunPosition {
            generation: fold.generation.saturating_add(1),
            cursor: 0,
            folded: 0,
            ..folded
        },
        AfterFold::Done { .. } => RunPosition { state: RunState::Done, ..folded },
    }
}

/// Returns true if `fold` has taken effect already. The cursor may have moved on since.
fn is_repeat(
    txn: &WriteTransaction,
    run: RunId,
    position: &RunPosition,
    after: &RunPosition,
    fold: &FoldCommit,
) -> Result<bool, StoreStop> {
    if (&position.state, position.generation, position.folded)
        != (&after.state, after.generation, after.folded)
    {
        return Ok(false);
    }
    let generations = txn.open_table(GENERATIONS)?;
    let kept = generations.get((key(run), fold.generation))?;
    let same_record =
        record_of(fold).is_none_or(|record| kept.is_some_and(|kept| kept.value() == record));
    Ok(same_record && bytes(&txn.open_table(CHECKPOINTS)?, run)? == fold.checkpoint)
}

/// Returns the record of the generation that `fold` ends, if it ends one.
fn record_of(fold: &FoldCommit) -> Option<&[u8]> {
    match &fold.then {
        AfterFold::SameGeneration => None,
        AfterFold::NextGeneration { record } | AfterFold::Done { record } => Some(record),
    }
}

/// Returns this run's row of a table with one row for each run.
fn bytes(
    table: &impl ReadableTable<RunKey, &'static [u8]>,
    run: RunId,
) -> Result<Vec<u8>, StoreStop> {
    let row = table.get(key(run))?.ok_or(StoreError::NoRun { run })?;
    Ok(row.value().to_owned())
}
