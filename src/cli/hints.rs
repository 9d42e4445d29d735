//! Commands for a run that has ended.

use crate::format::shell_quoted;
use crate::program;
use crate::run_folder::RunFolder;
use crate::terminal::print_status;

/// Prints commands that work on `run` in `folder`, which has ended; `has_best` says whether
/// `replay best` does.
pub(super) fn print_hints(folder: &RunFolder, run: &str, has_best: bool) {
    // The end of its id names a run below `runs/`, and leaves room for the words.
    let id = run.parse().ok().and_then(|run| folder.short_selector(run));
    let path = id.unwrap_or_else(|| shell_quoted(folder.path()));
    let verbs = [
        Some((format!("open {path}"), "shows its report")),
        has_best.then(|| (format!("replay {path} best --play"), "watches its best")),
        Some((format!("verify {path}"), "recomputes a sample")),
    ];
    let verbs: Vec<_> = verbs.into_iter().flatten().collect();
    let width = verbs.iter().map(|(verb, _)| verb.chars().count()).max().unwrap_or_default();
    for ((verb, what), start) in verbs.iter().zip(["next: ", "      ", "      "]) {
        print_status(&format!("{start}{} {verb:width$}  {what}", program::name()));
    }
}
