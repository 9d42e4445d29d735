//! The announcement of a coordinator, which the other coordinators read.

use hatchery_proto::v1;
use prost::Message;

use super::progress::LiveProgress;

/// A coordinator's description of itself, which the other coordinators read.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct CoordinatorAnnouncement {
    /// The URL at which workers and clients reach it; empty if it does not listen.
    #[prost(string, tag = "1")]
    pub endpoint: String,
    /// Its workers.
    #[prost(message, repeated, tag = "2")]
    pub workers: Vec<AnnouncedWorker>,
    /// Its version.
    #[prost(string, tag = "3")]
    pub build: String,
    /// The use that each run makes of the coordinator's workers.
    #[prost(message, repeated, tag = "4")]
    pub runs: Vec<AnnouncedRun>,
    /// The runs that it leads.
    #[prost(message, repeated, tag = "5")]
    pub led: Vec<AnnouncedLead>,
    /// True if the coordinator is about to end, so that the other coordinators do not count it as
    /// lost.
    #[prost(bool, tag = "6")]
    pub leaving: bool,
    /// The workers that the farm lost recently, as far as this coordinator has noticed.
    #[prost(message, repeated, tag = "7")]
    pub lost_workers: Vec<LostWorker>,
    /// The coordinators that the farm lost recently, as far as this coordinator has noticed.
    #[prost(message, repeated, tag = "8")]
    pub lost_coordinators: Vec<LostCoordinator>,
}

/// A run that a coordinator leads.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct AnnouncedLead {
    /// The run's ULID: 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub run: Vec<u8>,
    /// Its progress.
    #[prost(message, optional, tag = "2")]
    pub progress: Option<LiveProgress>,
}

/// A run's use of a coordinator's workers.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct AnnouncedRun {
    /// The run's ULID: 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub run: Vec<u8>,
    /// The owner of the run.
    #[prost(string, tag = "2")]
    pub user: String,
    /// The priority class.
    #[prost(enumeration = "v1::Priority", tag = "3")]
    pub priority: i32,
    /// Its jobs held by workers.
    #[prost(uint32, tag = "4")]
    pub at_workers: u32,
    /// Its jobs that the coordinator has leased and not handed out.
    #[prost(uint32, tag = "5")]
    pub waiting: u32,
    /// The slots that its jobs may use at workers, if it has a limit.
    #[prost(uint32, tag = "7")]
    pub slots: u32,
    /// The run's trials in progress at workers that report their progress, in millionths of a
    /// trial. Each trial counts by the share that is done.
    #[prost(uint64, tag = "6")]
    pub in_progress_ppm: u64,
    /// True if all workers here have failed a job that workers of other coordinators have not
    /// tried: then other coordinators come first where the run's limit on slots is divided.
    #[prost(bool, tag = "8")]
    pub yields: bool,
}

/// A worker of a coordinator.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct AnnouncedWorker {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The number of trials that it runs at the same time.
    #[prost(uint32, tag = "2")]
    pub slots: u32,
    /// The experiments whose jobs it may get, as `NAME@VERSION`.
    #[prost(string, repeated, tag = "3")]
    pub experiments: Vec<String>,
    /// Its id: 16 bytes.
    #[prost(bytes = "vec", tag = "4")]
    pub incarnation: Vec<u8>,
    /// The number of jobs that it holds.
    #[prost(uint32, tag = "5")]
    pub jobs: u32,
    /// True if the worker is being drained, so that it gets no more jobs.
    #[prost(bool, tag = "6")]
    pub draining: bool,
    /// The milliseconds for which the worker gets no jobs because it failed jobs that other workers
    /// completed; 0 if the worker is not paused.
    #[prost(uint64, tag = "7")]
    pub paused_ms: u64,
    /// The number of slots that its jobs use.
    #[prost(uint32, tag = "8")]
    pub busy_slots: u32,
    /// The trials that it did per 1,000 seconds recently.
    #[prost(uint64, tag = "9")]
    pub trials_per_kilosecond: u64,
    /// The milliseconds since its last message.
    #[prost(uint64, tag = "10")]
    pub heard_ms: u64,
    /// The milliseconds since it joined this coordinator.
    #[prost(uint64, tag = "11")]
    pub joined_ms: u64,
    /// The address that it connects from; empty if that is not known.
    #[prost(string, tag = "12")]
    pub host: String,
    /// Its version.
    #[prost(string, tag = "13")]
    pub build: String,
    /// True if it has had no job, and has asked for none, for a while. Earlier releases do not say
    /// this of their workers.
    #[prost(bool, tag = "14")]
    pub takes_no_jobs: bool,
}

/// The most lost workers, and the most lost coordinators, that a coordinator announces: people read
/// the list, and every announcement includes it.
pub(crate) const MAX_LOSSES: usize = 100;

/// A worker that was lost.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct LostWorker {
    /// The worker, as it was last announced.
    #[prost(message, optional, tag = "1")]
    pub worker: Option<AnnouncedWorker>,
    /// The URL of its coordinator.
    #[prost(string, tag = "2")]
    pub coordinator: String,
    /// The milliseconds since it was lost.
    #[prost(uint64, tag = "3")]
    pub lost_ms: u64,
}

/// A coordinator that was lost.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct LostCoordinator {
    /// Its id: 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub incarnation: Vec<u8>,
    /// The URL at which it was reached.
    #[prost(string, tag = "2")]
    pub endpoint: String,
    /// Its version.
    #[prost(string, tag = "3")]
    pub build: String,
    /// The milliseconds since it was lost.
    #[prost(uint64, tag = "4")]
    pub lost_ms: u64,
}
