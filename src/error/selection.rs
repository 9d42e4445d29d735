//! Errors of selecting a run, a worker or a job of a farm.

use crate::program;

/// A selector that names nothing on the farm, or more than one thing.
///
/// Each of the candidates is a line: an id and a name.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SelectionError {
    #[error("the farm has no runs yet")]
    NoRuns,
    #[error(
        "the farm has no run {selector:?}: give an id, four or more characters of its beginning or \
         end, a name, or `last`{}",
        indented(.known)
    )]
    UnknownRun { selector: String, known: Vec<String> },
    #[error(
        "the farm has no sweep {selector:?}: `{} list` shows the names of all runs",
        program::name()
    )]
    UnknownSweep { selector: String },
    #[error(
        "{selector:?} is both a run and a sweep: give {selector}/ for the sweep, or a run's id"
    )]
    RunAndSweep { selector: String },
    #[error("the sweep {sweep:?} has runs of {first} and of {second}: give an id of a run")]
    MixedSweep { sweep: String, first: String, second: String },
    #[error("{n_matches} runs match {selector:?}: name a single run{}", indented(.matches))]
    AmbiguousRun { selector: String, n_matches: usize, matches: Vec<String> },
    #[error(
        "the farm has no worker {selector:?}: give a name, or the beginning of an id{}",
        indented(.known)
    )]
    UnknownWorker { selector: String, known: Vec<String> },
    #[error("the worker {worker} is gone: it was {lost}; its jobs go to other workers")]
    LostWorker { worker: String, lost: String },
    #[error(
        "{n_matches} workers match {selector:?}: give the beginning of an id{}",
        indented(.matches)
    )]
    AmbiguousWorker { selector: String, n_matches: usize, matches: Vec<String> },
    #[error("run {run} has no dead job {index}")]
    NoSuchDeadJob { run: String, index: u64 },
    #[error("run {run} has no dead jobs with these indices")]
    NoDeadJobs { run: String },
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("\n  {line}")).collect()
}
