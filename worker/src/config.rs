//! What a worker is.

use std::time::Duration;

use hatchery_core::Catalog;

/// How long a cancelled job may go on before its worker counts as stuck: much longer than a trial
/// takes that was not meant to be a long one.
pub const STUCK_GRACE: Duration = Duration::from_secs(30);

/// What a worker is.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    /// A name for people.
    pub name: String,
    /// How many trials run at the same time: 1 to `MAX_SLOTS`.
    pub slots: u32,
    /// What it can compute.
    pub catalog: Catalog,
    /// Where coordinators are, in words for the dialer; at least one.
    pub endpoints: Vec<String>,
    /// How long what runs may go on when the worker is to leave; also how long it waits for
    /// verdicts then.
    pub grace: Duration,
    /// How long a cancelled job may go on: [`STUCK_GRACE`].
    pub stuck_grace: Duration,
    /// What it does when a session ends that should not have.
    pub reconnect: ReconnectPolicy,
    /// How it runs jobs.
    pub execution: ExecutionMode,
    /// The seed of ids, orders and waits; no result depends on it.
    pub rng_seed: u64,
    /// Which of its results are wrong on purpose.
    #[cfg(feature = "faults")]
    pub fault: Option<FaultMode>,
}

/// The name of this machine: a worker's name, if nobody gives it a better one.
#[must_use]
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// What a worker does without a coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReconnectPolicy {
    /// It tries all coordinators, again and again.
    Always,
    /// It ends with its first session.
    Never,
}

/// How a worker runs jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutionMode {
    /// In a thread for each slot.
    Threads,
    /// In the worker's own task, without any thread, after the time that the job is said to take:
    /// for simulations of a farm in virtual time.
    Inline {
        /// How long a trial takes.
        per_trial: Duration,
    },
}

/// Which results are wrong, but plausible.
#[cfg(feature = "faults")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultMode {
    /// All.
    CorruptAll,
    /// All but the first so many.
    CorruptAfter(u64),
    /// Some, by chance: so many in a million.
    CorruptShare(u32),
    /// None, because all jobs fail.
    FailAll,
}
