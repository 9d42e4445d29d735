//! Who works on the runs of a store: coordinators, leaders, and workers that are shut out.
//!
//! What a roster says of coordinators and leaders is about now: it is forgotten after
//! [`PRESENCE_TTL`] unless it is said again, and nothing depends on it but how soon things happen.
//! Correctness is in the [`Store`](crate::store::Store), whose writes are fenced.
//!
//! # Contract
//! `store::conformance` checks every point.
//!
//! 1. A run is *claimed* by one coordinator at a time, until it gives the run up or says nothing
//!    for [`PRESENCE_TTL`].
//! 2. The same goes for announcements; only that they are many, one for each coordinator.
//! 3. A quarantine is durable, and so is the secret, which is made once.
//! 4. Bells ring for what other processes change, soon and often, but not surely: whoever waits
//!    also looks now and then.

use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::broadcast;

use super::error::StoreError;
use super::ids::RunId;

/// How long a coordinator counts as present after it was heard of.
pub const PRESENCE_TTL: Duration = Duration::from_secs(6);

/// Who leads a run, and how it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunClaim {
    /// The coordinator's incarnation.
    pub coordinator: u128,
    /// How far the run is: bytes of the leader, for display.
    pub progress: Vec<u8>,
}

/// What another process changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreChange {
    /// A run has jobs that are READY.
    Ready(RunId),
    /// A run has new results, or parked jobs.
    Results(RunId),
    /// A run was made, or its state changed.
    State(RunId),
}

/// Who works on the runs. See the [module](self) for the contract.
#[async_trait]
pub trait Membership {
    /// Claims a run for a coordinator, or renews its claim; whether it has the claim now.
    async fn claim(
        &self,
        run: RunId,
        coordinator: u128,
        progress: &[u8],
    ) -> Result<bool, StoreError>;

    /// Gives the claim up, if the coordinator has it.
    async fn unclaim(&self, run: RunId, coordinator: u128) -> Result<(), StoreError>;

    /// The claim on a run.
    async fn claimed(&self, run: RunId) -> Result<Option<RunClaim>, StoreError>;

    /// Says that a coordinator is there, and what it says of itself.
    async fn announce(&self, coordinator: u128, announcement: &[u8]) -> Result<(), StoreError>;

    /// Says that it is gone.
    async fn withdraw(&self, coordinator: u128) -> Result<(), StoreError>;

    /// The coordinators that are there, with what they say of themselves, by incarnation.
    async fn announced(&self) -> Result<Vec<(u128, Vec<u8>)>, StoreError>;

    /// Shuts a worker out for good: its incarnation, and why. A worker that is out stays out for
    /// the reason given first.
    async fn quarantine(&self, worker: u128, reason: &str) -> Result<(), StoreError>;

    /// The workers that are shut out, by incarnation, with the reasons.
    async fn quarantined(&self) -> Result<Vec<(u128, String)>, StoreError>;

    /// The farm's secret, known to all coordinators of this store and to nobody else: random, made
    /// when it is first asked for.
    async fn secret(&self) -> Result<[u8; 32], StoreError>;

    /// What other processes change from now on.
    fn bells(&self) -> broadcast::Receiver<StoreChange>;
}
