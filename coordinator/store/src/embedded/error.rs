//! The errors of operations, and the answers of a store after the first error.

use std::io::{self, ErrorKind};

use crate::{RunId, StoreError};

/// The reason that an operation ended early.
#[derive(Debug)]
pub(super) enum StoreStop {
    /// The contract refuses the operation: nothing is wrong with the store.
    Refused(StoreError),
    /// The file below is in trouble.
    Trouble(EmbeddedError),
}

/// The trouble with the file. After the first trouble, memory and file may differ, so the store
/// gives no other answer until it has opened the file again.
#[derive(Debug)]
pub(super) enum EmbeddedError {
    /// Its content makes no sense.
    Damaged(String),
    /// Another process has the file open.
    Locked,
    /// The file system cannot lock the file, with its error.
    NoLocks(String),
    /// The file cannot be read or written now.
    Unavailable(Box<dyn std::error::Error + Send + Sync>),
    /// The file could not be read or written earlier.
    Closed(StoreClosed),
}

/// The source of the errors after the first error.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the store was closed by an earlier error ({first}), and opens itself again soon")]
pub(super) struct StoreClosed {
    first: String,
}

/// The error of locking a file, if it is not that another process has the lock: its file system has
/// no locks (ENOSYS, EOPNOTSUPP), or their service does not work (ENOLCK).
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoLocks(io::Error);

/// Somebody else changed an open file: its lock keeps out stores, but no other program.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(super) enum ForeignChange {
    /// The path leads to another file, or to none.
    #[error("its file was removed, moved or replaced while it was open")]
    Place,
    /// The file has another length than this process gave it.
    #[error("another program wrote its file while it was open")]
    Content,
}

/// Returns whether `error` says that the system could not read or write the file of an embedded
/// store, now or since the store last opened the file.
pub(crate) fn is_of_file(error: &(dyn std::error::Error + 'static)) -> bool {
    let of_system = error.downcast_ref().and_then(io::Error::raw_os_error);
    of_system.is_some()
        || error.is::<redb::Error>()
        || error.is::<StoreClosed>()
        || error.is::<ForeignChange>()
}

impl NoLocks {
    /// Wraps the error of locking a file.
    pub(super) fn of(error: io::Error) -> io::Error {
        io::Error::other(Self(error))
    }
}

impl From<ForeignChange> for StoreStop {
    fn from(change: ForeignChange) -> Self {
        Self::Trouble(EmbeddedError::Unavailable(Box::new(change)))
    }
}

impl StoreStop {
    /// Returns the error for content of one run that no store writes.
    pub(super) fn run_damaged(run: RunId, what: String) -> Self {
        Self::Refused(StoreError::RunDamaged { run, what })
    }

    /// Returns the error for content that no store writes.
    pub(super) fn damaged(what: String) -> Self {
        Self::Trouble(EmbeddedError::Damaged(what))
    }
}

impl EmbeddedError {
    /// Returns the error for a panic of redb. It trusts its input, so a damaged file can break its
    /// assertions. Otherwise only a bug could break them, and continuing would be as wrong then.
    pub(super) fn from_panic(said: &str) -> Self {
        Self::Damaged(format!("reading it failed an assertion: {said}"))
    }

    /// Returns true if the file cannot be written for lack of space: the disk or a quota is full.
    pub(super) fn is_lack_of_space(&self) -> bool {
        let Self::Unavailable(source) = self else { return false };
        let kind = source.downcast_ref().map(io::Error::kind);
        matches!(kind, Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded))
    }

    /// Returns the error for all operations until the file is opened again.
    pub(super) fn again(&self) -> Self {
        match self {
            Self::Damaged(what) => Self::Damaged(what.clone()),
            Self::Locked => Self::Locked,
            Self::NoLocks(error) => Self::NoLocks(error.clone()),
            Self::Unavailable(source) => Self::Closed(StoreClosed { first: source.to_string() }),
            Self::Closed(closed) => Self::Closed(closed.clone()),
        }
    }

    /// Returns the error of the store at `place`.
    pub(super) fn at(self, place: &str) -> StoreError {
        let place = place.to_owned();
        match self {
            Self::Damaged(what) => StoreError::Damaged { place, what },
            Self::Locked => StoreError::Locked { place },
            Self::NoLocks(error) => {
                let what = format!(
                    "its file system cannot lock files ({error}), so two processes could write \
                     it at once; use a folder on a local disk (--out, --store), or turn on \
                     the locks of this file system"
                );
                StoreError::Unsuitable { place, what }
            }
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
        if error.get_ref().is_some_and(|source| source.is::<NoLocks>()) {
            return Self::NoLocks(error.to_string());
        }
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

impl From<redb::SetDurabilityError> for StoreStop {
    fn from(error: redb::SetDurabilityError) -> Self {
        Self::Trouble(redb::Error::from(error).into())
    }
}

impl From<redb::CommitError> for StoreStop {
    fn from(error: redb::CommitError) -> Self {
        Self::Trouble(redb::Error::from(error).into())
    }
}

impl From<redb::CompactionError> for StoreStop {
    fn from(error: redb::CompactionError) -> Self {
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
