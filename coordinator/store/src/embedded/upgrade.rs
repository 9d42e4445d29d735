//! The upgrade of a file that the release before wrote: its shared inputs and states become parts.

use hatchery_core::part::{MAX_PART_BYTES, PartTooLarge};
use redb::{ReadableTable as _, TableDefinition, TableError, WriteTransaction};

use super::error::StoreStop;
use super::tables::{CHUNKS, JobRowKey, PARTS, PartKey, RESULTS};
use crate::{StoreError, part_codec};

/// The version of the layout that is upgraded.
pub(super) const FORMAT_BEFORE: u32 = 2;

/// Values by their hashes, each in a row.
const VALUES: TableDefinition<'_, PartKey, &[u8]> = TableDefinition::new("blobs");

/// A result without parts: its worker, its output and its cost.
type ResultRowBefore = (u128, &'static [u8], &'static [u8]);

/// The results, under another name than in the file, because that name is for results with parts.
const RESULTS_BEFORE: TableDefinition<'_, JobRowKey, ResultRowBefore> =
    TableDefinition::new("results without parts");

/// Converts a file of the previous version to this version, except the new tables and the number of
/// the version.
///
/// # Errors
/// [`StoreError::Unsuitable`] if a value is larger than a part can be; the file stays as it is.
pub(super) fn upgrade(txn: &WriteTransaction, place: &str) -> Result<(), StoreStop> {
    let values = txn.open_table(VALUES)?;
    let (mut parts, mut chunks) = (txn.open_table(PARTS)?, txn.open_table(CHUNKS)?);
    for row in values.iter()? {
        let (key, value) = row?;
        let ((run, hash), bytes) = (key.value(), value.value());
        let n_bytes = bytes.len() as u64;
        if MAX_PART_BYTES < bytes.len() {
            let why = PartTooLarge { n_bytes };
            let what = format!("{why}; finish its runs with the release that wrote it");
            return Err(StoreError::Unsuitable { place: place.to_owned(), what }.into());
        }
        parts.insert((run, hash), n_bytes)?;
        for (index, chunk) in (0..).zip(part_codec::chunks(bytes)) {
            chunks.insert((run, hash, index), chunk)?;
        }
    }
    drop(values);
    txn.delete_table(VALUES)?;
    match txn.rename_table(RESULTS, RESULTS_BEFORE) {
        Ok(()) => {}
        Err(TableError::TableDoesNotExist(_)) => return Ok(()),
        Err(error) => return Err(error.into()),
    }
    let before = txn.open_table(RESULTS_BEFORE)?;
    let mut results = txn.open_table(RESULTS)?;
    for row in before.iter()? {
        let (job, result) = row?;
        let (worker, output, cost) = result.value();
        results.insert(job.value(), (worker, output, cost, [].as_slice()))?;
    }
    drop(before);
    txn.delete_table(RESULTS_BEFORE)?;
    Ok(())
}
