//! What is left of a run: read from its store or from a farm, written into its folder.

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
