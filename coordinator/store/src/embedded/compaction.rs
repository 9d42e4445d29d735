//! Giving the space of deleted runs back.

use std::io;

use redb::{Database, ReadableDatabase as _};

use super::error::StoreStop;
use super::runs;

/// The outcome of an attempt to compact a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompactionOutcome {
    /// A run goes on, so nothing was done.
    Busy,
    /// Less than half of the file is free, so nothing was done.
    Dense,
    /// The file is as small as its content.
    Compacted { n_bytes_before: u64, n_bytes: u64 },
}

/// Compacts the file of `database` if no run goes on and half of the file is free. `n_bytes`
/// returns the length of the file.
pub(super) fn compact(
    database: &mut Database,
    n_bytes: impl Fn() -> io::Result<u64>,
) -> Result<CompactionOutcome, StoreStop> {
    if runs::any_goes_on(&database.begin_read()?)? {
        return Ok(CompactionOutcome::Busy);
    }
    // The pages of deleted rows are free after one commit, and known to be after another.
    for _ in 0..2 {
        database.begin_write()?.commit()?;
    }
    let txn = database.begin_write()?;
    let stats = txn.stats()?;
    let n_used_bytes = stats.allocated_pages() * stats.page_size() as u64;
    txn.abort()?;
    let n_bytes_before = n_bytes()?;
    if n_bytes_before < 2 * n_used_bytes {
        return Ok(CompactionOutcome::Dense);
    }
    database.compact()?;
    Ok(CompactionOutcome::Compacted { n_bytes_before, n_bytes: n_bytes()? })
}
