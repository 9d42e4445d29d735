//! The documents besides that of a run.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::Answer;
use super::run::Run;

/// The runs of a farm.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Runs {
    /// The latest runs, oldest first.
    pub(crate) runs: Vec<Run>,
}

impl Answer for Runs {
    const SCHEMA: &'static str = "hatchery.runs/1";
}

/// A run that was submitted.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Submitted {
    /// Its id, a ULID.
    pub(crate) run: String,
    /// False if the idempotency key stood for this run already.
    pub(crate) created: bool,
    /// The key under which the submission can be repeated.
    pub(crate) idempotency_key: String,
}

impl Answer for Submitted {
    const SCHEMA: &'static str = "hatchery.submitted/1";
}

/// A run that was deleted.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Deleted {
    /// Its id, a ULID.
    pub(crate) run: String,
}

impl Answer for Deleted {
    const SCHEMA: &'static str = "hatchery.deleted/1";
}

/// A line of `watch`: an event, or how the run is.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Watched {
    /// The event's number, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u64>,
    /// The event, as in `events.jsonl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<serde_json::Value>,
    /// How the run is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Run>,
}

impl Answer for Watched {
    const SCHEMA: &'static str = "hatchery.watch/1";
}

/// Jobs that nobody is handed because they keep failing.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Dead {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The jobs, lowest index first.
    pub(crate) jobs: Vec<DeadJob>,
}

impl Answer for Dead {
    const SCHEMA: &'static str = "hatchery.dead/1";
}

/// Jobs that are handed out again.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Retried {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// How many jobs.
    pub(crate) jobs: u64,
}

impl Answer for Retried {
    const SCHEMA: &'static str = "hatchery.retried/1";
}

/// What became of a verification.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Verified {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The experiment's name.
    pub(crate) experiment: String,
    /// The experiment's version.
    pub(crate) version: u32,
    /// The run's digest up to its last folded generation.
    pub(crate) digest: String,
    /// How many jobs left something to compare with.
    pub(crate) sampled_jobs: u64,
    /// How many of them were computed again.
    pub(crate) jobs: u64,
    /// How many trials these have.
    pub(crate) trials: u64,
    /// Chosen jobs whose trials are missing from the run, so that there is nothing to compare.
    pub(crate) missing_jobs: u64,
    /// Jobs that came out different.
    pub(crate) mismatches: Vec<Mismatch>,
}

impl Answer for Verified {
    const SCHEMA: &'static str = "hatchery.verified/1";
}

/// A job that nobody is handed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DeadJob {
    /// The generation.
    pub(crate) generation: u32,
    /// The job's index in it.
    pub(crate) index: u64,
    /// Its trials, for people.
    pub(crate) trials: String,
    /// The trial that failed last, as GENERATION/SUBJECT/TRIAL; only there if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trial: Option<String>,
    /// The command that plays that trial again; only there if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reproduce: Option<String>,
    /// What was tried, in order.
    pub(crate) attempts: Vec<DeadAttempt>,
}

/// An attempt at a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DeadAttempt {
    /// `error`, `lost` or `timeout`.
    pub(crate) kind: String,
    /// The worker's name.
    pub(crate) worker: String,
    /// What was reported.
    pub(crate) message: String,
    /// When, in milliseconds since 1970.
    pub(crate) unix_ms: u64,
}

/// A job that came out different.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Mismatch {
    /// The generation.
    pub(crate) generation: u32,
    /// The job's index in it.
    pub(crate) job: u64,
    /// What is different, for people.
    pub(crate) what: String,
    /// The incarnations of all workers that computed the generation: 32 hexadecimal digits each.
    pub(crate) workers: Vec<String>,
}
