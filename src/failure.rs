//! How a command can fail, and its exit code.

use std::error::Error;
use std::path::PathBuf;

use hatchery_coordinator::{DriveError, StoreError};
use hatchery_core::erased::FarmError;
use hatchery_core::spec::SpecError;

/// A failure that a person can do something about.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("the spec is invalid\n{0}")]
    Spec(SpecError),
    #[error("{reason}")]
    RunFailed { reason: String },
    #[error("{path} can't be {act}")]
    File { path: PathBuf, act: &'static str, source: std::io::Error },
    #[error("the run's store failed")]
    Store(#[from] StoreError),
    #[error("the run did not end")]
    Drive(#[source] DriveError),
    #[error("the run's data are not what they should be")]
    Farm(#[from] FarmError),
    #[error("the worker stopped")]
    Worker(#[from] hatchery_worker::SessionError),
    #[error("the process could not be set up")]
    SetUp(#[source] Box<dyn Error + Send + Sync>),
    #[error("{0}")]
    OtherVersion(String),
    #[error("interrupted")]
    Interrupted,
}

impl Failure {
    /// The exit code: part of the contract with scripts, documented in the README.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::RunFailed { .. }
            | Self::File { .. }
            | Self::Store(_)
            | Self::Farm(_)
            | Self::Worker(_)
            | Self::SetUp(_) => 3,
            Self::Drive(DriveError::OtherVersion { .. } | DriveError::UnknownExperiment { .. })
            | Self::OtherVersion(_) => 12,
            Self::Drive(_) => 3,
            Self::Spec(_) => 13,
            Self::Interrupted => 130,
        }
    }

    /// Says what happened on standard error: the failure and each of its causes, once.
    pub(crate) fn print(&self) {
        let causes = std::iter::successors(self.source(), |&cause| cause.source());
        let lines = causes.map(|cause| format!("\n  because: {cause}"));
        crate::cli::say(&format!("error: {self}{}", lines.collect::<String>()));
    }
}
