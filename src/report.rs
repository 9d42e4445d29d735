//! The results of a run: read from its store or a farm, written into its folder, printed as JSON,
//! shown as a page.

mod data_table;
pub(crate) mod farm;
mod files;
mod generations;
mod live;
mod page;
mod result;
#[cfg(test)]
mod schema;
mod stale_figures;
mod stored;

pub(crate) use files::{document, page, write_exported, write_stored};
pub(crate) use live::LiveFiles;
pub(crate) use page::{ReportReplay, course};
pub(crate) use result::ResultDocument;
pub(crate) use stored::StoredRun;
