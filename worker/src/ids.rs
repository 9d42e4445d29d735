//! The identities that a worker handles, each with its form on the wire and for people.

use std::fmt;

use hatchery_proto::TICKET_BYTES;
use hatchery_proto::v1::JobRef;
use ulid::Ulid;

/// A run's id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RunId([u8; 16]);

impl RunId {
    /// Reads an id of 16 bytes; `None` if there are more or fewer.
    pub(crate) fn from_wire(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Returns the id's bytes.
    pub(crate) fn to_wire(self) -> Vec<u8> {
        self.0.to_vec()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ulid::from_bytes(self.0).fmt(f)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A job's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JobKey {
    pub(crate) run: RunId,
    pub(crate) generation: u32,
    /// The job's index in its generation.
    pub(crate) index: u64,
}

impl JobKey {
    /// Reads the address in `job_ref`; `None` if it is missing or names no run.
    pub(crate) fn from_wire(job_ref: Option<&JobRef>) -> Option<Self> {
        let JobRef { run, generation, index } = job_ref?;
        Some(Self { run: RunId::from_wire(run)?, generation: *generation, index: *index })
    }

    /// Returns the address as messages carry it.
    pub(crate) fn to_wire(self) -> JobRef {
        JobRef { run: self.run.to_wire(), generation: self.generation, index: self.index }
    }
}

/// RUN/GENERATION/INDEX.
impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.run, self.generation, self.index)
    }
}

/// The coordinator's mark on an assignment. The worker returns it with the result, unread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(Vec<u8>);

impl Ticket {
    /// The ticket of these bytes, cut off at the longest that a ticket can be.
    pub(crate) fn from_wire(mut bytes: Vec<u8>) -> Self {
        bytes.truncate(TICKET_BYTES);
        Self(bytes)
    }

    /// Returns the ticket's bytes.
    pub(crate) fn to_wire(&self) -> Vec<u8> {
        self.0.clone()
    }
}
