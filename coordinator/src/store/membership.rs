//! Membership of a farm: coordinators, leaders and quarantined workers.
//!
//! Presence and claims expire after [`PRESENCE_TTL`] unless they are renewed, and only decide how
//! soon things happen. Correctness is in the [`Store`](crate::store::Store), whose writes are
//! fenced.
//!
//! # Contract
//! `store::conformance` checks every point.
//!
//! 1. A run is *claimed* by one coordinator at a time, until it gives the run up or does not
//!    renew the claim for [`PRESENCE_TTL`].
//! 2. Announcements expire in the same way; each coordinator has one.
//! 3. A quarantine is durable, and so is the secret, which is generated once.
//! 4. Changes made by other processes are notified soon, but not reliably: receivers also poll.

use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::broadcast;

use super::error::StoreError;
use super::ids::{CoordinatorId, RunId, WorkerId};

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
}

/// The membership of a farm. See the [module](self) for the contract.
#[async_trait]
pub trait Membership {
    /// Claims a run for a coordinator, or renews its claim; returns whether it has the claim now.
    async fn claim(
        &self,
        run: RunId,
        coordinator: CoordinatorId,
        progress: &[u8],
    ) -> Result<bool, StoreError>;

    /// Gives the claim up, if the coordinator has it.
    async fn unclaim(&self, run: RunId, coordinator: CoordinatorId) -> Result<(), StoreError>;

    /// Returns the claim on a run.
    async fn claimed(&self, run: RunId) -> Result<Option<RunClaim>, StoreError>;

    /// Renews the presence of a coordinator, with its announcement.
    async fn announce(
        &self,
        coordinator: CoordinatorId,
        announcement: &[u8],
    ) -> Result<(), StoreError>;

    /// Ends the presence of a coordinator.
    async fn withdraw(&self, coordinator: CoordinatorId) -> Result<(), StoreError>;

    /// Returns the present coordinators with their announcements, by id.
    async fn announced(&self) -> Result<Vec<(CoordinatorId, Vec<u8>)>, StoreError>;

    /// Quarantines a worker for good. A repeated call keeps the first reason.
    async fn quarantine(&self, worker: WorkerId, reason: &str) -> Result<(), StoreError>;

    /// Returns the quarantined workers with the reasons, by id.
    async fn quarantined(&self) -> Result<Vec<(WorkerId, String)>, StoreError>;

    /// Returns the farm's secret, known only to the coordinators of this store: random, generated
    /// when it is first asked for. A store that has lost all its data gets the secret again that
    /// was last returned here, unless another process was faster: coordinators ask from time to
    /// time.
    async fn secret(&self) -> Result<[u8; 32], StoreError>;

    /// Returns the changes made by other processes from now on.
    fn changes(&self) -> broadcast::Receiver<StoreChange>;
}
