//! Runs of this machine that are done already, in place of the same run again.

use crate::cli::loaded_spec::LoadedSpec;
use crate::report::ResultDocument;
use crate::run_folder::RunFolder;

/// Returns the latest run below `runs/` of the same spec and version that is done, with its result:
/// one of this machine, or one that was downloaded. A run that lacks trials has another result.
pub(super) fn find(spec: &LoadedSpec) -> Option<(RunFolder, ResultDocument)> {
    let done = RunFolder::with_results().into_iter().filter_map(|folder| {
        let result = ResultDocument::parse(&folder.result()?)?;
        let is_same = result.is_complete()
            && result.experiment == spec.head.experiment
            && result.version == spec.experiment.version()
            && result.seed == spec.head.seed;
        is_same.then_some((folder, result))
    });
    let has_params = |folder: &RunFolder| {
        let other = LoadedSpec::open(&folder.spec().to_string_lossy(), &[]);
        let params = spec.procedure.canonical_params();
        other.is_ok_and(|other| other.procedure.canonical_params() == params)
    };
    done.into_iter().find(|(folder, _)| has_params(folder))
}
