//! The records that the store holds of a run, as protobuf so that a newer build can add fields.

mod announcement;
mod cost;
mod progress;

use std::collections::BTreeMap;

use hatchery_core::{Digest, GenerationMeasures, Measure, PartMessage};
use hatchery_proto::v1;
use hatchery_store::RunId;
use prost::Message;

use super::cutter::Cut;
use super::state_thinning::KeptState;

pub(crate) use announcement::MAX_LOSSES;
pub use announcement::{
    AnnouncedLead, AnnouncedRun, AnnouncedWorker, CoordinatorAnnouncement, LostCoordinator,
    LostWorker,
};
pub use cost::{CostTotals, WorkCount};
pub use progress::{LEAST_PENDING_MS, LiveProgress, TimeLeftRange};

/// Returns an experiment as workers announce it: `NAME@VERSION`.
pub(crate) fn experiment_label(name: &str, version: u32) -> String {
    format!("{name}@{version}")
}

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
    /// The spec text as submitted.
    #[prost(string, tag = "5")]
    pub spec: String,
    /// The name shown to people.
    #[prost(string, tag = "6")]
    pub name: String,
    /// The reaction to a dead job: a `v1::OnDead`.
    #[prost(enumeration = "v1::OnDead", tag = "7")]
    pub on_dead: i32,
    /// The most missing trials in a generation, in millionths of the generation's trials.
    #[prost(uint32, tag = "8")]
    pub skip_ppm: u32,
    /// Time without progress after which a job counts as hanging; 0 for the default.
    #[prost(uint64, tag = "9")]
    pub stall_ms: u64,
    /// The owner of the run; empty if not given.
    #[prost(string, tag = "10")]
    pub user: String,
    /// The priority class: a `v1::Priority`.
    #[prost(enumeration = "v1::Priority", tag = "11")]
    pub priority: i32,
    /// The most slots that the run uses at the same time; 0 for no limit.
    #[prost(uint32, tag = "12")]
    pub most_slots: u32,
    /// The time of the run's creation, in milliseconds since 1970; 0 in records of earlier
    /// versions.
    #[prost(uint64, tag = "13")]
    pub created_unix_ms: u64,
}

impl RunRecord {
    /// Returns the run's experiment as workers announce it: `NAME@VERSION`.
    #[must_use]
    pub fn label(&self) -> String {
        experiment_label(&self.experiment, self.version)
    }

    /// Returns the time at which `run`, which has this record, was created, in milliseconds since
    /// 1970. Before records had it, it was the time of the id.
    #[must_use]
    pub fn created_at(&self, run: RunId) -> u64 {
        match self.created_unix_ms {
            0 => run.0.timestamp_ms(),
            unix_ms => unix_ms,
        }
    }

    /// Returns whether `n_missing` of `n_trials` trials exceeds the share that the run tolerates.
    pub(crate) fn exceeds_missing(&self, n_trials: u64, n_missing: u64) -> bool {
        u128::from(n_trials) * u128::from(self.skip_ppm) < u128::from(n_missing) * 1_000_000
    }
}

/// Everything that a leader needs to continue a run.
#[derive(Clone, PartialEq, Message)]
pub struct Checkpoint {
    /// The state that the current generation starts from, or the last state. Only records of
    /// earlier versions have it; now `state_parts` name the state.
    #[prost(bytes = "vec", tag = "1")]
    pub state: Vec<u8>,
    /// The digest up to that state: 32 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub digest: Vec<u8>,
    /// The tallies of the current generation's folded jobs, by series, if they are small.
    #[prost(btree_map = "uint32, bytes", tag = "3")]
    pub tallies: BTreeMap<u32, Vec<u8>>,
    /// The cost of the current generation so far.
    #[prost(message, required, tag = "4")]
    pub spent: CostTotals,
    /// The cost of the run without the current generation.
    #[prost(message, required, tag = "5")]
    pub total: CostTotals,
    /// The work of the folded generations.
    #[prost(message, repeated, tag = "6")]
    pub work: Vec<WorkCount>,
    /// The origin of the current generation's results so far.
    #[prost(message, required, tag = "7")]
    pub origin: ResultOrigin,
    /// The parts of the state, in order.
    #[prost(message, repeated, tag = "8")]
    pub state_parts: Vec<PartMessage>,
    /// The parts of an encoded [`TallyMap`] with the tallies, if they are large.
    #[prost(message, repeated, tag = "9")]
    pub tally_parts: Vec<PartMessage>,
    /// The states of past generations that are kept, in order.
    #[prost(message, repeated, tag = "10")]
    pub kept: Vec<KeptState>,
}

/// Tallies by series.
#[derive(Clone, PartialEq, Message)]
pub struct TallyMap {
    /// The tallies.
    #[prost(btree_map = "uint32, bytes", tag = "1")]
    pub tallies: BTreeMap<u32, Vec<u8>>,
}

/// The origin of a generation's results: their workers, and samples to check them by.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ResultOrigin {
    /// The ids of the workers: 16 bytes each, sorted.
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub workers: Vec<Vec<u8>>,
    /// The hashes of the outputs of jobs 0, `stride`, 2 `stride`, ...: at most [`MAX_SAMPLES`].
    #[prost(fixed64, repeated, tag = "2")]
    pub samples: Vec<u64>,
    /// The distance between sampled jobs: a power of two; 0 before the first.
    #[prost(uint64, tag = "3")]
    pub stride: u64,
    /// Trials that are missing because their job is dead.
    #[prost(uint64, tag = "4")]
    pub n_missing: u64,
}

/// Returns the hashes of parts, in order, without malformed hashes.
#[must_use]
pub fn hashes(parts: &[PartMessage]) -> Vec<Digest> {
    parts.iter().filter_map(|part| Digest::from_bytes(&part.hash)).collect()
}

/// The most sampled outputs of a generation.
pub const MAX_SAMPLES: usize = 4096;

/// The cuts of a generation so far.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct CutTable {
    /// The job sizes, in order; each size holds until the next.
    #[prost(message, repeated, tag = "1")]
    pub cuts: Vec<Cut>,
    /// The first trial that is not in a job yet.
    #[prost(uint64, tag = "2")]
    pub next_trial: u64,
}

/// A folded generation.
#[derive(Clone, PartialEq, Message)]
pub struct GenerationRecord {
    /// Its number, counted from 0.
    #[prost(uint32, tag = "1")]
    pub generation: u32,
    /// The hash of the state that the generation started from, 32 bytes. Only records of earlier
    /// versions have it; now `state_parts` name the state.
    #[prost(bytes = "vec", tag = "2")]
    pub state: Vec<u8>,
    /// The digest after it: 32 bytes.
    #[prost(bytes = "vec", tag = "3")]
    pub digest: Vec<u8>,
    /// Its cost.
    #[prost(message, required, tag = "4")]
    pub spent: CostTotals,
    /// Its job sizes.
    #[prost(message, repeated, tag = "5")]
    pub cuts: Vec<Cut>,
    /// Its measures, as JSON.
    #[prost(string, tag = "6")]
    pub measures: String,
    /// Its work.
    #[prost(message, repeated, tag = "7")]
    pub work: Vec<WorkCount>,
    /// The origin of its results.
    #[prost(message, required, tag = "8")]
    pub origin: ResultOrigin,
    /// The parts of the state that it started from, in order.
    #[prost(message, repeated, tag = "9")]
    pub state_parts: Vec<PartMessage>,
}

impl GenerationRecord {
    /// Returns the hashes of the parts of the state that the generation started from, in order.
    #[must_use]
    pub fn state_hashes(&self) -> Vec<Digest> {
        match self.state_parts.is_empty() {
            true => Digest::from_bytes(&self.state).into_iter().collect(),
            false => hashes(&self.state_parts),
        }
    }

    /// Returns the measures; empty if they cannot be decoded.
    #[must_use]
    pub fn measures(&self) -> Vec<Measure> {
        serde_json::from_str(&self.measures).unwrap_or_default()
    }

    /// Returns the measures with their generation: a part of the run's history.
    #[must_use]
    pub fn generation_measures(&self) -> GenerationMeasures {
        GenerationMeasures { generation: self.generation, measures: self.measures() }
    }
}

/// A job's output as the leader reads it: its tallies, and the trials of each tally.
#[derive(Clone, PartialEq, Message)]
pub struct StoredOutput {
    /// The tallies, in plan order.
    #[prost(message, repeated, tag = "1")]
    pub parts: Vec<OutputPart>,
    /// The number of trials that are missing because the job is dead: all trials of the job, or
    /// none. If trials are missing, `parts` have no tallies.
    #[prost(uint64, tag = "2")]
    pub n_missing: u64,
    /// The parts of an encoded large output. If there are any, all other fields are empty.
    #[prost(message, repeated, tag = "3")]
    pub large: Vec<PartMessage>,
}

impl StoredOutput {
    /// Returns the parts of a large output; `None` if `bytes` encode a small output.
    pub(crate) fn large_of(bytes: &[u8]) -> Option<Vec<PartMessage>> {
        // The key of `large`, which nothing else precedes: most outputs need not be decoded.
        const LARGE: u8 = 3 << 3 | 2;
        let is_large = bytes.first() == Some(&LARGE);
        is_large.then(|| Self::decode(bytes).ok().map(|output| output.large)).flatten()
    }
}

/// The tally of consecutive trials in one series.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct OutputPart {
    /// The series.
    #[prost(uint32, tag = "1")]
    pub series: u32,
    /// The number of trials.
    #[prost(uint32, tag = "2")]
    pub n_trials: u32,
    /// The tally.
    #[prost(bytes = "vec", tag = "3")]
    pub tally: Vec<u8>,
    /// The first trial.
    #[prost(uint32, tag = "4")]
    pub first_trial: u32,
}

/// A failed attempt at a job.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct FailedAttempt {
    /// The kind of failure.
    #[prost(enumeration = "AttemptKind", tag = "1")]
    pub kind: i32,
    /// The worker's id: 16 bytes.
    #[prost(bytes = "vec", tag = "2")]
    pub worker: Vec<u8>,
    /// The worker's name.
    #[prost(string, tag = "3")]
    pub name: String,
    /// The reported error: at most 4 KiB.
    #[prost(string, tag = "4")]
    pub message: String,
    /// The trial that failed, as `GENERATION/SUBJECT/TRIAL`; empty if it is not known.
    #[prost(string, tag = "5")]
    pub trial: String,
    /// The time, in milliseconds since 1970.
    #[prost(uint64, tag = "6")]
    pub unix_ms: u64,
    /// Whether the trials of the job together return too much to be sent.
    #[prost(bool, tag = "7")]
    pub too_large: bool,
}

/// The kind of a failed attempt.
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
