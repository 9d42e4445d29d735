//! What a person can do with a run that has ended.

use hatchery_store::{RunId, Store};

use crate::error::CommandError;
use crate::format::shell_quoted;
use crate::replay::{RunTrial, TrialSelector};
use crate::run_folder::RunFolder;
use crate::run_source::RunSource;
use crate::terminal::print_status;

/// Prints commands that work on the run `id`, which has ended in `folder` and is in `store`.
pub(super) async fn print_hints(
    id: RunId,
    store: Store,
    folder: &RunFolder,
) -> Result<(), CommandError> {
    let mut source = RunSource::in_store(store, id, folder.clone()).await?;
    // Not every experiment has a best trial.
    let has_best = RunTrial::read(&mut source, TrialSelector::Best).await.is_ok();
    let path = shell_quoted(folder.path());
    let replay = has_best.then(|| (format!("replay {path} best --play"), "watches its best"));
    let verbs = [
        Some((format!("open {path}"), "shows the report in a browser")),
        replay,
        Some((format!("verify {path}"), "recomputes a sample of its jobs")),
    ];
    let verbs: Vec<_> = verbs.into_iter().flatten().collect();
    let width = verbs.iter().map(|(verb, _)| verb.chars().count()).max().unwrap_or_default();
    for ((verb, what), start) in verbs.iter().zip(["next: ", "      ", "      "]) {
        print_status(&format!("{start}hatchery {verb:width$}  {what}"));
    }
    Ok(())
}
