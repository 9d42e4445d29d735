//! How a command can fail, and its exit code.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;

use hatchery_coordinator::{DriveError, OpenError, StoreError};
use hatchery_core::erased::ExperimentError;
use hatchery_core::spec::SpecError;
use hatchery_worker::WorkerError;
use tonic::{Code, Status};

use crate::terminal::{escape_controls, print_status};

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
    #[error("standard output can't be written")]
    Output(#[source] std::io::Error),
    #[error("the run's store failed")]
    Store(#[from] StoreError),
    #[error("the run did not end")]
    Drive(#[source] DriveError),
    #[error("the run's data are not what they should be")]
    Farm(#[from] ExperimentError),
    #[error("the worker stopped")]
    Worker(#[from] WorkerError),
    #[error("the process could not be set up")]
    SetUp(#[source] Box<dyn Error + Send + Sync>),
    #[error("{0}")]
    OtherVersion(String),
    #[error("the run was cancelled")]
    RunCancelled,
    #[error("{}{}", headline(.0), causes(.0))]
    NoCoordinator(Vec<Unanswered>),
    #[error("{0}")]
    Refused(String),
    #[error("not allowed: {0}")]
    Unauthorized(String),
    #[error("the coordinator refuses the submission\n{0}")]
    SpecRefused(String),
    #[error("the coordinator failed: {0}")]
    Coordinator(String),
    #[error("{address} can't be listened on")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error("{0}")]
    Mismatch(String),
    #[error("interrupted")]
    Interrupted,
}

/// A coordinator that did not answer, or not what was asked, and why.
#[derive(Debug)]
pub(crate) struct Unanswered {
    pub(crate) endpoint: String,
    /// Whether the cause is its own word: it is there, but can't be of use now.
    pub(crate) is_there: bool,
    pub(crate) cause: String,
}

impl Failure {
    /// The exit code: part of the contract with scripts, documented in the README.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Worker(WorkerError::Unauthorized { .. }) | Self::Unauthorized(_) => 11,
            Self::Worker(WorkerError::Refused { .. }) => 12,
            Self::Refused(_) => 2,
            Self::RunFailed { .. }
            | Self::Coordinator(_)
            | Self::Listen { .. }
            | Self::File { .. }
            | Self::Output(_)
            | Self::Store(_)
            | Self::Farm(_)
            | Self::Worker(_)
            | Self::SetUp(_) => 3,
            Self::Drive(DriveError::Open(
                OpenError::OtherVersion { .. } | OpenError::UnknownExperiment { .. },
            ))
            | Self::OtherVersion(_) => 12,
            Self::Drive(_) => 3,
            Self::RunCancelled => 5,
            Self::NoCoordinator(_) => 10,
            Self::Spec(_) | Self::SpecRefused(_) => 13,
            Self::Mismatch(_) => 14,
            Self::Interrupted => 130,
        }
    }

    /// What a coordinator's refusal is here.
    pub(crate) fn refused(status: &Status) -> Self {
        let message = escape_controls(status.message());
        match status.code() {
            Code::NotFound
            | Code::InvalidArgument
            | Code::FailedPrecondition
            | Code::AlreadyExists => Self::Refused(message),
            Code::Unimplemented => Self::OtherVersion(
                "the coordinator is of another version of hatchery, which can't do that".to_owned(),
            ),
            Code::Unauthenticated | Code::PermissionDenied => Self::Unauthorized(message),
            _ => Self::Coordinator(message),
        }
    }

    /// Says what happened on standard error: the failure and each of its causes, once.
    pub(crate) fn print(&self) {
        let causes = std::iter::successors(self.source(), |&cause| cause.source());
        let lines = causes.map(|cause| format!("\n  because: {cause}"));
        // A path, a spec or a name in it can hold anything.
        print_status(&escape_controls(&format!("error: {self}{}", lines.collect::<String>())));
    }
}

fn headline(unanswered: &[Unanswered]) -> String {
    let list = |is_meant: &dyn Fn(&Unanswered) -> bool| {
        let meant = unanswered.iter().filter(|&one| is_meant(one));
        meant.map(|one| one.endpoint.as_str()).collect::<Vec<_>>().join(", ")
    };
    match unanswered.iter().any(|one| one.is_there) {
        false => format!("no coordinator answers at {}", list(&|_| true)),
        true => format!("a coordinator is at {}, but can't serve this now", list(&|o| o.is_there)),
    }
}

fn causes(unanswered: &[Unanswered]) -> String {
    let lines = unanswered.iter().map(|one| format!("\n  {}: {}", one.endpoint, one.cause));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_the_documented_ones() {
        let unanswered = |endpoint: &str| Unanswered {
            endpoint: endpoint.to_owned(),
            is_there: false,
            cause: "connection refused".to_owned(),
        };
        let none = Failure::NoCoordinator(vec![unanswered("http://a"), unanswered("http://b")]);
        assert_eq!(
            none.to_string(),
            "no coordinator answers at http://a, http://b\n  http://a: connection refused\n  \
             http://b: connection refused"
        );
        let there = Unanswered { is_there: true, ..unanswered("http://b") };
        let some = Failure::NoCoordinator(vec![unanswered("http://a"), there]);
        let text = some.to_string();
        assert!(text.starts_with("a coordinator is at http://b, but"), "{text}");
        for (failure, code) in [
            (some, 10),
            (none, 10),
            (Failure::RunCancelled, 5),
            (Failure::refused(&Status::unauthenticated("")), 11),
            (Failure::refused(&Status::permission_denied("")), 11),
            (Failure::SpecRefused(String::new()), 13),
            (Failure::Mismatch(String::new()), 14),
            (Failure::refused(&Status::not_found("no run")), 2),
            (Failure::refused(&Status::unimplemented("")), 12),
            (Failure::refused(&Status::internal("bug")), 3),
        ] {
            assert_eq!(failure.exit_code(), code, "{failure}");
        }
    }
}
