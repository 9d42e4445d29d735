//! The files of a run's folder.

use hatchery_proto::v1::RunExport;
use hatchery_store::Store;
use hatchery_store::operation::ReadEvents;

use super::generations;
use super::result::ResultDocument;
use super::stored::StoredRun;
use crate::error::CommandError;
use crate::run_folder::RunFolder;

/// Writes the files of `run`, which is in `store`, into `folder`, and returns its result document.
pub(crate) async fn write_stored(
    run: &StoredRun,
    store: &Store,
    folder: &RunFolder,
) -> Result<ResultDocument, CommandError> {
    write(run, &store.execute(ReadEvents { run: run.id, from: 0 }).await?, folder)
}

/// Writes the files of `run`, which was decoded from `export`, into `folder`, including the spec,
/// and returns its result document.
pub(crate) fn write_exported(
    run: &StoredRun,
    export: &RunExport,
    folder: &RunFolder,
) -> Result<ResultDocument, CommandError> {
    folder.create_for(run.id, &run.record.spec)?;
    folder.write("spec.toml", run.record.spec.as_bytes())?;
    write(run, &export.events, folder)
}

/// Returns the result document of `run` without writing anything.
pub(crate) fn document(run: &StoredRun) -> Result<ResultDocument, CommandError> {
    ResultDocument::new(run, &run.exhibits()?)
}

fn write(
    run: &StoredRun,
    events: &[impl AsRef<[u8]>],
    folder: &RunFolder,
) -> Result<ResultDocument, CommandError> {
    let exhibits = run.exhibits()?;
    for exhibit in &exhibits {
        folder.write(&format!("exhibits/{}", exhibit.name), &exhibit.content)?;
    }
    let table = generations::table(&run.generations);
    folder.write("generations.csv", &table.csv()?)?;
    folder.write("generations.parquet", &table.parquet()?)?;
    let lines: Vec<&[u8]> = events.iter().map(AsRef::as_ref).collect();
    let mut lines = lines.join(&b'\n');
    lines.push(b'\n');
    folder.write("events.jsonl", &lines)?;
    let document = ResultDocument::new(run, &exhibits)?;
    folder.write("result.json", format!("{}\n", document.json()).as_bytes())?;
    Ok(document)
}
