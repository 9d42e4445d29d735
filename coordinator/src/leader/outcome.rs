//! How a lead ends, well or not.

use crate::open::OpenError;
use crate::store::StoreError;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// It has its result.
    Done,
    /// It can't go on.
    Failed {
        /// Why.
        reason: String,
    },
    /// A person ended it.
    Cancelled,
}

/// Why a run can't be led here.
#[derive(Debug, thiserror::Error)]
pub enum LeadError {
    /// The store failed.
    #[error("the run stopped, but can be resumed")]
    Store(#[from] StoreError),
    /// The run's checkpoint or a generation's record is not readable.
    #[error("the stored {what} is not readable")]
    Decode {
        /// What it is.
        what: &'static str,
        /// What the decoder says.
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
