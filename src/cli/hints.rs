//! Commands for a run that has ended.

use crate::format::shell_quoted;
use crate::run_folder::RunFolder;
use crate::terminal::print_status;

/// Prints commands that work on the run in `folder`, which has ended; `has_best` says whether
/// `replay best` does.
pub(super) fn print_hints(folder: &RunFolder, has_best: bool) {
    let path = shell_quoted(folder.path());
    let verbs = [
        Some((format!("open {path}"), "shows the report in a browser")),
        has_best.then(|| (format!("replay {path} best --play"), "watches its best")),
        Some((format!("verify {path}"), "recomputes a sample of its jobs")),
    ];
    let verbs: Vec<_> = verbs.into_iter().flatten().collect();
    let width = verbs.iter().map(|(verb, _)| verb.chars().count()).max().unwrap_or_default();
    for ((verb, what), start) in verbs.iter().zip(["next: ", "      ", "      "]) {
        print_status(&format!("{start}hatchery {verb:width$}  {what}"));
    }
}
