//! Finds the summary of a run.
//!
//! A run of an earlier version has no summary, and a coordinator of an earlier version does not
//! renew a summary. So a missing or old summary is rebuilt from the store when somebody asks for
//! it.

use hatchery_core::Catalog;
use hatchery_store::operation::{
    ReadCheckpoint, ReadGenerations, ReadRecord, SummarizeRun, SummaryView,
};
use hatchery_store::{RunId, RunOverview, StoreError, StoreView};
use prost::Message as _;

use super::OpenedRun;
use crate::run::record::{Checkpoint, GenerationRecord, RunRecord};
use crate::run::summary::{RunSummary, without_spec};

/// Returns the summary of a run. A missing or old summary is rebuilt and stored.
///
/// # Errors
/// If the store fails.
pub(crate) async fn find(
    store: StoreView<'_, SummaryView>,
    catalog: Catalog,
    run: RunId,
    overview: &RunOverview,
) -> Result<RunSummary, StoreError> {
    if let Ok(summary) = RunSummary::decode(overview.summary.as_slice())
        && summary.n_folded == overview.position.n_folded()
        && !overview.summary.is_empty()
    {
        return Ok(summary);
    }
    let summary = rebuild(store, catalog, run).await?;
    store.execute(SummarizeRun { run, summary: summary.encode_to_vec() }).await?;
    Ok(summary)
}

/// Rebuilds the summary of a run from the run's records in the store.
async fn rebuild(
    store: StoreView<'_, SummaryView>,
    catalog: Catalog,
    run: RunId,
) -> Result<RunSummary, StoreError> {
    let generations = store.execute(ReadGenerations { run, from: 0 }).await?;
    let record = RunRecord::decode(store.execute(ReadRecord { run }).await?.as_slice()).ok();
    let header = record.as_ref().map(without_spec);
    let opened = match record {
        Some(record) => OpenedRun::find(store, catalog, run, record).await.ok(),
        None => None,
    };
    let mut summary = RunSummary {
        record: header,
        generations: opened.map_or(0, |opened| opened.procedure.generations()),
        ..RunSummary::default()
    };
    for bytes in &generations {
        let generation = GenerationRecord::decode(bytes.as_slice()).unwrap_or_default();
        summary.fold(&generation, &generation.measures());
    }
    if generations.is_empty() {
        let checkpoint =
            Checkpoint::decode(store.execute(ReadCheckpoint { run }).await?.as_slice());
        summary.digest = checkpoint.map(|checkpoint| checkpoint.digest).unwrap_or_default();
    }
    Ok(summary)
}
