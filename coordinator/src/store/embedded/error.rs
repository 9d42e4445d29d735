//! Why an operation did not happen, and what a store says from then on.

use std::io::{self, ErrorKind};

use crate::store::StoreError;

/// Why an operation ended early.
#[derive(Debug)]
pub(super) enum StoreStop {
    /// The contract refuses it: nothing is wrong with the store.
    Refused(StoreError),
    /// The file below is in trouble.
    Trouble(EmbeddedError),
}

/// What is wrong with the file. It lasts: after the first trouble a store answers nothing else,
/// since what memory and file hold may differ from there on; opening it again finds out.
#[derive(Debug)]
pub(super) enum EmbeddedError {
    /// Its content makes no sense.
    Damaged(String),
    /// Another process has it open.
    Locked,
    /// It can't be read or written now.
    Unavailable(Box<dyn std::error::Error + Send + Sync>),
    /// It could not be read or written earlier.
    Closed(StoreClosed),
}

/// The source of the errors after the first one.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the store was closed by an earlier error ({first}); open it again")]
pub(super) struct StoreClosed {
    first: String,
}

impl StoreStop {
    /// The file holds something that no store writes.
    pub(super) fn damaged(what: String) -> Self {
        Self::Trouble(EmbeddedError::Damaged(what))
    }
}

impl EmbeddedError {
    /// What a panic of redb means. It trusts what it reads, so a damaged file can break its
    /// assertions; only a bug could do so otherwise, and going on would be as wrong then.
    pub(super) fn from_panic(said: &str) -> Self {
        Self::Damaged(format!("reading it failed an assertion: {said}"))
    }

    /// What to tell whoever asks next.
    pub(super) fn again(&self) -> Self {
        match self {
            Self::Damaged(what) => Self::Damaged(what.clone()),
            Self::Locked => Self::Locked,
            Self::Unavailable(source) => Self::Closed(StoreClosed { first: source.to_string() }),
            Self::Closed(closed) => Self::Closed(closed.clone()),
        }
    }

    /// The error that says so about the store at `place`.
    pub(super) fn at(self, place: &str) -> StoreError {
        let place = place.to_owned();
        match self {
            Self::Damaged(what) => StoreError::Damaged { place, what },
            Self::Locked => StoreError::Locked { place },
            Self::Unavailable(source) => StoreError::Unavailable { place, source },
            Self::Closed(closed) => StoreError::Unavailable { place, source: Box::new(closed) },
        }
    }
}

impl From<redb::Error> for EmbeddedError {
    fn from(error: redb::Error) -> Self {
        match error {
            redb::Error::DatabaseAlreadyOpen => Self::Locked,
            redb::Error::Io(error) => error.into(),
            redb::Error::PreviousIo
            | redb::Error::DatabaseClosed
            | redb::Error::ValueTooLarge(_) => Self::Unavailable(Box::new(error)),
            other => Self::Damaged(other.to_string()),
        }
    }
}

impl From<io::Error> for EmbeddedError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // redb says this of a file without its magic number, the system of one too short.
            ErrorKind::InvalidData | ErrorKind::UnexpectedEof => Self::Damaged(error.to_string()),
            _ => Self::Unavailable(Box::new(error)),
        }
    }
}

impl From<StoreError> for StoreStop {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<redb::StorageError> for StoreStop {
    fn from(error: redb::StorageError) -> Self {
        Self::Trouble(redb::Error::from(error).into())
    }
}

impl From<redb::TableError> for StoreStop {
    fn from(error: redb::TableError) -> Self {
        Self::Trouble(redb::Error::from(error).into())
    }
}

impl From<redb::TransactionError> for StoreStop {
    fn from(error: redb::TransactionError) -> Self {
        Self::Trouble(redb::Error::from(error).into())
    }
}

impl From<redb::CommitError> for StoreStop {
    fn from(error: redb::CommitError) -> Self {
        Self::Trouble(redb::Error::from(error).into())
    }
}

impl From<redb::DatabaseError> for StoreStop {
    fn from(error: redb::DatabaseError) -> Self {
        Self::Trouble(redb::Error::from(error).into())
    }
}

impl From<io::Error> for StoreStop {
    fn from(error: io::Error) -> Self {
        Self::Trouble(error.into())
    }
}
