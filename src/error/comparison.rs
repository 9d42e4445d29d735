//! Errors of comparing runs.

use hatchery_core::text::counted;

/// Runs that cannot be compared in one page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ComparisonError {
    #[error(
        "{} are given, but a page compares at most {most}: lines of more runs cannot be told \
         apart",
        counted(*.n_runs, "run")
    )]
    TooManyRuns { n_runs: usize, most: usize },
    #[error("run {run} is given twice: name each run once")]
    SameRun { run: String },
    #[error(
        "run {first} is of {first_experiment}, but run {other} is of {other_experiment}: give runs \
         of the same experiment"
    )]
    OtherExperiment {
        first: String,
        first_experiment: String,
        other: String,
        other_experiment: String,
    },
}
