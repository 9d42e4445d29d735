//! The tables of the file, and the rows of positions.

use hatchery_core::Digest;
use redb::{ReadableTable, TableDefinition, TableError, WriteTransaction};

use super::error::StoreStop;
use crate::{JobId, MAX_RESOLVERS, RunId, RunPosition, RunState, StoreError, WorkerId};

/// The version of everything in this file; a store with another version is refused.
pub(super) const FORMAT: u32 = 3;

/// The key of [`FORMAT`] in [`META`].
pub(super) const FORMAT_KEY: &str = "format";

/// The key of the secret in [`FARM`].
pub(super) const SECRET_KEY: &str = "secret";

/// A run's id as a number, which sorts as the id does.
pub(super) type RunKey = u128;

/// A run and the index of a job in the current generation; no other generation has jobs.
pub(super) type JobRowKey = (RunKey, u64);

/// A run, the index of a job as in [`JobRowKey`], and the id of an attempt at it.
pub(super) type AttemptRowKey = (RunKey, u64, u128);

/// A run, a generation, and the index of a job in the generation.
pub(super) type ResolverRowKey = (RunKey, u32, u64);

/// A worker's id as a number.
type WorkerKey = u128;

/// The count and the nonce of a leader's token.
pub(super) type TokenRow = (u64, u128);

/// State, revision, generation, cursor, folded, and the reason of a failure.
pub(super) type PositionRow = (u8, u64, u32, u64, u64, &'static str);

/// A run and the hash of a part.
pub(super) type PartKey = (RunKey, &'static [u8; 32]);

/// The result of a job: its worker, its output, its cost and the names of its parts.
pub(super) type ResultRow = (WorkerKey, &'static [u8], &'static [u8], &'static [u8]);

pub(super) const META: TableDefinition<'_, &str, u32> = TableDefinition::new("meta");
pub(super) const FARM: TableDefinition<'_, &str, &[u8; 32]> = TableDefinition::new("farm");
pub(super) const QUARANTINE: TableDefinition<'_, WorkerKey, &str> =
    TableDefinition::new("quarantine");
pub(super) const KEYS: TableDefinition<'_, &[u8; 32], RunKey> = TableDefinition::new("keys");
pub(super) const RECORDS: TableDefinition<'_, RunKey, &[u8]> = TableDefinition::new("records");
pub(super) const POSITIONS: TableDefinition<'_, RunKey, PositionRow> =
    TableDefinition::new("positions");
pub(super) const LEADS: TableDefinition<'_, RunKey, TokenRow> = TableDefinition::new("leads");
pub(super) const CHECKPOINTS: TableDefinition<'_, RunKey, &[u8]> =
    TableDefinition::new("checkpoints");
pub(super) const SUMMARIES: TableDefinition<'_, RunKey, &[u8]> = TableDefinition::new("summaries");
pub(super) const CUTS: TableDefinition<'_, RunKey, &[u8]> = TableDefinition::new("cuts");
pub(super) const JOBS: TableDefinition<'_, JobRowKey, &[u8]> = TableDefinition::new("jobs");
pub(super) const RESULTS: TableDefinition<'_, JobRowKey, ResultRow> =
    TableDefinition::new("results");
pub(super) const PARKED: TableDefinition<'_, JobRowKey, ()> = TableDefinition::new("parked");
pub(super) const ATTEMPTS: TableDefinition<'_, AttemptRowKey, &[u8]> =
    TableDefinition::new("attempts");
/// The workers that resolved failed jobs; 0 for skipped jobs. Stores from before have no such
/// table.
pub(super) const RESOLVERS: TableDefinition<'_, ResolverRowKey, WorkerKey> =
    TableDefinition::new("resolvers");
pub(super) const GENERATIONS: TableDefinition<'_, (RunKey, u32), &[u8]> =
    TableDefinition::new("generations");
pub(super) const EVENTS: TableDefinition<'_, (RunKey, u64), &[u8]> = TableDefinition::new("events");
pub(super) const PARTS: TableDefinition<'_, PartKey, u64> = TableDefinition::new("parts");
pub(super) const OPEN_PARTS: TableDefinition<'_, PartKey, (u64, u32)> =
    TableDefinition::new("open parts");
pub(super) const CHUNKS: TableDefinition<'_, (RunKey, &[u8; 32], u32), &[u8]> =
    TableDefinition::new("chunks");

/// Creates the tables of an empty store, so that reading finds them before anything was written.
pub(super) fn make(txn: &WriteTransaction) -> Result<(), TableError> {
    txn.open_table(META)?.insert(FORMAT_KEY, FORMAT)?;
    txn.open_table(FARM)?;
    txn.open_table(QUARANTINE)?;
    txn.open_table(KEYS)?;
    txn.open_table(RECORDS)?;
    txn.open_table(POSITIONS)?;
    txn.open_table(LEADS)?;
    txn.open_table(CHECKPOINTS)?;
    txn.open_table(SUMMARIES)?;
    txn.open_table(CUTS)?;
    txn.open_table(JOBS)?;
    txn.open_table(RESULTS)?;
    txn.open_table(PARKED)?;
    txn.open_table(ATTEMPTS)?;
    txn.open_table(RESOLVERS)?;
    txn.open_table(GENERATIONS)?;
    txn.open_table(EVENTS)?;
    txn.open_table(PARTS)?;
    txn.open_table(OPEN_PARTS)?;
    txn.open_table(CHUNKS)?;
    Ok(())
}

/// Returns the key of a run.
pub(super) fn key(run: RunId) -> RunKey {
    run.0.0
}

/// Removes the rows between two keys, both included.
macro_rules! clear {
    ($txn:expr, $table:expr, $first:expr, $last:expr) => {
        $txn.open_table($table)?.retain_in($first..=$last, |_, _| false)?
    };
}

/// Removes the jobs of a run, and all that belongs to them.
pub(super) fn clear_jobs(txn: &WriteTransaction, run: RunId) -> Result<(), StoreStop> {
    let run = key(run);
    clear!(txn, JOBS, (run, 0), (run, u64::MAX));
    clear!(txn, RESULTS, (run, 0), (run, u64::MAX));
    clear!(txn, PARKED, (run, 0), (run, u64::MAX));
    clear!(txn, ATTEMPTS, (run, 0, 0), (run, u64::MAX, u128::MAX));
    clear!(txn, RESOLVERS, (run, 0, 0), (run, u32::MAX, u64::MAX));
    Ok(())
}

/// Removes the attempts at a job.
pub(super) fn clear_attempts(
    txn: &WriteTransaction,
    run: RunId,
    index: u64,
) -> Result<(), StoreStop> {
    clear!(txn, ATTEMPTS, (key(run), index, 0), (key(run), index, u128::MAX));
    Ok(())
}

/// Returns whether somebody has failed a job without a result.
pub(super) fn has_attempts(
    txn: &WriteTransaction,
    run: RunId,
    index: u64,
) -> Result<bool, StoreStop> {
    let attempts = txn.open_table(ATTEMPTS)?;
    let mut rows = attempts.range((key(run), index, 0)..=(key(run), index, u128::MAX))?;
    Ok(rows.next().transpose()?.is_some())
}

/// Notes who resolved a failed job: at most [`MAX_RESOLVERS`] of a run.
pub(super) fn note_resolver(
    txn: &WriteTransaction,
    run: RunId,
    job: JobId,
    worker: WorkerId,
) -> Result<(), StoreStop> {
    let mut resolvers = txn.open_table(RESOLVERS)?;
    let n_known = resolvers.range((key(run), 0, 0)..=(key(run), u32::MAX, u64::MAX))?.count();
    if n_known < MAX_RESOLVERS {
        resolvers.insert((key(run), job.generation, job.index), worker.0)?;
    }
    Ok(())
}

/// Removes the resolvers of the generations before `generation`.
pub(super) fn clear_resolvers_before(
    txn: &WriteTransaction,
    run: RunId,
    generation: u32,
) -> Result<(), StoreStop> {
    let run = key(run);
    txn.open_table(RESOLVERS)?.retain_in((run, 0, 0)..(run, generation, 0), |_, _| false)?;
    Ok(())
}

/// Removes the records of the generations from `from` on.
pub(super) fn clear_generations(
    txn: &WriteTransaction,
    run: RunId,
    from: u32,
) -> Result<(), StoreStop> {
    clear!(txn, GENERATIONS, (key(run), from), (key(run), u32::MAX));
    Ok(())
}

/// Removes the parts of a run.
pub(super) fn clear_parts(txn: &WriteTransaction, run: RunId) -> Result<(), StoreStop> {
    let run = key(run);
    clear!(txn, PARTS, (run, &[0; 32]), (run, &[0xff; 32]));
    clear!(txn, OPEN_PARTS, (run, &[0; 32]), (run, &[0xff; 32]));
    clear!(txn, CHUNKS, (run, &[0; 32], 0), (run, &[0xff; 32], u32::MAX));
    Ok(())
}

/// Removes the chunks of a part.
pub(super) fn clear_chunks(
    txn: &WriteTransaction,
    run: RunId,
    hash: &Digest,
) -> Result<(), StoreStop> {
    let (run, hash) = (key(run), hash.as_bytes());
    clear!(txn, CHUNKS, (run, hash, 0), (run, hash, u32::MAX));
    Ok(())
}

/// Removes all rows of a run.
pub(super) fn clear_run(txn: &WriteTransaction, run: RunId) -> Result<(), StoreStop> {
    clear_jobs(txn, run)?;
    clear_generations(txn, run, 0)?;
    clear_parts(txn, run)?;
    let run = key(run);
    txn.open_table(RECORDS)?.remove(run)?;
    txn.open_table(POSITIONS)?.remove(run)?;
    txn.open_table(LEADS)?.remove(run)?;
    txn.open_table(CHECKPOINTS)?.remove(run)?;
    txn.open_table(SUMMARIES)?.remove(run)?;
    txn.open_table(CUTS)?.remove(run)?;
    txn.open_table(KEYS)?.retain(|_, of| of != run)?;
    clear!(txn, EVENTS, (run, 0), (run, u64::MAX));
    Ok(())
}

/// Returns the position of a run.
pub(super) fn position(
    positions: &impl ReadableTable<RunKey, PositionRow>,
    run: RunId,
) -> Result<RunPosition, StoreStop> {
    let row = positions.get(key(run))?.ok_or(StoreError::NoRun { run })?;
    let (state, revision, generation, cursor, folded, reason) = row.value();
    let state = match state {
        0 => RunState::Active,
        1 => RunState::Done,
        2 => RunState::Failed { reason: reason.to_owned() },
        3 => RunState::Cancelled,
        4 => RunState::Paused,
        unknown => {
            return Err(StoreStop::run_damaged(run, format!("it is in unknown state {unknown}")));
        }
    };
    Ok(RunPosition { state, revision, generation, cursor, folded })
}

/// Returns true if results and jobs of the run are accepted, and its leader continues.
pub(super) fn goes_on(position: &RunPosition) -> bool {
    matches!(position.state, RunState::Active | RunState::Paused)
}

/// Returns the refusal of an operation that contradicts the position of the run.
pub(super) fn out_of_step(run: RunId, position: RunPosition, operation: &'static str) -> StoreStop {
    StoreError::OutOfStep { run, position: Box::new(position), operation }.into()
}

/// Returns `position` as a row.
pub(super) fn row(position: &RunPosition) -> (u8, u64, u32, u64, u64, &str) {
    let RunPosition { state, revision, generation, cursor, folded } = position;
    let (state, reason) = match state {
        RunState::Active => (0, ""),
        RunState::Done => (1, ""),
        RunState::Failed { reason } => (2, reason.as_str()),
        RunState::Cancelled => (3, ""),
        RunState::Paused => (4, ""),
    };
    (state, *revision, *generation, *cursor, *folded, reason)
}
