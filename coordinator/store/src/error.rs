//! Errors of a store.

use hatchery_core::Part;
use hatchery_core::part::PartTooLarge;

use super::ids::RunId;
use super::types::RunPosition;

/// The remedy for a run whose stored data is damaged.
pub const DAMAGED_RUN_REMEDY: &str =
    "delete the run and submit it as a new run, or restore the store from a backup";

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
    /// The bytes are no chunk of the part: a bug in the caller.
    #[error("{n_bytes} bytes are not chunk {index} of part {part}")]
    WrongChunk {
        /// The part.
        part: Part,
        /// The number of the chunk.
        index: u32,
        /// The number of bytes.
        n_bytes: usize,
    },
    /// The bytes are too many for a part.
    #[error(transparent)]
    LargePart(#[from] PartTooLarge),
    /// Each time that a part was written, it was removed before it was whole.
    #[error("part {part} of run {run} was removed while it was written")]
    PartRemoved {
        /// The run.
        run: RunId,
        /// The part.
        part: Part,
    },
    /// The run has a part whose bytes are gone from the place where parts are.
    #[error("part {part} of run {run} is lost: {file} is gone, or has another length")]
    PartLost {
        /// The run.
        run: RunId,
        /// The part.
        part: Part,
        /// The path of its file.
        file: String,
    },
    /// The run has a part whose bytes differ from the written bytes.
    #[error(
        "part {part} of run {run} is damaged: {} has {what}",
        .file.as_deref().unwrap_or("the store")
    )]
    PartDamaged {
        /// The run.
        run: RunId,
        /// The part.
        part: Part,
        /// The path of its file, if it has one.
        file: Option<Box<str>>,
        /// The actual bytes: their number and their hash.
        what: Box<str>,
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
    /// The parts of the runs are elsewhere.
    #[error("parts cannot be in {place}: {what}")]
    PartPlace {
        /// The place of parts that this process was told.
        place: String,
        /// The fault and its remedy.
        what: String,
    },
    /// The store was written by another version of hatchery.
    #[error("{place} has store format {found}, but this build reads format {expected}; {remedy}")]
    WrongFormat {
        /// Where the store is.
        place: String,
        /// The format found.
        found: u32,
        /// The format that this build reads.
        expected: u32,
        /// The remedy.
        remedy: &'static str,
    },
    /// The store is damaged: truncated, overwritten, or not a store at all.
    #[error("{place} is corrupt or not a hatchery store: {what}")]
    Damaged {
        /// Where the store is.
        place: String,
        /// The fault.
        what: String,
    },
    /// The stored data of one run is damaged; other runs are not affected.
    #[error("the stored data of run {run} is damaged: {what}")]
    RunDamaged {
        /// The run.
        run: RunId,
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

impl StoreError {
    /// Returns the remedy for bytes that are lost or damaged, which no waiting brings back; `None`
    /// for other errors.
    #[must_use]
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::PartLost { .. } | Self::PartDamaged { file: Some(_), .. } => {
                Some("put the file back, as from a backup")
            }
            Self::PartDamaged { file: None, .. } | Self::Damaged { .. } => {
                Some("restore the store from a backup")
            }
            Self::RunDamaged { .. } => Some(DAMAGED_RUN_REMEDY),
            _ => None,
        }
    }

    /// Returns whether the error is about lost or damaged data of one run, so that other runs go
    /// on.
    #[must_use]
    pub fn is_of_run(&self) -> bool {
        matches!(self, Self::RunDamaged { .. } | Self::PartLost { .. } | Self::PartDamaged { .. })
    }

    /// Returns the error for a store of another format; `older` is the remedy for an older one.
    pub(super) fn wrong_format(
        place: &str,
        found: u32,
        expected: u32,
        older: &'static str,
    ) -> Self {
        let newer = "use the release that wrote it, or a later one";
        let remedy = if found < expected { older } else { newer };
        Self::WrongFormat { place: place.to_owned(), found, expected, remedy }
    }
}
