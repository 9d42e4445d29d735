//! Runs of this machine that are done already, in place of the same run again.

use crate::cli::loaded_spec::LoadedSpec;
use crate::report::{self, ResultDocument};
use crate::run_folder::RunFolder;
use crate::run_source::RunSource;

/// Returns the latest run below `runs/` of the same spec and version that is done, with its result.
/// A run that lacks trials has another result.
///
/// The run's store decides. A run that was downloaded has none here: its files are trusted.
pub(super) async fn find(spec: &LoadedSpec) -> Option<(RunFolder, ResultDocument)> {
    for folder in RunFolder::with_results() {
        let Some(result) = folder.result().and_then(|text| ResultDocument::parse(&text)) else {
            continue;
        };
        // The files tell which stores are worth opening.
        if !is_alike(&result, spec) || !has_params(&folder, spec) {
            continue;
        }
        if !folder.holds_run() {
            return Some((folder, result));
        }
        let Ok(source) = RunSource::in_folder(folder.clone()).await else { continue };
        let is_same = source.run.record.params == spec.procedure.canonical_params();
        let stored = report::document(&source.run).ok().filter(|it| is_alike(it, spec));
        if let Some(stored) = stored.filter(|_| is_same) {
            return Some((folder, stored));
        }
    }
    None
}

/// Returns whether a run has its whole result, and is of this version and seed.
fn is_alike(result: &ResultDocument, spec: &LoadedSpec) -> bool {
    result.is_complete()
        && result.experiment == spec.head.experiment
        && result.version == spec.experiment.version()
        && result.seed == spec.head.seed
}

fn has_params(folder: &RunFolder, spec: &LoadedSpec) -> bool {
    let other = LoadedSpec::open(&folder.spec().to_string_lossy(), &[]);
    let params = spec.procedure.canonical_params();
    other.is_ok_and(|other| other.procedure.canonical_params() == params)
}
