//! The results of a run: read from its store or a farm, written into its folder, printed as JSON,
//! shown as a page, compared with other runs.

mod comparison;
mod data_table;
pub(crate) mod farm;
mod files;
mod finding;
mod generations;
mod live;
mod match_result;
mod measure_form;
mod page;
mod result;
mod runs_table;
#[cfg(test)]
mod schema;
mod stale_figures;
mod stored;
mod sweep;

pub(crate) use comparison::{ComparedRun, MAX_COMPARED_RUNS, RunComparison};
pub(crate) use files::{document, page, write_copy, write_stored, write_sweep};
pub(crate) use live::LiveFiles;
pub(crate) use match_result::{EloHypotheses, EloUnit, MatchDocument, SprtDocument};
pub(crate) use page::{ReportReplay, comparison_page, course, sweep_page};
pub(crate) use result::ResultDocument;
pub(crate) use runs_table::{TableFormat, runs_table};
pub(crate) use stored::StoredRun;
pub(crate) use sweep::{SweepDocument, SweepRun};
