//! The files of runs that are copied from a farm, or from a run in progress.

use hatchery_core::Part;

use crate::client::{FailoverPolicy, FarmArgs};
use crate::error::{CommandError, UsageError};
use crate::replay::BestReplay;
use crate::report::{self, ResultDocument, StoredRun};
use crate::run_folder::RunFolder;
use crate::run_source::RunSource;

/// The most attempts to copy a run that moves on meanwhile, and drops the parts that it showed.
const MAX_ATTEMPTS: usize = 8;

/// Reads the run with this id from a farm.
///
/// # Errors
/// If no coordinator answers, or the run is not there.
pub(super) async fn read_run(
    farm: &FarmArgs,
    failover: FailoverPolicy,
    run: &str,
) -> Result<RunSource, CommandError> {
    let export = farm.farm()?.export(failover, run).await?;
    RunSource::exported(&export, farm.farm()?).await
}

/// Writes the files of the run that `read` returns into the folder that `place` names, and again if
/// the run has moved on meanwhile. Returns its result document and the folder.
///
/// # Errors
/// If the run cannot be read, or its files cannot be written.
pub(super) async fn copy_run(
    read: impl AsyncFn() -> Result<RunSource, CommandError>,
    place: impl Fn(&StoredRun) -> RunFolder,
) -> Result<(ResultDocument, RunFolder), CommandError> {
    let mut retries = 1..MAX_ATTEMPTS;
    loop {
        let retry = retries.next();
        match write(read().await?, &place).await {
            Err(CommandError::Usage(UsageError::PartGone { .. })) if retry.is_some() => {}
            written => return written,
        }
    }
}

async fn write(
    mut source: RunSource,
    place: impl Fn(&StoredRun) -> RunFolder,
) -> Result<(ResultDocument, RunFolder), CommandError> {
    let replay = BestReplay::read(&mut source).await;
    let events = source.events().await?;
    let (run, mut parts) = source.split();
    let folder = place(&run);
    let read = async |part: Part| parts.part(run.id, part.hash()).await;
    let document = report::write_copy(&run, &events, &folder, &replay, read).await?;
    Ok((document, folder))
}
