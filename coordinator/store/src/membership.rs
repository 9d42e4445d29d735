//! Membership of a farm: coordinators, leaders and quarantined workers.
//!
//! Presence and claims expire after [`PRESENCE_TTL`] unless they are renewed, and only decide how
//! soon things happen. Correctness is in the [`Store`](crate::Store), whose writes are
//! fenced.
//!
//! # Contract
//! `conformance` checks every point.
//!
//! 1. A run is *claimed* by one coordinator at a time, until it gives the run up or does not
//!    renew the claim for [`PRESENCE_TTL`].
//! 2. Announcements expire in the same way; each coordinator has one.
//! 3. A quarantine is durable, and so is the secret, which is generated once.
//! 4. Changes made by other processes are notified soon, but not reliably: receivers also poll.

use std::time::Duration;

use super::ids::{CoordinatorId, RunId};

/// The time that presence and claims last after they were renewed.
pub const PRESENCE_TTL: Duration = Duration::from_secs(6);

/// A claim on a run, with its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunClaim {
    /// The coordinator's id.
    pub coordinator: CoordinatorId,
    /// The progress of the run: opaque bytes of its leader, for display.
    pub progress: Vec<u8>,
}

/// A change made by another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreChange {
    /// A run has jobs that are READY.
    Ready(RunId),
    /// A run has new results or dead jobs.
    Results(RunId),
    /// A run was created, or its state changed.
    State(RunId),
    /// Changes were missed: any run may have changed.
    Missed,
}
