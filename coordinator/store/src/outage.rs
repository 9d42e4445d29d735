//! Outages of the store: their cause and duration, as this coordinator sees them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hatchery_core::text::time_span;
use tokio::time::Instant;

use super::error::StoreError;
use super::part_directory::DirectoryTrouble;
use super::{embedded, redis};

/// The time after its last failure for which an operation counts as failing: longer than the
/// interval at which each is tried again.
const REMEMBERED: Duration = Duration::from_secs(10);

/// The names of the operations that write a chunk of a part, and its end.
const WRITE_PART: &str = "write_part";
const FINISH_PART: &str = "finish_part";

/// The cause of an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutageCause {
    /// The memory of the store is full.
    Full,
    /// The store cannot write to its disk.
    DiskFailed,
    /// The embedded store cannot read or write its file.
    FileFailed,
    /// The store is a replica, or has lost its master.
    ReadOnly,
    /// The store loads its data after a start.
    Loading,
    /// The store does not accept the login or the database number.
    Denied,
    /// The directory of the parts is full.
    PartsFull,
    /// The directory of the parts cannot be used.
    PartsUnusable,
    /// The store does not answer.
    Unreachable,
}

impl OutageCause {
    /// Returns the cause of a failed operation; `None` for an answer, such as that there is no such
    /// run.
    fn of(error: &StoreError) -> Option<Self> {
        let StoreError::Unavailable { source, .. } = error else { return None };
        if redis::is_denial(source.as_ref()) {
            return Some(Self::Denied);
        }
        if embedded::is_of_file(source.as_ref()) {
            return Some(Self::FileFailed);
        }
        match DirectoryTrouble::of(source.as_ref()) {
            Some(DirectoryTrouble::Full) => return Some(Self::PartsFull),
            Some(DirectoryTrouble::Unusable) => return Some(Self::PartsUnusable),
            None => {}
        }
        Some(match redis::refusal(source.as_ref()) {
            Some("OOM") => Self::Full,
            Some("MISCONF") => Self::DiskFailed,
            Some("READONLY" | "MASTERDOWN") => Self::ReadOnly,
            Some("LOADING") => Self::Loading,
            _ => Self::Unreachable,
        })
    }

    /// Returns the cause in words, after "the farm's store".
    fn text(self) -> &'static str {
        match self {
            Self::Full => "is full",
            Self::DiskFailed => "cannot write to its disk",
            Self::FileFailed => "cannot read or write its file",
            Self::ReadOnly => "is a read-only replica",
            Self::Loading => "loads its data",
            Self::Denied => "does not accept the login or the database number",
            Self::PartsFull => "has no room left in the directory of its parts",
            Self::PartsUnusable => "cannot use the directory of its parts",
            Self::Unreachable => "cannot be used",
        }
    }

    /// Returns the remedy for people.
    pub fn help(self) -> &'static str {
        match self {
            Self::Full => "raise maxmemory of Redis, or hatchery delete old runs",
            Self::DiskFailed => "free space on the disk of Redis; its log has the error",
            Self::FileFailed => {
                "free space on the disk of the store's file, or raise its quota; the coordinator's \
                 log has the error, and the coordinator opens the file again by itself"
            }
            Self::ReadOnly => "point the coordinators to the master of Redis",
            Self::Loading => "wait until Redis has loaded its data",
            Self::Denied => "check user, password, and database number in the address of Redis",
            Self::PartsFull => {
                "free space in the directory of --parts, or hatchery delete old runs"
            }
            Self::PartsUnusable => {
                "check the directory of --parts: the coordinator's log has the error, and the run \
                 continues when it can be used again"
            }
            Self::Unreachable => "check Redis: the run continues when it answers again",
        }
    }
}

impl StoreError {
    /// Returns true if the store could not be used because it loads its data after a start.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        OutageCause::of(self) == Some(OutageCause::Loading)
    }

    /// Returns true if the store could not be used because it does not accept the login or the
    /// database number.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        OutageCause::of(self) == Some(OutageCause::Denied)
    }

    /// Returns true if the store could not be used because the directory of its parts cannot be.
    #[must_use]
    pub fn is_of_directory(&self) -> bool {
        let cause = OutageCause::of(self);
        matches!(cause, Some(OutageCause::PartsFull | OutageCause::PartsUnusable))
    }
}

/// The duration of an outage of its file after which a coordinator counts as dead: a new process
/// may do better.
const DEAD_AFTER: Duration = Duration::from_secs(300);

/// An outage of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOutage {
    /// Its latest cause.
    pub cause: OutageCause,
    /// The time since its first failure.
    pub age: Duration,
}

impl StoreOutage {
    /// Returns true if the coordinator's own file fails, so that other coordinators may do better.
    pub fn is_of_file(&self) -> bool {
        self.cause == OutageCause::FileFailed
    }

    /// Returns true if the coordinator's own file has failed for five minutes.
    pub fn is_fatal(&self) -> bool {
        self.is_of_file() && DEAD_AFTER <= self.age
    }

    /// Returns the outage in words.
    pub fn text(&self) -> String {
        let (cause, age) = (self.cause.text(), time_span(self.age.as_secs_f64().floor()));
        format!("the farm's store {cause}, for {age}; nothing acknowledged is lost")
    }
}

/// An operation whose last call failed.
#[derive(Clone, Copy, Debug)]
struct FailingOperation {
    cause: OutageCause,
    since: Instant,
    last: Instant,
}

/// The operations of a store that fail.
#[derive(Debug, Default)]
pub struct OutageLog(Mutex<BTreeMap<&'static str, FailingOperation>>);

impl OutageLog {
    /// Records the outcome of an operation. Reads may work while writes fail, and so may the first
    /// chunks of a part that does not fit as a whole.
    pub fn record<T>(&self, operation: &'static str, outcome: &Result<T, StoreError>) {
        let cause = outcome.as_ref().err().and_then(OutageCause::of);
        let mut failing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match cause {
            None if operation == WRITE_PART => {}
            None => {
                failing.remove(operation);
                if operation == FINISH_PART {
                    failing.remove(WRITE_PART);
                }
            }
            Some(cause) => {
                let now = Instant::now();
                let new = FailingOperation { cause, since: now, last: now };
                let known = failing.entry(operation).or_insert(new);
                // It was not tried meanwhile, so this is another outage.
                if REMEMBERED <= known.last.elapsed() {
                    known.since = now;
                }
                (known.cause, known.last) = (cause, now);
            }
        }
    }

    /// Returns the current outage: its latest cause.
    pub fn current(&self) -> Option<StoreOutage> {
        let failing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = failing.values().filter(|operation| operation.last.elapsed() < REMEMBERED);
        let since = recent.clone().map(|operation| operation.since).min()?;
        let FailingOperation { cause, .. } = recent.max_by_key(|operation| operation.last)?;
        Some(StoreOutage { cause: *cause, age: since.elapsed() })
    }
}

#[cfg(test)]
mod tests {
    use hatchery_core::Part;

    use super::*;
    use crate::operation::{FinishPart, WritePart};
    use crate::{RunId, StoreOperation};

    fn refused() -> Result<(), StoreError> {
        let source = std::io::Error::other("connection refused").into();
        Err(StoreError::Unavailable { place: "here".to_owned(), source })
    }

    /// Of a directory that is full, the first chunks of a part may find room each time.
    #[tokio::test(start_paused = true)]
    async fn an_outage_of_parts_lasts_until_one_is_whole() {
        let (run, part) = (RunId(ulid::Ulid(1)), Part::of(b"part"));
        let write = WritePart { run, part, index: 0, chunk: vec![] }.name();
        let finish = FinishPart { run, part }.name();
        let log = OutageLog::default();
        for _ in 0..4 {
            log.record(write, &Ok(()));
            log.record(write, &refused());
            log.record("find_parts", &Ok(()));
            tokio::time::advance(Duration::from_secs(5)).await;
        }
        assert_eq!(log.current().unwrap().age, Duration::from_secs(20));
        log.record(write, &Ok(()));
        log.record(finish, &Ok(()));
        assert_eq!(log.current(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_outage_lasts_from_its_first_failure_until_the_operation_works() {
        let log = OutageLog::default();
        log.record("enqueue", &refused());
        tokio::time::advance(Duration::from_secs(5)).await;
        log.record("enqueue", &refused());
        log.record("position", &Ok(()));
        let outage = log.current().unwrap();
        assert_eq!(outage.cause, OutageCause::Unreachable);
        assert_eq!(
            outage.text(),
            "the farm's store cannot be used, for 5s; nothing acknowledged is lost"
        );
        log.record("enqueue", &Ok(()));
        assert_eq!(log.current(), None);
        log.record("park", &refused());
        tokio::time::advance(REMEMBERED).await;
        assert_eq!(log.current(), None, "it was not tried again");
        let gone: Result<(), _> = Err(StoreError::NoRun { run: RunId(ulid::Ulid(1)) });
        log.record("park", &gone);
        assert_eq!(log.current(), None, "that is an answer");
    }
}
