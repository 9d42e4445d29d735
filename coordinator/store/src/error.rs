//! Errors of a store.

use super::ids::RunId;
use super::types::RunPosition;

/// An error of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another leader has taken over the run.
    #[error("run {run} has a newer leader")]
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
    /// The operation contradicts the position of the run: a bug in the leader.
    #[error("run {run} is at {position:?}, which does not allow {operation}")]
    OutOfStep {
        /// The run.
        run: RunId,
        /// Its position.
        position: Box<RunPosition>,
        /// The operation.
        operation: &'static str,
    },
    /// The backend gave the answer to another operation: a bug in it.
    #[error("the store gave {operation} the answer to another operation")]
    WrongAnswer {
        /// The operation.
        operation: &'static str,
    },
    /// Another process has the store open.
    #[error("{place} is in use by another process")]
    Locked {
        /// Where the store is.
        place: String,
    },
    /// The server behind the store is configured so that it would lose data or cannot work.
    #[error("{place} cannot hold runs: {what}")]
    Unsuitable {
        /// Where the store is.
        place: String,
        /// The fault and its remedy.
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
    #[error("{place} is corrupt or not a hatchery store: {what}")]
    Damaged {
        /// Where the store is.
        place: String,
        /// The fault.
        what: String,
    },
    /// The store cannot be written or read now: disk full, no permission, connection lost. Nothing
    /// that was acknowledged is lost.
    #[error("{place} cannot be used now")]
    Unavailable {
        /// Where the store is.
        place: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}
