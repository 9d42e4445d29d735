//! The files of a run's folder.
//!
//! [`write_stored`] writes all files from the store: repeatedly while the run is active, and when
//! the run has ended or was interrupted.

use std::collections::BTreeSet;

use hatchery_core::{ExhibitContent, Findings, Part, TABLE_MEDIA_TYPE};
use hatchery_store::operation::{ControlView, ReadEvents};
use hatchery_store::parts::read_whole;
use hatchery_store::{RunId, Store};
use prost::bytes::Bytes;

use super::data_table::DataTable;
use super::generations::{self, RunKeys};
use super::page::{ReportReplay, RunPage, sweep_page};
use super::result::ResultDocument;
use super::stale_figures;
use super::stored::StoredRun;
use super::sweep::SweepDocument;
use crate::error::{CommandError, UsageError};
use crate::run_folder::{REPORT, RunFolder, SWEEP};

/// Writes the files of the run `id`, which is in `store`, into `folder`, and returns its result
/// document. The run may be in progress. Its report shows `replay`.
pub(crate) async fn write_stored(
    id: RunId,
    store: &Store,
    folder: &RunFolder,
    replay: &dyn ReportReplay,
) -> Result<ResultDocument, CommandError> {
    let run = StoredRun::read(store, id).await?;
    let events = store.execute(ReadEvents { run: id, from: 0 }).await?;
    let read =
        async |part: Part| Ok(read_whole(store.view::<ControlView>(), id, part.hash()).await?);
    write(&run, &events, folder, replay, read).await
}

/// Writes the files of `run`, which has these events, into another folder than its own, including
/// the spec, and returns its result document. `read` returns a part of the run that is an exhibit,
/// or `None` if the run does not have it any more.
pub(crate) async fn write_copy(
    run: &StoredRun,
    events: &[impl AsRef<[u8]>],
    folder: &RunFolder,
    replay: &dyn ReportReplay,
    read: impl AsyncFnMut(Part) -> Result<Option<Bytes>, CommandError>,
) -> Result<ResultDocument, CommandError> {
    folder.create_for(run.id, &run.record.spec)?;
    folder.write("spec.toml", run.record.spec.as_bytes())?;
    run.files()?.keep(folder)?;
    write(run, events, folder, replay, read).await
}

/// Returns the report of `run` with its events and a replay as a page, without writing anything.
pub(crate) fn page(
    run: &StoredRun,
    events: &[impl AsRef<[u8]>],
    replay: &dyn ReportReplay,
) -> Result<String, CommandError> {
    let (exhibits, history) = (run.exhibits()?, run.history());
    let findings = run.findings(&history)?;
    let document = ResultDocument::new(run, &exhibits, findings.as_ref());
    Ok(RunPage::new(run, &document, &exhibits, &history, findings, events).html(replay))
}

/// Returns the result document of `run` without writing anything.
pub(crate) fn document(run: &StoredRun) -> Result<ResultDocument, CommandError> {
    let findings = run.findings(&run.history())?;
    Ok(ResultDocument::new(run, &run.exhibits()?, findings.as_ref()))
}

async fn write(
    run: &StoredRun,
    events: &[impl AsRef<[u8]>],
    folder: &RunFolder,
    replay: &dyn ReportReplay,
    mut read: impl AsyncFnMut(Part) -> Result<Option<Bytes>, CommandError>,
) -> Result<ResultDocument, CommandError> {
    let earlier = folder.result().and_then(|text| ResultDocument::parse(&text));
    let exhibits = run.exhibits()?;
    for exhibit in &exhibits {
        let name = format!("exhibits/{}", exhibit.name);
        match &exhibit.content {
            ExhibitContent::Bytes(bytes) => {
                if let (TABLE_MEDIA_TYPE, Some(table), Some(name)) =
                    (exhibit.media_type.as_str(), &exhibit.table, name.strip_suffix(".csv"))
                {
                    let typed = DataTable::of_exhibit(table).parquet()?;
                    folder.write(&format!("{name}.parquet"), &typed)?;
                }
                folder.write(&name, bytes)?;
            }
            // One is in memory at a time.
            ExhibitContent::Part(part) => {
                let gone = UsageError::PartGone { part: *part };
                folder.write(&name, &read(*part).await?.ok_or(gone)?)?;
            }
        }
    }
    let StoredRun { id, record, generations, .. } = run;
    let keys = RunKeys { run: id.to_string(), name: record.name.clone(), seed: record.seed };
    let table = generations::table(&keys, generations);
    folder.write("generations.csv", &table.csv()?)?;
    folder.write("generations.parquet", &table.parquet()?)?;
    let lines: Vec<&[u8]> = events.iter().map(AsRef::as_ref).collect();
    let mut lines = lines.join(&b'\n');
    lines.push(b'\n');
    folder.grow("events.jsonl", &lines)?;
    let history = run.history();
    let findings = run.findings(&history)?;
    let document = ResultDocument::new(run, &exhibits, findings.as_ref());
    let page = RunPage::new(run, &document, &exhibits, &history, findings, events);
    // The figures of findings that are no exhibits already.
    let is_exhibit = |name: &str| exhibits.iter().any(|exhibit| exhibit.name == name);
    let mut figures = BTreeSet::new();
    for figure in page.findings().into_iter().flat_map(Findings::figures) {
        let name = format!("{}.svg", figure.name);
        if !is_exhibit(&name) {
            folder.write(&format!("figures/{name}"), figure.picture.standalone().as_bytes())?;
            figures.insert(name);
        }
    }
    folder.write(REPORT, page.html(replay).as_bytes())?;
    folder.write("result.json", format!("{}\n", document.json()).as_bytes())?;
    // At last: nothing that is there names them any more.
    stale_figures::remove(folder, &figures);
    if let Some(earlier) = earlier {
        remove_dropped(&earlier, &document, folder);
    }
    Ok(document)
}

/// Removes the exhibits that `earlier` has and `document` has not: the run shows them no more.
fn remove_dropped(earlier: &ResultDocument, document: &ResultDocument, folder: &RunFolder) {
    for name in earlier.dropped_by(document) {
        folder.remove(&format!("exhibits/{name}"));
        if let Some(table) = name.strip_suffix(".csv") {
            folder.remove(&format!("exhibits/{table}.parquet"));
        }
    }
}

/// Writes the joint table of a sweep and its report into the folder of the sweep.
///
/// # Errors
/// If a file cannot be written.
pub(crate) fn write_sweep(sweep: &SweepDocument, folder: &RunFolder) -> Result<(), CommandError> {
    folder.write("sweep.csv", &sweep.csv()?)?;
    folder.write(SWEEP, sweep.json().as_bytes())?;
    folder.write(REPORT, sweep_page(sweep).as_bytes())?;
    Ok(())
}
