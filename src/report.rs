//! The results of a run: read from its store or a farm, written into its folder, printed as JSON.

mod data_table;
pub(crate) mod farm;
mod files;
mod generations;
mod result;
#[cfg(test)]
mod schema;
mod stored;

pub(crate) use files::{document, write_exported, write_stored};
pub(crate) use result::ResultDocument;
pub(crate) use stored::StoredRun;
