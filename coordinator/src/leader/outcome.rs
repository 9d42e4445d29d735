//! The outcome of leading a run.

use hatchery_store::{RunState, StoreError};

use super::open::OpenError;

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// The run has its result.
    Done,
    /// The run failed.
    Failed {
        /// The reason.
        reason: String,
    },
    /// A person cancelled the run.
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
    /// This build cannot work on the run.
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

/// Returns the outcome of a run in this state; `None` if it has not ended.
pub(crate) fn outcome_of(state: &RunState) -> Option<RunOutcome> {
    match state {
        RunState::Active | RunState::Paused => None,
        RunState::Done => Some(RunOutcome::Done),
        RunState::Failed { reason } => Some(RunOutcome::Failed { reason: reason.clone() }),
        RunState::Cancelled => Some(RunOutcome::Cancelled),
    }
}

/// Returns the outcome of a run that ended before the leader's last write, for example because it
/// was cancelled; `None` if the write failed for another reason.
pub(super) fn ended_meanwhile(error: &LeadError) -> Option<RunOutcome> {
    match error {
        LeadError::Store(StoreError::OutOfStep { position, .. }) => outcome_of(&position.state),
        _ => None,
    }
}
