//! The settings of a worker.

use std::time::Duration;

use hatchery_core::Catalog;
use hatchery_proto::WorkerProof;

/// The time after which a worker with a cancelled job counts as stuck: much longer than a trial
/// takes that was not meant to be a long one.
pub const STUCK_GRACE: Duration = Duration::from_secs(30);

/// The default of the most bytes of parts that a worker keeps: all that the trials of a series may
/// read fits.
pub const PART_CACHE_BYTES: usize = 512 << 20;

/// The settings of a worker.
#[derive(Clone, Debug)]
pub struct WorkerConfig {
    /// A name for people.
    pub name: String,
    /// The number of trials that run at the same time: 1 to `MAX_SLOTS`.
    pub slots: u32,
    /// The experiments that the worker can compute.
    pub catalog: Catalog,
    /// The coordinators' endpoints, as the dialer understands them; at least one.
    pub endpoints: Vec<String>,
    /// The time that running jobs, and the verdicts on their results, may take once the worker is
    /// to leave.
    pub grace: Duration,
    /// The time that a cancelled job may take to end: [`STUCK_GRACE`].
    pub stuck_grace: Duration,
    /// The most bytes of parts that are kept for the next jobs: [`PART_CACHE_BYTES`].
    pub part_cache_bytes: usize,
    /// The reaction to the loss of a session.
    pub reconnect: ReconnectPolicy,
    /// The way that jobs run.
    pub execution: ExecutionMode,
    /// The secret from which the worker's id is derived: random, and new at each start.
    pub proof: WorkerProof,
    /// The seed of orders and waits. No result depends on it.
    pub rng_seed: u64,
    /// The results that are wrong on purpose.
    #[cfg(feature = "faults")]
    pub fault: Option<FaultMode>,
    /// The trials that take longer than they compute.
    #[cfg(feature = "faults")]
    pub slowdown: Option<Slowdown>,
}

/// Returns the name of this machine, the default name of a worker.
#[must_use]
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The reaction of a worker to the loss of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReconnectPolicy {
    /// The worker tries all coordinators, again and again.
    Always,
    /// The worker ends with its first session.
    Never,
}

/// The way that a worker runs jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutionMode {
    /// In a pool with a thread for each slot.
    Threads,
    /// In the worker's own task, without any thread, and each after the time that it is meant to
    /// take: for simulations of a farm in virtual time.
    Inline {
        /// The time that a trial is meant to take.
        per_trial: Duration,
        /// The time that a long one is meant to take, which is a job of its own.
        per_long_trial: Duration,
    },
}

/// The trials that take longer than they compute, so that there is time for other faults while the
/// cores are free.
#[cfg(feature = "faults")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slowdown {
    /// The experiment whose trials they are.
    pub experiment: String,
    /// A trial takes this many times its CPU time; at least 1.
    pub factor: u32,
}

/// The results that are wrong on purpose, to test the coordinators' checks.
#[cfg(feature = "faults")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultMode {
    /// All results are wrong, but plausible.
    CorruptAll,
    /// All results are wrong except this number at the beginning.
    CorruptAfter(u64),
    /// Results are wrong by chance: this number in a million.
    CorruptShare(u32),
    /// All jobs fail.
    FailAll,
    /// All results are malformed.
    MalformAll,
}
