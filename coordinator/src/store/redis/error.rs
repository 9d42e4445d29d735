//! What goes wrong with a server, and what that means for the store.

use std::error::Error;
use std::time::Duration;

use redis::RedisError;

use super::reply::MalformedReply;
use crate::store::StoreError;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum RedisFailure {
    /// The server is silent, or can't be reached.
    #[error("no answer within {} s", within.as_secs_f32())]
    NoAnswer {
        /// How long it had.
        within: Duration,
    },
    /// The server, or the way to it, says no. No source: the error says what its own source does.
    #[error("{0}")]
    Redis(RedisError),
    /// The server would be full soon.
    #[error(
        "memory is nearly full: {used} of {most} bytes are used; nothing more is enqueued until \
         that falls or maxmemory is raised"
    )]
    NearlyFull {
        /// How many bytes are used.
        used: u64,
        /// How many may be: `maxmemory`.
        most: u64,
    },
    /// The server says what makes no sense.
    #[error(transparent)]
    Malformed(#[from] MalformedReply),
}

impl From<RedisError> for RedisFailure {
    fn from(error: RedisError) -> Self {
        Self::Redis(error)
    }
}

/// The code with which the server refused what came to `error`, or would have.
pub(in crate::store) fn refusal<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a str> {
    match error.downcast_ref::<RedisFailure>()? {
        RedisFailure::Redis(error) => error.code(),
        RedisFailure::NearlyFull { .. } => Some("OOM"),
        RedisFailure::NoAnswer { .. } | RedisFailure::Malformed(_) => None,
    }
}

impl RedisFailure {
    /// The error of a store at `place`.
    pub(super) fn at(self, place: &str) -> StoreError {
        let place = place.to_owned();
        match self {
            Self::Malformed(malformed) => {
                StoreError::Damaged { place, what: malformed.to_string() }
            }
            // A key is of another type, or the queue of a run is gone although the run is there.
            Self::Redis(error) if matches!(error.code(), Some("WRONGTYPE" | "NOGROUP")) => {
                StoreError::Damaged { place, what: error.to_string() }
            }
            // Loading, read-only, out of memory, no disk, no replicas, no permission, no
            // connection: all of these pass, or a person ends them, and nothing is lost meanwhile.
            other => StoreError::Unavailable { place, source: Box::new(other) },
        }
    }
}
