//! What the store holds of a run, as bytes: protobuf, so that a newer build can add fields.

use std::collections::BTreeMap;

use hatchery_core::{Measure, Work};
use hatchery_proto::v1;
use prost::Message;

use crate::cut::Cut;

/// The immutable description of a run.
#[derive(Clone, PartialEq, Message)]
pub struct RunRecord {
    /// The experiment's name.
    #[prost(string, tag = "1")]
    pub experiment: String,
    /// The experiment's version.
    #[prost(uint32, tag = "2")]
    pub version: u32,
    /// The spec's seed.
    #[prost(uint64, tag = "3")]
    pub seed: u64,
    /// The canonical parameters, as JSON.
    #[prost(string, tag = "4")]
    pub params: String,
    /// The spec as it was given.
    #[prost(string, tag = "5")]
    pub spec: String,
    /// A name for people.
    #[prost(string, tag = "6")]
    pub name: String,
    /// What happens when a job keeps failing: a `v1::OnDead`.
    #[prost(enumeration = "v1::OnDead", tag = "7")]
    pub on_dead: i32,
    /// The most trials of a generation that may be missing, in millionths of all.
    #[prost(uint32, tag = "8")]
    pub skip_ppm: u32,
    /// After how long without progress a job counts as hanging; 0 for the default.
    #[prost(uint64, tag = "9")]
    pub stall_ms: u64,
    /// Whose it is; empty if nobody said.
    #[prost(string, tag = "10")]
    pub user: String,
    /// What goes first: a `v1::Priority`.
    #[prost(enumeration = "v1::Priority", tag = "11")]
    pub priority: i32,
    /// The most jobs that are at workers at the same time; 0 for no limit.
    #[prost(uint32, tag = "12")]
    pub most_slots: u32,
}

/// All that a leader needs to go on with a run.
#[derive(Clone, PartialEq, Message)]
pub struct Checkpoint {
    /// The state that the current generation starts from, or the last one.
    #[prost(bytes = "vec", tag = "1")]
    pub state: Vec<u8>,
    /// The digest up to that state: 32 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub digest: Vec<u8>,
    /// The tallies of the current generation's folded jobs, by series.
    #[prost(btree_map = "uint32, bytes", tag = "3")]
    pub tallies: BTreeMap<u32, Vec<u8>>,
    /// What the current generation took so far.
    #[prost(message, required, tag = "4")]
    pub spent: Spent,
    /// What the run took, the current generation not included.
    #[prost(message, required, tag = "5")]
    pub total: Spent,
    /// The work of all folded generations.
    #[prost(message, repeated, tag = "6")]
    pub work: Vec<WorkCount>,
    /// Who computed the current generation so far, and what can be checked of it.
    #[prost(message, required, tag = "7")]
    pub origin: Origin,
}

/// Where a generation's results came from.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Origin {
    /// The incarnations of the workers: 16 bytes each, sorted.
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub workers: Vec<Vec<u8>>,
    /// The hashes of the outputs of jobs 0, `stride`, 2 `stride`, ...: at most [`MAX_SAMPLES`].
    #[prost(fixed64, repeated, tag = "2")]
    pub samples: Vec<u64>,
    /// How far sampled jobs are apart: a power of two; 0 before the first.
    #[prost(uint64, tag = "3")]
    pub stride: u64,
    /// Trials that are missing because their job kept failing.
    #[prost(uint64, tag = "4")]
    pub n_missing: u64,
}

/// The most sampled outputs of a generation.
pub const MAX_SAMPLES: usize = 4096;

/// What a generation or a run took.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct Spent {
    /// Jobs folded.
    #[prost(uint64, tag = "1")]
    pub jobs: u64,
    /// Trials folded.
    #[prost(uint64, tag = "2")]
    pub trials: u64,
    /// CPU time of the trials, over all workers.
    #[prost(uint64, tag = "3")]
    pub cpu_ns: u64,
    /// Time during which a leader was at it.
    #[prost(uint64, tag = "4")]
    pub elapsed_ns: u64,
}

impl Spent {
    /// The sum of both, or the most there is: a worker can claim any CPU time.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self {
            jobs: self.jobs.saturating_add(more.jobs),
            trials: self.trials.saturating_add(more.trials),
            cpu_ns: self.cpu_ns.saturating_add(more.cpu_ns),
            elapsed_ns: self.elapsed_ns.saturating_add(more.elapsed_ns),
        }
    }
}

/// A [`Work`] in the store.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct WorkCount {
    /// What is counted.
    #[prost(string, tag = "1")]
    pub unit: String,
    /// How many.
    #[prost(uint64, tag = "2")]
    pub count: u64,
}

impl From<Work> for WorkCount {
    fn from(Work { unit, count }: Work) -> Self {
        Self { unit, count }
    }
}

impl From<WorkCount> for Work {
    fn from(WorkCount { unit, count }: WorkCount) -> Self {
        Self { unit, count }
    }
}

/// How a generation is cut so far.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct CutTable {
    /// The job sizes, in order; each holds until the next.
    #[prost(message, repeated, tag = "1")]
    pub cuts: Vec<Cut>,
    /// The first trial that is in no job yet.
    #[prost(uint64, tag = "2")]
    pub next_trial: u64,
}

/// A folded generation.
#[derive(Clone, PartialEq, Message)]
pub struct GenerationRecord {
    /// Which, counted from 0.
    #[prost(uint32, tag = "1")]
    pub generation: u32,
    /// The hash of the blob that holds the state it started from: 32 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub state: Vec<u8>,
    /// The digest after it: 32 bytes.
    #[prost(bytes = "vec", tag = "3")]
    pub digest: Vec<u8>,
    /// What it took.
    #[prost(message, required, tag = "4")]
    pub spent: Spent,
    /// Its job sizes.
    #[prost(message, repeated, tag = "5")]
    pub cuts: Vec<Cut>,
    /// Its measures, as JSON.
    #[prost(string, tag = "6")]
    pub measures: String,
    /// Its work.
    #[prost(message, repeated, tag = "7")]
    pub work: Vec<WorkCount>,
    /// Where its results came from.
    #[prost(message, required, tag = "8")]
    pub origin: Origin,
}

impl GenerationRecord {
    /// The measures; none if they are not readable.
    #[must_use]
    pub fn measures(&self) -> Vec<Measure> {
        serde_json::from_str(&self.measures).unwrap_or_default()
    }
}

/// A job's output as the leader reads it: where its trials belong, and their tallies.
#[derive(Clone, PartialEq, Message)]
pub struct StoredOutput {
    /// The tallies, in plan order.
    #[prost(message, repeated, tag = "1")]
    pub parts: Vec<OutputPart>,
    /// How many of the job's trials are missing because it kept failing: all or none. Then `parts`
    /// have no tallies.
    #[prost(uint64, tag = "2")]
    pub n_missing: u64,
}

/// The tally of consecutive trials of one series.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct OutputPart {
    /// Which series.
    #[prost(uint32, tag = "1")]
    pub series: u32,
    /// How many trials.
    #[prost(uint32, tag = "2")]
    pub n_trials: u32,
    /// The tally.
    #[prost(bytes = "vec", tag = "3")]
    pub tally: Vec<u8>,
    /// The first trial.
    #[prost(uint32, tag = "4")]
    pub first_trial: u32,
}

/// An attempt at a job that did not resolve it.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Attempt {
    /// How it ended.
    #[prost(enumeration = "AttemptKind", tag = "1")]
    pub kind: i32,
    /// The worker's incarnation: 16 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub worker: Vec<u8>,
    /// The worker's name.
    #[prost(string, tag = "3")]
    pub name: String,
    /// What was reported: at most 4 KiB.
    #[prost(string, tag = "4")]
    pub message: String,
    /// The trial that failed, as `GENERATION/SUBJECT/TRIAL`; empty if it is not known.
    #[prost(string, tag = "5")]
    pub trial: String,
    /// When, in milliseconds since 1970.
    #[prost(uint64, tag = "6")]
    pub unix_ms: u64,
}

/// How an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum AttemptKind {
    /// A trial panicked, or the result was malformed.
    Error = 0,
    /// The worker was lost with the job running.
    Lost = 1,
    /// The job made no progress for too long.
    Timeout = 2,
}

/// What a coordinator says of itself to the others.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Announcement {
    /// Where workers and people reach it: a URL; empty if it listens nowhere.
    #[prost(string, tag = "1")]
    pub endpoint: String,
    /// Its workers.
    #[prost(message, repeated, tag = "2")]
    pub workers: Vec<AnnouncedWorker>,
    /// Its version.
    #[prost(string, tag = "3")]
    pub build: String,
    /// What runs have of its workers.
    #[prost(message, repeated, tag = "4")]
    pub runs: Vec<AnnouncedRun>,
}

/// A run, and what it has of a coordinator's workers.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct AnnouncedRun {
    /// The run's ULID: 16 bytes.
    #[prost(bytes = "vec", tag = "1")]
    pub run: Vec<u8>,
    /// Whose it is.
    #[prost(string, tag = "2")]
    pub user: String,
    /// What goes first.
    #[prost(enumeration = "v1::Priority", tag = "3")]
    pub priority: i32,
    /// Its jobs that are at workers.
    #[prost(uint32, tag = "4")]
    pub at_workers: u32,
    /// Its jobs that the coordinator holds for its next turn.
    #[prost(uint32, tag = "5")]
    pub waiting: u32,
}

/// A worker of a coordinator.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct AnnouncedWorker {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// How many trials it runs at the same time.
    #[prost(uint32, tag = "2")]
    pub slots: u32,
    /// The experiments that it may have jobs of, as `NAME@VERSION`.
    #[prost(string, repeated, tag = "3")]
    pub experiments: Vec<String>,
    /// Its incarnation: 16 bytes.
    #[prost(bytes = "vec", tag = "4")]
    pub incarnation: Vec<u8>,
    /// The jobs that it has.
    #[prost(uint32, tag = "5")]
    pub jobs: u32,
    /// Whether it gets no more.
    #[prost(bool, tag = "6")]
    pub draining: bool,
}

/// How far a run is: what its leader says with its claim.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct LiveProgress {
    /// The generation.
    #[prost(uint32, tag = "1")]
    pub generation: u32,
    /// Its trials.
    #[prost(uint64, tag = "2")]
    pub trials: u64,
    /// How many of them are done.
    #[prost(uint64, tag = "3")]
    pub trials_done: u64,
    /// The most generations that the run takes.
    #[prost(uint32, tag = "4")]
    pub generations: u32,
    /// The CPU time that the generation still needs, by the pace so far; at least
    /// [`LEAST_PENDING_MS`] while the run goes on.
    #[prost(uint64, tag = "5")]
    pub pending_ms: u64,
    /// Its jobs that are enqueued and not resolved, parked ones not included.
    #[prost(uint64, tag = "6")]
    pub jobs_open: u64,
    /// Its jobs that are parked.
    #[prost(uint64, tag = "7")]
    pub jobs_parked: u64,
}

/// What a run that goes on needs at least, in milliseconds of CPU time: what it needs is not known
/// before its first results, and somebody has to bring them.
pub const LEAST_PENDING_MS: u64 = 1000;
