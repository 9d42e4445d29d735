//! The ids of runs, jobs, workers and coordinators.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use ulid::Ulid;

/// The latest time of a ULID, in milliseconds since 1970.
const MAX_ID_UNIX_MS: u64 = (1 << Ulid::TIME_BITS) - 1;

/// The id of a run: a ULID above those of the runs that its store had before. Ids give the order of
/// runs although clocks differ; the record of a run has the time of its creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub Ulid);

impl RunId {
    /// Makes a new id.
    #[must_use]
    pub fn generate() -> Self {
        Self(Ulid::generate())
    }

    /// Makes an id above `last`, the last run of the store. The id has the time `unix_ms`, or a
    /// millisecond more than `last` if that is later: another clock was ahead.
    #[must_use]
    pub fn above(last: Option<Self>, unix_ms: u64) -> Self {
        let least_ms = last.map_or(0, |last| last.0.timestamp_ms() + 1);
        match last {
            // No time is left in the year 10889.
            Some(last) if MAX_ID_UNIX_MS < least_ms => Self(Ulid(last.0.0.saturating_add(1))),
            _ => {
                let unix_ms = unix_ms.clamp(least_ms, MAX_ID_UNIX_MS);
                Self(Ulid::from_parts(unix_ms, Ulid::generate().random()))
            }
        }
    }

    /// Reads an id from the wire; `None` unless `bytes` are 16.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(|bytes| Self(Ulid(u128::from_be_bytes(bytes))))
    }

    /// Returns the id as it is on the wire.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.0.to_be_bytes()
    }
}

impl FromStr for RunId {
    type Err = ulid::DecodeError;

    fn from_str(text: &str) -> Result<Self, ulid::DecodeError> {
        text.parse().map(Self)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of a job within its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId {
    /// The generation, counted from 0.
    pub generation: u32,
    /// The job's index in its generation, counted from 0.
    pub index: u64,
}

/// The key of a job: unique in the farm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobKey {
    /// The run.
    pub run: RunId,
    /// The job in it.
    pub job: JobId,
}

/// Writes RUN/GENERATION/INDEX.
impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.run, self.job.generation, self.job.index)
    }
}

/// Defines an id of 128 bits that is written as 32 lower-case hexadecimal digits.
macro_rules! hex_id {
    ($(#[$doc:meta])* $Id:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $Id(pub u128);

        impl $Id {
            /// Makes a new id.
            #[must_use]
            pub fn generate() -> Self {
                Self(Ulid::generate().0)
            }

            /// Reads an id from the wire; `None` unless `bytes` are 16.
            #[must_use]
            pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(|bytes| Self(u128::from_be_bytes(bytes)))
            }

            /// Returns the id as it is on the wire.
            #[must_use]
            pub fn to_bytes(self) -> [u8; 16] {
                self.0.to_be_bytes()
            }
        }

        impl FromStr for $Id {
            type Err = ParseIntError;

            fn from_str(text: &str) -> Result<Self, ParseIntError> {
                u128::from_str_radix(text, 16).map(Self)
            }
        }

        impl fmt::Display for $Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:032x}", self.0)
            }
        }

        impl fmt::Debug for $Id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

hex_id! {
    /// One life of a worker: each start of a worker has another.
    WorkerId
}

hex_id! {
    /// One life of a coordinator: unique in the farm, new at each start.
    CoordinatorId
}

hex_id! {
    /// A session of a worker with a coordinator: unique in the farm.
    SessionId
}

hex_id! {
    /// An attempt at a job: unique among the attempts at the job, and greater than earlier attempts
    /// at the same coordinator.
    AttemptId
}

hex_id! {
    /// Distinguishes two leads of a run with the same count.
    #[derive(Default)]
    FencingNonce
}

impl WorkerId {
    /// The worker of results in place of missing trials: no worker has this id.
    pub const NOBODY: Self = Self(0);
}

impl From<CoordinatorId> for WorkerId {
    /// Returns the coordinator as the worker of the jobs that it computes itself.
    fn from(coordinator: CoordinatorId) -> Self {
        Self(coordinator.0)
    }
}

impl AttemptId {
    /// Returns the id from which the attempts of a coordinator count.
    #[must_use]
    pub fn origin(coordinator: CoordinatorId) -> Self {
        Self(coordinator.0)
    }

    /// Returns the id after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

/// The token of a run's leader: the store takes writes only under the latest token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FencingToken {
    /// Raised by one by each lead.
    pub count: u64,
    /// Random, so that tokens differ although a count may be rolled back.
    pub nonce: FencingNonce,
}

impl fmt::Display for FencingToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.count, self.nonce)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_above_the_last_one_by_any_clock() {
        let last = RunId(Ulid::from_parts(1_000_000, u128::MAX));
        for (unix_ms, expected) in [
            (0, 1_000_001),
            (910_000, 1_000_001),
            (1_000_000, 1_000_001),
            (1_000_002, 1_000_002),
            (1_090_000, 1_090_000),
            (u64::MAX, MAX_ID_UNIX_MS),
        ] {
            let next = RunId::above(Some(last), unix_ms);
            assert!(last < next, "{next}");
            assert_eq!(next.0.timestamp_ms(), expected);
            assert_ne!(next, RunId::above(Some(last), unix_ms), "the rest is random");
        }
        assert_eq!(RunId::above(None, 0).0.timestamp_ms(), 0);
        let end = RunId(Ulid::from_parts(MAX_ID_UNIX_MS, 5));
        assert_eq!(RunId::above(Some(end), 0), RunId(Ulid(end.0.0 + 1)));
    }

    #[test]
    fn a_job_key_is_written_as_a_path() {
        let job = JobId { generation: 3, index: 1 << 40 };
        let key = JobKey { run: RunId(Ulid(7)), job };
        assert_eq!(key.to_string(), "00000000000000000000000007/3/1099511627776");
    }
}
