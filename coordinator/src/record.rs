//! What the store holds of a run, as bytes: protobuf, so that a newer build can add fields.

use std::collections::BTreeMap;

use hatchery_core::{Measure, Work};
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
}

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
    /// The sum of both.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self {
            jobs: self.jobs + more.jobs,
            trials: self.trials + more.trials,
            cpu_ns: self.cpu_ns + more.cpu_ns,
            elapsed_ns: self.elapsed_ns + more.elapsed_ns,
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
}
