//! Documents about scheduling and workers.

use hatchery_proto::v1;
use schemars::JsonSchema;
use serde::Serialize;

use super::document::JsonDocument;
use super::run::RunDocument;
use crate::terminal::{escape_controls, escape_line};

/// The reasons why a run is not progressing.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ExplainedDocument {
    /// The run's status; only present if the farm's store answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<RunDocument>,
    /// The number of the run's jobs that coordinators hold for its next turn.
    pub(crate) waiting: u32,
    /// The reasons, the most important first.
    pub(crate) reasons: Vec<ExplainReason>,
}

impl JsonDocument for ExplainedDocument {
    const SCHEMA: &'static str = "hatchery.explained/1";
}

/// A reason why a run is not progressing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ExplainReason {
    /// The kind of reason.
    pub(crate) kind: ExplainReasonKind,
    /// The reason, for people.
    pub(crate) text: String,
    /// A remedy, for people; only present if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
}

/// A kind of reason why a run is not progressing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExplainReasonKind {
    /// The run is done, failed or cancelled.
    Ended,
    /// A person or a dead job paused the run.
    Paused,
    /// The farm's store does not answer.
    Store,
    /// No connected worker can compute the run.
    NoWorker,
    /// No coordinator leads the run.
    NoLeader,
    /// The run has dead jobs.
    DeadJobs,
    /// The run uses its limit of slots.
    Cap,
    /// Runs of a higher priority go first.
    Priority,
    /// The run shares the farm with others of its priority.
    Share,
    /// The leader folds or plans a generation.
    Leading,
    /// The run's jobs are being computed: nothing is wrong.
    Running,
    /// Workers are paused or quarantined, because they fail jobs or report wrong results.
    BadWorkers,
    /// The run waits in the queue for a leader: others go first.
    Queued,
    /// A reason that this build does not know.
    Unknown,
}

impl From<v1::RunExplanation> for ExplainedDocument {
    fn from(explanation: v1::RunExplanation) -> Self {
        let reasons = explanation.reasons.into_iter().map(|reason| ExplainReason {
            kind: match reason.kind() {
                v1::ReasonKind::Unspecified => ExplainReasonKind::Unknown,
                v1::ReasonKind::Ended => ExplainReasonKind::Ended,
                v1::ReasonKind::Paused => ExplainReasonKind::Paused,
                v1::ReasonKind::Store => ExplainReasonKind::Store,
                v1::ReasonKind::NoWorker => ExplainReasonKind::NoWorker,
                v1::ReasonKind::NoLeader => ExplainReasonKind::NoLeader,
                v1::ReasonKind::DeadJobs => ExplainReasonKind::DeadJobs,
                v1::ReasonKind::Cap => ExplainReasonKind::Cap,
                v1::ReasonKind::Priority => ExplainReasonKind::Priority,
                v1::ReasonKind::Share => ExplainReasonKind::Share,
                v1::ReasonKind::Leading => ExplainReasonKind::Leading,
                v1::ReasonKind::Running => ExplainReasonKind::Running,
                v1::ReasonKind::BadWorkers => ExplainReasonKind::BadWorkers,
                v1::ReasonKind::Queued => ExplainReasonKind::Queued,
            },
            help: Some(escape_controls(&reason.help)).filter(|help| !help.is_empty()),
            text: escape_controls(&reason.text),
        });
        let (status, waiting) = (explanation.status.map(RunDocument::from), explanation.waiting);
        Self { status, waiting, reasons: reasons.collect() }
    }
}

/// The workers and coordinators of a farm.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct WorkersDocument {
    /// The connected workers.
    pub(crate) workers: Vec<WorkerEntry>,
    /// The quarantined workers.
    pub(crate) shut_out: Vec<QuarantinedWorker>,
    /// The workers that were lost within the last hour, the latest first; at most 100.
    pub(crate) lost_workers: Vec<WorkerEntry>,
    /// The coordinators that answer.
    pub(crate) coordinators: Vec<CoordinatorEntry>,
    /// The coordinators that were lost within the last hour, the latest first; at most 100.
    pub(crate) lost_coordinators: Vec<CoordinatorEntry>,
    /// The experiments of the coordinator that answered, as `NAME@VERSION`; none if it is of an
    /// earlier release.
    pub(crate) experiments: Vec<String>,
}

impl JsonDocument for WorkersDocument {
    const SCHEMA: &'static str = "hatchery.workers/1";
}

/// A worker of a farm.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct WorkerEntry {
    /// The worker's id, new at each start: 32 hexadecimal digits.
    pub(crate) worker: String,
    /// The worker's name, for people.
    pub(crate) name: String,
    /// The number of trials that the worker runs at the same time.
    pub(crate) slots: u32,
    /// The number of jobs at the worker, running and waiting.
    pub(crate) jobs: u32,
    /// The worker's state.
    pub(crate) state: ReportedWorkerState,
    /// The experiments whose jobs the worker may be assigned, as `NAME@VERSION`.
    pub(crate) experiments: Vec<String>,
    /// The address of the worker's coordinator; empty if that does not listen.
    pub(crate) coordinator: String,
    /// The rest of the worker's pause in milliseconds, some seconds ago; 0 if it is not paused.
    pub(crate) paused_ms: u64,
    /// The number of slots that the worker's jobs use.
    pub(crate) busy_slots: u32,
    /// The trials per second that the worker did recently.
    pub(crate) trials_per_s: f64,
    /// The milliseconds since the worker's last message.
    pub(crate) heard_ms: u64,
    /// The milliseconds since the worker joined its coordinator.
    pub(crate) joined_ms: u64,
    /// The address that the worker connects from; empty if it is not known.
    pub(crate) host: String,
    /// The worker's version; empty if it is not known.
    pub(crate) version: String,
    /// The milliseconds since the worker was lost; only present if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lost_ms: Option<u64>,
}

/// A coordinator of a farm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CoordinatorEntry {
    /// The coordinator's address; empty if it does not listen.
    pub(crate) coordinator: String,
    /// The coordinator's version.
    pub(crate) version: String,
    /// The number of workers that are connected to it.
    pub(crate) workers: u32,
    /// The number of runs that it leads.
    pub(crate) runs: u32,
    /// The milliseconds since the coordinator was lost; only present if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lost_ms: Option<u64>,
}

/// The state of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReportedWorkerState {
    /// The worker has no job.
    Idle,
    /// The worker has jobs.
    Busy,
    /// The worker gets no more jobs and will exit.
    Draining,
    /// The worker gets no jobs for a while, because it failed jobs that others completed.
    Paused,
    /// The worker was lost.
    Lost,
    /// A state that this build does not know.
    Unknown,
}

impl ReportedWorkerState {
    /// Returns the state in a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Busy => "busy",
            Self::Draining => "draining",
            Self::Paused => "paused",
            Self::Lost => "lost",
            Self::Unknown => "unknown",
        }
    }
}

/// A quarantined worker, whose results are not accepted any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct QuarantinedWorker {
    /// The worker's id: 32 hexadecimal digits.
    pub(crate) worker: String,
    /// The reason.
    pub(crate) reason: String,
}

impl From<v1::ListWorkersResponse> for WorkersDocument {
    fn from(listed: v1::ListWorkersResponse) -> Self {
        let out = listed.shut_out.into_iter().map(|out| QuarantinedWorker {
            worker: escape_controls(&out.worker),
            reason: escape_controls(&out.reason),
        });
        let workers = |listed: Vec<_>| listed.into_iter().map(WorkerEntry::from).collect();
        let coordinators =
            |listed: Vec<_>| listed.into_iter().map(CoordinatorEntry::from).collect();
        Self {
            workers: workers(listed.workers),
            shut_out: out.collect(),
            lost_workers: workers(listed.lost_workers),
            coordinators: coordinators(listed.coordinators),
            lost_coordinators: coordinators(listed.lost_coordinators),
            experiments: listed.experiments.iter().map(|name| escape_controls(name)).collect(),
        }
    }
}

impl From<v1::CoordinatorStatus> for CoordinatorEntry {
    fn from(status: v1::CoordinatorStatus) -> Self {
        Self {
            coordinator: escape_controls(&status.coordinator),
            version: escape_controls(&status.build),
            workers: status.workers,
            runs: status.runs,
            lost_ms: Some(status.lost_ms).filter(|&lost_ms| lost_ms != 0),
        }
    }
}

impl From<v1::WorkerStatus> for WorkerEntry {
    fn from(status: v1::WorkerStatus) -> Self {
        let state = match status.state() {
            _ if status.lost_ms != 0 => ReportedWorkerState::Lost,
            v1::WorkerState::Unspecified => ReportedWorkerState::Unknown,
            v1::WorkerState::Idle => ReportedWorkerState::Idle,
            v1::WorkerState::Busy => ReportedWorkerState::Busy,
            v1::WorkerState::Draining => ReportedWorkerState::Draining,
            v1::WorkerState::Paused => ReportedWorkerState::Paused,
        };
        Self {
            worker: escape_controls(&status.worker),
            name: escape_line(&status.name),
            slots: status.slots,
            jobs: status.jobs,
            state,
            experiments: status.experiments.iter().map(|name| escape_controls(name)).collect(),
            coordinator: escape_controls(&status.coordinator),
            paused_ms: status.paused_ms,
            busy_slots: status.busy_slots,
            trials_per_s: status.trials_per_second,
            heard_ms: status.heard_ms,
            joined_ms: status.joined_ms,
            host: escape_controls(&status.host),
            version: escape_controls(&status.build),
            lost_ms: Some(status.lost_ms).filter(|&lost_ms| lost_ms != 0),
        }
    }
}

/// A worker that was asked to drain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DrainedDocument {
    /// The worker's id: 32 hexadecimal digits.
    pub(crate) worker: String,
    /// The worker's name, for people.
    pub(crate) name: String,
}

impl JsonDocument for DrainedDocument {
    const SCHEMA: &'static str = "hatchery.drained/1";
}

/// A worker that was quarantined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct QuarantinedDocument {
    /// The worker's id: 32 hexadecimal digits.
    pub(crate) worker: String,
    /// The reason.
    pub(crate) reason: String,
}

impl JsonDocument for QuarantinedDocument {
    const SCHEMA: &'static str = "hatchery.quarantined/1";
}

/// A farm at a glance.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct TopDocument {
    /// The active and paused runs, by priority and user.
    pub(crate) runs: Vec<RunDocument>,
    /// The farm's members.
    #[serde(flatten)]
    pub(crate) members: WorkersDocument,
}

impl JsonDocument for TopDocument {
    const SCHEMA: &'static str = "hatchery.top/1";
}
