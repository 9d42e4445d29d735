//! Runs of this machine that are done already, in place of the same run again.

use crate::cli::loaded_spec::LoadedSpec;
use crate::report::{self, ResultDocument};
use crate::run_folder::RunFolder;
use crate::run_source::RunSource;

/// The runs below `runs/` that are done, the latest first.
pub(super) struct LocalFinishedRuns(Vec<(RunFolder, ResultDocument)>);

impl LocalFinishedRuns {
    /// Lists the runs with a complete result: a run that lacks trials has another result.
    pub(super) fn list() -> Self {
        let with_result = |folder: RunFolder| {
            let result = ResultDocument::parse(&folder.result()?)?;
            result.is_complete().then_some((folder, result))
        };
        Self(RunFolder::with_results().into_iter().filter_map(with_result).collect())
    }

    /// Returns the latest run of the same spec and version, with its result.
    ///
    /// The run's store decides. A run that was downloaded has none here: its files are trusted.
    pub(super) async fn find(&self, spec: &LoadedSpec) -> Option<(RunFolder, ResultDocument)> {
        for (folder, result) in &self.0 {
            // The files tell which stores are worth opening.
            if !is_alike(result, spec) || !spec.is_that_of(folder) {
                continue;
            }
            if !folder.holds_run() {
                return Some((folder.clone(), result.clone()));
            }
            let Ok(source) = RunSource::in_folder(folder.clone()).await else { continue };
            let is_same = source.run.record.params == spec.procedure.canonical_params();
            let stored = report::document(&source.run).ok();
            let stored = stored.filter(|it| it.is_complete() && is_alike(it, spec));
            if let Some(stored) = stored.filter(|_| is_same) {
                return Some((folder.clone(), stored));
            }
        }
        None
    }
}

/// Returns whether a run is of this experiment, version and seed.
fn is_alike(result: &ResultDocument, spec: &LoadedSpec) -> bool {
    result.experiment == spec.head.experiment
        && result.version == spec.experiment.version()
        && result.seed == spec.head.seed
}
