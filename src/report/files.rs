//! The files of a run's folder.

use hatchery_coordinator::Store;
use hatchery_proto::v1::RunExport;

use super::generations;
use super::result::ResultDocument;
use super::stored::StoredRun;
use crate::failure::Failure;
use crate::folder::Folder;

/// Writes the files of `run`, which is in `store`, into `folder`, and returns its result document.
pub(crate) async fn write_stored(
    run: &StoredRun,
    store: &dyn Store,
    folder: &Folder,
) -> Result<ResultDocument, Failure> {
    write(run, &store.events(run.id, 0).await?, folder)
}

/// Writes the files of `run`, which is what `export` says, into `folder`, the spec among them, and
/// returns its result document.
pub(crate) fn write_exported(
    run: &StoredRun,
    export: &RunExport,
    folder: &Folder,
) -> Result<ResultDocument, Failure> {
    folder.create_for(run.id, &run.record.spec)?;
    folder.write("spec.toml", run.record.spec.as_bytes())?;
    write(run, &export.events, folder)
}

/// Returns the result document of `run`, with nothing written.
pub(crate) fn document(run: &StoredRun) -> Result<ResultDocument, Failure> {
    ResultDocument::new(run, &run.exhibits()?)
}

fn write(
    run: &StoredRun,
    events: &[impl AsRef<[u8]>],
    folder: &Folder,
) -> Result<ResultDocument, Failure> {
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
