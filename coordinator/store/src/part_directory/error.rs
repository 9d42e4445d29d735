//! The failures of a directory, and the store errors that they become.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

use crate::StoreError;

/// The reason that something was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DirectoryFailure {
    /// The file system is silent.
    #[error("no answer within {} s", within.as_secs())]
    NoAnswer {
        /// The time that it had.
        within: Duration,
    },
    /// The file system returns an error. No source: its text is all that there is.
    #[error("{0}")]
    Io(io::Error),
    /// Another directory is at the path, or no directory: files that are missing there may not be
    /// lost.
    #[error("the parts of this farm are not there: {what}; mount the directory that has them")]
    NotMounted {
        /// The directory at the path, or its absence.
        what: String,
    },
}

impl From<io::Error> for DirectoryFailure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The kind of trouble with a directory, as far as a person needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectoryTrouble {
    /// There is no room.
    Full,
    /// Something else.
    Unusable,
}

impl DirectoryTrouble {
    /// Returns the trouble behind a store that cannot be used; `None` if it is not a directory's.
    pub(crate) fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        const FULL: [ErrorKind; 2] = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded];
        Some(match error.downcast_ref::<DirectoryFailure>()? {
            DirectoryFailure::Io(error) if FULL.contains(&error.kind()) => Self::Full,
            DirectoryFailure::Io(_)
            | DirectoryFailure::NoAnswer { .. }
            | DirectoryFailure::NotMounted { .. } => Self::Unusable,
        })
    }
}

impl DirectoryFailure {
    /// Returns the error of a store whose parts are at `place`. Full, read-only, not mounted, no
    /// answer: all of these pass, or a person ends them, and nothing is lost meanwhile.
    pub(crate) fn at(self, place: &str) -> StoreError {
        StoreError::Unavailable { place: place.to_owned(), source: Box::new(self) }
    }
}
