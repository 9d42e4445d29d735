//! The outcome of leading a run.

use hatchery_store::StoreError;

use crate::open::OpenError;

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// It has its result.
    Done,
    /// It failed.
    Failed {
        /// The reason.
        reason: String,
    },
    /// A person cancelled it.
    Cancelled,
}

/// The reason why a run cannot be led here.
#[derive(Debug, thiserror::Error)]
pub enum LeadError {
    /// The store failed.
    #[error("the run stopped, but can be resumed")]
    Store(#[from] StoreError),
    /// The run's checkpoint or a generation's record is not readable.
    #[error("the stored {what} is not readable")]
    Decode {
        /// The kind of record.
        what: &'static str,
        /// The decoding error.
        source: prost::DecodeError,
    },
    /// This build cannot work on it.
    #[error(transparent)]
    Open(OpenError),
}

impl From<OpenError> for LeadError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Store(error) => Self::Store(error),
            error => Self::Open(error),
        }
    }
}
