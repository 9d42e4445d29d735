//! Errors of commands, and their exit codes.

mod comparison;
mod input;
mod replayable;
mod selection;
mod usage;
mod verification;
mod version;

use std::error::Error;
use std::path::{Path, PathBuf};

use hatchery_coordinator::{LeadError, OpenError};
use hatchery_core::erased::ExperimentError;
use hatchery_core::spec::SpecError;
use hatchery_server::ServerError;
use hatchery_store::StoreError;
use hatchery_worker::WorkerError;
use tonic::{Code, Status};

use crate::environment::VariableOptions;
use crate::game::GameError;
use crate::program::DuplicateExperiment;
use crate::terminal::{escape_controls, print_status};

pub(crate) use comparison::ComparisonError;
pub(crate) use input::{InputError, InputNotFound, SearchedFarm};
pub(crate) use replayable::ReplayableTrials;
pub(crate) use selection::SelectionError;
pub(crate) use usage::UsageError;
pub(crate) use verification::VerificationError;
pub(crate) use version::VersionError;

/// An error that ends a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error("the spec is invalid\n{0}")]
    Spec(SpecError),
    #[error("{reason}")]
    RunFailed { reason: String },
    #[error("cannot {action} {path}")]
    File { path: PathBuf, action: &'static str, source: std::io::Error },
    #[error("cannot write {path}: give --out FILE, or --out - for standard output")]
    ReportNotWritten { path: PathBuf, source: std::io::Error },
    #[error(
        "there is no browser to open here: copy {} to a machine that has one{}",
        .path.display(), plain_text(.path)
    )]
    NoBrowser { path: PathBuf },
    #[error(
        "{path} was removed, moved or replaced while its run went on: if it was moved, continue \
         the run there with --resume; otherwise run the spec again"
    )]
    FolderGone { path: PathBuf },
    #[error("cannot write to standard output")]
    Output(#[source] std::io::Error),
    #[error("the run's store failed; nothing that was acknowledged is lost")]
    Store(#[from] StoreError),
    #[error("the store cannot be opened")]
    StoreNotOpened(#[source] StoreError),
    #[error("no store answers; --wait-for-store is the time to wait for it")]
    NoStore(#[source] StoreError),
    #[error("the store refuses this coordinator; check the login and the database number")]
    StoreDenied(#[source] StoreError),
    #[error("run {run} is gone: somebody deleted it, or its store lost it")]
    RunGone { run: String },
    #[error("the run did not end")]
    Drive(#[source] LeadError),
    #[error("the run's stored data is corrupt")]
    Experiment(#[from] ExperimentError),
    #[error("the worker stopped")]
    Worker(#[from] WorkerError),
    #[error("cannot set up the process")]
    SetUp(#[source] Box<dyn Error + Send + Sync>),
    #[error(transparent)]
    Program(#[from] DuplicateExperiment),
    #[error(transparent)]
    Game(#[from] GameError),
    #[error(transparent)]
    Version(#[from] VersionError),
    #[error("the run was cancelled")]
    RunCancelled,
    #[error("the run was interrupted")]
    RunInterrupted,
    #[error("{}{}", headline(.0), causes(.0))]
    NoCoordinator(Vec<EndpointError>),
    #[error(transparent)]
    Selection(#[from] SelectionError),
    #[error("{message}")]
    Refused { message: String },
    #[error("{message}")]
    DataLost { message: String },
    #[error("not allowed: {message}")]
    Unauthorized { message: String },
    #[error("the coordinator refuses the submission\n{message}")]
    SpecRefused { message: String },
    #[error("the coordinator failed: {message}")]
    Coordinator { message: String },
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Mismatch(Box<VerificationError>),
    #[error("interrupted")]
    Interrupted,
    #[error("the clock of this machine is before 1970: set the clock")]
    ClockBefore1970,
}

/// Returns where the text of the report at `path` is, if it is beside it.
fn plain_text(path: &Path) -> String {
    let text = path.with_extension("md");
    match text.exists() {
        true => format!(", or read {}", text.display()),
        false => String::new(),
    }
}

/// A coordinator that did not answer, or cannot serve the call now, with the cause.
#[derive(Debug)]
pub(crate) struct EndpointError {
    pub(crate) endpoint: String,
    /// True if there was a connection, so that the call may have been made.
    pub(crate) connected: bool,
    /// True if the coordinator itself reported the cause.
    pub(crate) responded: bool,
    pub(crate) cause: String,
}

impl CommandError {
    /// Returns false if no coordinator can have seen the call, because none was connected to.
    pub(crate) fn may_have_been_seen(&self) -> bool {
        match self {
            Self::NoCoordinator(unanswered) => unanswered.iter().any(|one| one.connected),
            _ => true,
        }
    }

    /// Returns the exit code: part of the contract with scripts, documented in docs/REFERENCE.md.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Game(GameError::File { .. }) => 3,
            Self::Usage(_)
            | Self::Selection(_)
            | Self::Game(_)
            | Self::Server(ServerError::Credential(_))
            | Self::Refused { .. } => 2,
            Self::Worker(WorkerError::Unauthorized { .. }) | Self::Unauthorized { .. } => 11,
            Self::Worker(WorkerError::Refused { .. }) => 12,
            Self::RunFailed { .. }
            | Self::RunInterrupted
            | Self::Coordinator { .. }
            | Self::DataLost { .. }
            | Self::Server(_)
            | Self::File { .. }
            | Self::ReportNotWritten { .. }
            | Self::FolderGone { .. }
            | Self::NoBrowser { .. }
            | Self::Output(_)
            | Self::Store(_)
            | Self::StoreNotOpened(_)
            | Self::RunGone { .. }
            | Self::Experiment(_)
            | Self::Worker(_)
            | Self::SetUp(_)
            | Self::Program(_)
            | Self::ClockBefore1970 => 3,
            Self::Drive(LeadError::Open(
                OpenError::OtherVersion { .. } | OpenError::UnknownExperiment { .. },
            ))
            | Self::Version(_) => 12,
            Self::Drive(_) => 3,
            Self::RunCancelled => 5,
            Self::NoCoordinator(_) | Self::NoStore(_) | Self::StoreDenied(_) => 10,
            Self::Spec(_) | Self::SpecRefused { .. } => 13,
            Self::Mismatch(_) => 14,
            Self::Interrupted => 130,
        }
    }

    /// Converts the status of a call that a coordinator refused.
    pub(crate) fn refused(status: &Status) -> Self {
        let message = escape_controls(status.message());
        match status.code() {
            Code::NotFound
            | Code::InvalidArgument
            | Code::FailedPrecondition
            | Code::AlreadyExists => Self::Refused { message },
            Code::DataLoss => Self::DataLost { message },
            Code::Unimplemented => VersionError::Call.into(),
            Code::Unauthenticated | Code::PermissionDenied => Self::Unauthorized { message },
            _ => Self::Coordinator { message },
        }
    }

    /// Wraps an error that keeps the process from doing its work at all.
    pub(crate) fn set_up(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::SetUp(error.into())
    }

    /// Prints the error and each of its causes, once, on standard error. Options that came from
    /// `variables` are called by these.
    pub(crate) fn print(&self, variables: &VariableOptions) {
        let causes = std::iter::successors(self.source(), |&cause| cause.source());
        let lines = causes.map(|cause| format!("\n  because: {cause}"));
        // A path, a spec or a name in it can hold anything, and be of any length.
        let error = match self {
            Self::Usage(error) => variables.name_in(&error.to_string()),
            error => error.to_string(),
        };
        let text = escape_controls(&format!("error: {error}{}", lines.collect::<String>()));
        match text.floor_char_boundary(MAX_SHOWN_BYTES) {
            end if end == text.len() => print_status(&text),
            end => print_status(&format!("{} ... ({} bytes)", &text[..end], text.len())),
        }
    }
}

/// The most of an error that is shown: lists of candidates are shorter.
const MAX_SHOWN_BYTES: usize = 8 << 10;

fn headline(unanswered: &[EndpointError]) -> String {
    let list = |is_meant: &dyn Fn(&EndpointError) -> bool| {
        let meant = unanswered.iter().filter(|&one| is_meant(one));
        meant.map(|one| one.endpoint.as_str()).collect::<Vec<_>>().join(", ")
    };
    match unanswered.iter().any(|one| one.responded) {
        false => format!("no coordinator answers at {}", list(&|_| true)),
        true => {
            format!("a coordinator is at {}, but cannot serve this now", list(&|o| o.responded))
        }
    }
}

fn causes(unanswered: &[EndpointError]) -> String {
    let lines = unanswered.iter().map(|one| format!("\n  {}: {}", one.endpoint, one.cause));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use hatchery_server::CredentialError;

    use super::*;

    #[test]
    fn exit_codes_are_the_documented_ones() {
        let unanswered = |endpoint: &str| EndpointError {
            connected: false,
            endpoint: endpoint.to_owned(),
            responded: false,
            cause: "connection refused".to_owned(),
        };
        let none =
            CommandError::NoCoordinator(vec![unanswered("http://a"), unanswered("http://b")]);
        assert_eq!(
            none.to_string(),
            "no coordinator answers at http://a, http://b\n  http://a: connection refused\n  \
             http://b: connection refused"
        );
        let there = EndpointError { responded: true, ..unanswered("http://b") };
        let some = CommandError::NoCoordinator(vec![unanswered("http://a"), there]);
        let text = some.to_string();
        assert!(text.starts_with("a coordinator is at http://b, but"), "{text}");
        let mismatch = VerificationError {
            run: "R".to_owned(),
            n_mismatches: 1,
            n_jobs: 2,
            generation: 3,
            job: 4,
            what: "another hash".to_owned(),
            workers: Vec::new(),
        };
        assert!(mismatch.to_string().ends_with("computed by unknown workers"), "{mismatch}");
        for (failure, code) in [
            (some, 10),
            (none, 10),
            (CommandError::RunCancelled, 5),
            (CommandError::refused(&Status::unauthenticated("")), 11),
            (CommandError::refused(&Status::permission_denied("")), 11),
            (CommandError::SpecRefused { message: String::new() }, 13),
            (CommandError::Mismatch(Box::new(mismatch)), 14),
            (CommandError::refused(&Status::not_found("no run")), 2),
            (CommandError::refused(&Status::unimplemented("")), 12),
            (CommandError::refused(&Status::internal("bug")), 3),
            (CommandError::refused(&Status::data_loss("lost")), 3),
            (ServerError::from(CredentialError::NoToken { path: "t".into() }).into(), 2),
            (ServerError::SetUp("no memory".into()).into(), 3),
        ] {
            assert_eq!(failure.exit_code(), code, "{failure}");
        }
    }
}
