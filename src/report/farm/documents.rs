//! Documents of single verbs.

use hatchery_core::scene::Scene;
use schemars::JsonSchema;
use serde::Serialize;

use super::document::JsonDocument;
use super::run::RunDocument;

/// The runs of a farm.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct RunListDocument {
    /// A page of runs, in the order asked for.
    pub(crate) runs: Vec<RunDocument>,
    /// The cursor of the next page, for `--after`; only present if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

impl JsonDocument for RunListDocument {
    const SCHEMA: &'static str = "hatchery.runs/1";
}

/// A submitted run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SubmittedDocument {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// False if the run existed before: with the same idempotency key, or as a reused run.
    pub(crate) created: bool,
    /// The idempotency key, under which the submission can be repeated.
    pub(crate) idempotency_key: String,
}

impl JsonDocument for SubmittedDocument {
    const SCHEMA: &'static str = "hatchery.submitted/1";
}

/// A submitted sweep.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SubmittedSweepDocument {
    /// The sweep's name, which selects all of its runs.
    pub(crate) sweep: String,
    /// The idempotency key, under which the submission can be repeated.
    pub(crate) idempotency_key: String,
    /// The runs, in the order of their points.
    pub(crate) runs: Vec<SubmittedPoint>,
}

/// A submitted run of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SubmittedPoint {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The name of its point, such as `seed=1,population=50`.
    pub(crate) point: String,
    /// False if the run existed before: with the same idempotency key, or as a reused run.
    pub(crate) created: bool,
}

impl JsonDocument for SubmittedSweepDocument {
    const SCHEMA: &'static str = "hatchery.submitted-sweep/1";
}

/// A deleted run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct DeletedDocument {
    /// The run's id, a ULID.
    pub(crate) run: String,
}

impl JsonDocument for DeletedDocument {
    const SCHEMA: &'static str = "hatchery.deleted/1";
}

/// A line of `watch`: an event or a status.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct WatchDocument {
    /// The event's number, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) number: Option<u64>,
    /// The event, as in `events.jsonl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<serde_json::Value>,
    /// The run's current status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<RunDocument>,
}

impl JsonDocument for WatchDocument {
    const SCHEMA: &'static str = "hatchery.watch/1";
}

/// The dead jobs of a run: they failed repeatedly and are not assigned any more.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct DeadJobsDocument {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The jobs, lowest index first.
    pub(crate) jobs: Vec<DeadJob>,
}

impl JsonDocument for DeadJobsDocument {
    const SCHEMA: &'static str = "hatchery.dead/1";
}

/// Dead jobs that were returned to the queue.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct RetriedDocument {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The number of jobs.
    pub(crate) jobs: u64,
}

impl JsonDocument for RetriedDocument {
    const SCHEMA: &'static str = "hatchery.retried/1";
}

/// The result of a verification.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct VerifiedDocument {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The experiment's name.
    pub(crate) experiment: String,
    /// The experiment's version.
    pub(crate) version: u32,
    /// The run's digest up to its last folded generation.
    pub(crate) digest: String,
    /// The number of jobs that left a hash to compare with, and whose generation's state is kept.
    pub(crate) jobs: u64,
    /// The number of further jobs that left a hash: the states of their generations are not kept
    /// any more, so they cannot be recomputed.
    pub(crate) unkept_jobs: u64,
    /// The number of jobs that were sampled and recomputed.
    pub(crate) sampled_jobs: u64,
    /// The number of trials in the recomputed jobs.
    pub(crate) trials: u64,
    /// The number of chosen jobs whose trials are missing from the run, so that there is nothing to
    /// compare.
    pub(crate) missing_jobs: u64,
    /// The jobs with another result.
    pub(crate) mismatches: Vec<JobMismatch>,
}

impl JsonDocument for VerifiedDocument {
    const SCHEMA: &'static str = "hatchery.verified/2";
}

/// A trial as a scene.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SceneDocument {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The experiment's name.
    pub(crate) experiment: String,
    /// The experiment's version.
    pub(crate) version: u32,
    /// The trial, as GENERATION/SUBJECT/TRIAL.
    pub(crate) trial: String,
    /// The scene: at most 10,000 frames and 4 MiB.
    pub(crate) scene: Scene,
}

impl JsonDocument for SceneDocument {
    const SCHEMA: &'static str = "hatchery.scene/1";
}

/// A dead job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DeadJob {
    /// The generation.
    pub(crate) generation: u32,
    /// The job's index in the generation.
    pub(crate) index: u64,
    /// The job's trials, for people.
    pub(crate) trials: String,
    /// The trial that failed last, as GENERATION/SUBJECT/TRIAL; only present if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trial: Option<String>,
    /// The command that replays that trial; only present if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reproduce: Option<String>,
    /// The attempts, in order.
    pub(crate) attempts: Vec<DeadAttempt>,
}

/// A failed attempt at a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DeadAttempt {
    /// `error`, `lost` or `timeout`.
    pub(crate) kind: String,
    /// The worker's name.
    pub(crate) worker: String,
    /// The reported error.
    pub(crate) message: String,
    /// The time of the attempt, in milliseconds since 1970.
    pub(crate) unix_ms: u64,
}

/// A job with another result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct JobMismatch {
    /// The generation.
    pub(crate) generation: u32,
    /// The job's index in the generation.
    pub(crate) job: u64,
    /// The difference, for people.
    pub(crate) what: String,
    /// The incarnations of the workers that computed the generation: 32 hexadecimal digits each.
    pub(crate) workers: Vec<String>,
}
