//! Summaries of runs, and their overviews.

use redb::{ReadTransaction, WriteTransaction};

use super::error::StoreStop;
use super::jobs;
use super::tables::{EVENTS, POSITIONS, SUMMARIES, key, position};
use crate::{ResultPage, RunId, RunOverview, StoreError};

pub(super) fn summarize(
    txn: &WriteTransaction,
    run: RunId,
    summary: &[u8],
) -> Result<(), StoreStop> {
    position(&txn.open_table(POSITIONS)?, run)?;
    txn.open_table(SUMMARIES)?.insert(key(run), summary)?;
    Ok(())
}

/// Returns the overview of a run, without its claim.
pub(super) fn overview(
    txn: &ReadTransaction,
    run: RunId,
) -> Result<Option<RunOverview>, StoreStop> {
    let ResultPage { n_unresolved, n_parked, .. } = match jobs::results(txn, run, 0, 0) {
        Err(StoreStop::Refused(StoreError::NoRun { .. })) => return Ok(None),
        page => page?,
    };
    let summary = txn.open_table(SUMMARIES)?.get(key(run))?;
    let events = txn.open_table(EVENTS)?;
    let mut own = events.range((key(run), 0)..=(key(run), u64::MAX))?;
    let first_event = own.next().transpose()?.map(|(_, event)| event.value().to_owned());
    let last_event = own.next_back().transpose()?.map(|(_, event)| event.value().to_owned());
    Ok(Some(RunOverview {
        position: position(&txn.open_table(POSITIONS)?, run)?,
        summary: summary.map_or_else(Vec::new, |summary| summary.value().to_owned()),
        n_unresolved,
        n_parked,
        claim: None,
        last_event: last_event.or_else(|| first_event.clone()),
        first_event,
    }))
}
