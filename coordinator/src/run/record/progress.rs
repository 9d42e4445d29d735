//! The progress of a run, as its leader reports it.

use hatchery_proto::v1;
use prost::Message;

/// The progress of a run: stored with its leader's claim, and announced by its coordinator every
/// second.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct LiveProgress {
    /// The generation.
    #[prost(uint32, tag = "1")]
    pub generation: u32,
    /// The number of trials in the generation.
    #[prost(uint64, tag = "2")]
    pub trials: u64,
    /// The number of trials done.
    #[prost(uint64, tag = "3")]
    pub trials_done: u64,
    /// The most generations that the run takes.
    #[prost(uint32, tag = "4")]
    pub generations: u32,
    /// The CPU time that the generation still needs, estimated from the results so far. While the
    /// run is active, it is at least [`LEAST_PENDING_MS`].
    #[prost(uint64, tag = "5")]
    pub pending_ms: u64,
    /// The number of jobs that are enqueued and unresolved, without dead jobs.
    #[prost(uint64, tag = "6")]
    pub jobs_open: u64,
    /// The number of dead jobs.
    #[prost(uint64, tag = "7")]
    pub jobs_parked: u64,
    /// The trials done over all generations.
    #[prost(uint64, tag = "8")]
    pub trials_total: u64,
    /// Their CPU time.
    #[prost(uint64, tag = "9")]
    pub cpu_ns_total: u64,
    /// The trials done per 1,000 seconds recently.
    #[prost(uint64, tag = "10")]
    pub trials_per_kilosecond: u64,
    /// The time that the run still needs: at least and at most; `None` while it is unknown.
    #[prost(message, optional, tag = "11")]
    pub time_left: Option<TimeLeftRange>,
    /// The leader's activity.
    #[prost(enumeration = "v1::GenerationPhase", tag = "12")]
    pub phase: i32,
}

/// An estimated range of the time that a run still needs, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct TimeLeftRange {
    /// The lower end.
    #[prost(uint64, tag = "1")]
    pub low_ms: u64,
    /// The upper end.
    #[prost(uint64, tag = "2")]
    pub high_ms: u64,
}

/// The least pending CPU time of an active run, in milliseconds. Before the first results the need
/// is unknown, and at least one worker must exist to produce results.
pub const LEAST_PENDING_MS: u64 = 1000;
