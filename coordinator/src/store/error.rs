//! What a store can fail with.

use super::ids::RunId;
use super::types::RunPosition;

/// Why a store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else leads the run now.
    #[error("the lead of run {run} has passed on")]
    Fenced {
        /// The run.
        run: RunId,
    },
    /// There is no such run.
    #[error("no run {run} in the store")]
    NoRun {
        /// The run.
        run: RunId,
    },
    /// What was asked contradicts where the run stands: a bug in the leader.
    #[error("run {run} is at {position:?}, which does not allow {operation}")]
    OutOfStep {
        /// The run.
        run: RunId,
        /// Where it stands.
        position: Box<RunPosition>,
        /// What was asked.
        operation: &'static str,
    },
    /// Another process has the store open.
    #[error("{place} is in use by another process")]
    Locked {
        /// Where the store is.
        place: String,
    },
    /// The server behind the store is set up in a way that would lose data or can't work.
    #[error("{place} can't hold runs: {what}")]
    Unsuitable {
        /// Where the store is.
        place: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// The store was written by another version of hatchery.
    #[error("{place} has store format {found}, but this build reads format {expected}")]
    WrongFormat {
        /// Where the store is.
        place: String,
        /// The format found.
        found: u32,
        /// The format that this build reads.
        expected: u32,
    },
    /// The store is damaged: truncated, overwritten, or not a store at all.
    #[error("{place} is damaged or no store: {what}")]
    Damaged {
        /// Where the store is.
        place: String,
        /// What was found.
        what: String,
    },
    /// The store can't be written or read now: disk full, no permission, connection lost. Nothing
    /// that was acknowledged is lost.
    #[error("{place} can't be used now; nothing that was acknowledged is lost")]
    Unavailable {
        /// Where the store is.
        place: String,
        /// What happened.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
