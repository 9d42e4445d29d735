//! The documents about who works on what, and why not on something else.

use hatchery_proto::v1;
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::Answer;
use super::run::Run;
use crate::terminal::escape_controls;

/// Why a run is not further on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Explained {
    /// How it is; only there if the farm's store answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Run>,
    /// Its jobs that coordinators hold for its next turn.
    pub(crate) waiting: u32,
    /// What hinders it, the weightiest first.
    pub(crate) reasons: Vec<Reason>,
}

impl Answer for Explained {
    const SCHEMA: &'static str = "hatchery.explained/1";
}

/// Something that hinders a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Reason {
    /// What it is.
    pub(crate) kind: Kind,
    /// It, for people.
    pub(crate) text: String,
    /// What would help, for people; only there if something would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
}

/// What hinders a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// It is done, failed or cancelled.
    Ended,
    /// A person or a failing job paused it.
    Paused,
    /// The farm's store does not answer.
    Store,
    /// No worker is there that can compute it.
    NoWorker,
    /// No coordinator leads it.
    NoLeader,
    /// Jobs keep failing and are handed to nobody.
    DeadJobs,
    /// It has as many slots as it may.
    Cap,
    /// Runs of a higher priority go first.
    Priority,
    /// It shares the farm with others of its priority.
    Share,
    /// Its leader folds or plans.
    Leading,
    /// Nothing: its jobs are being computed.
    Running,
    /// Something that this build does not know.
    Unknown,
}

impl From<v1::RunExplanation> for Explained {
    fn from(explanation: v1::RunExplanation) -> Self {
        let reasons = explanation.reasons.into_iter().map(|reason| Reason {
            kind: match reason.kind() {
                v1::ReasonKind::Unspecified => Kind::Unknown,
                v1::ReasonKind::Ended => Kind::Ended,
                v1::ReasonKind::Paused => Kind::Paused,
                v1::ReasonKind::Store => Kind::Store,
                v1::ReasonKind::NoWorker => Kind::NoWorker,
                v1::ReasonKind::NoLeader => Kind::NoLeader,
                v1::ReasonKind::DeadJobs => Kind::DeadJobs,
                v1::ReasonKind::Cap => Kind::Cap,
                v1::ReasonKind::Priority => Kind::Priority,
                v1::ReasonKind::Share => Kind::Share,
                v1::ReasonKind::Leading => Kind::Leading,
                v1::ReasonKind::Running => Kind::Running,
            },
            help: Some(escape_controls(&reason.help)).filter(|help| !help.is_empty()),
            text: escape_controls(&reason.text),
        });
        let (status, waiting) = (explanation.status.map(Run::from), explanation.waiting);
        Self { status, waiting, reasons: reasons.collect() }
    }
}

/// The workers of a farm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Workers {
    /// Those that are connected.
    pub(crate) workers: Vec<Worker>,
    /// Those that are shut out for good.
    pub(crate) shut_out: Vec<ShutOut>,
}

impl Answer for Workers {
    const SCHEMA: &'static str = "hatchery.workers/1";
}

/// A worker of a farm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Worker {
    /// Its id, new at each start: 32 hexadecimal digits.
    pub(crate) worker: String,
    /// Its name for people.
    pub(crate) name: String,
    /// How many trials it runs at the same time.
    pub(crate) slots: u32,
    /// How many jobs it has: those that run, and those that wait there.
    pub(crate) jobs: u32,
    /// What it does.
    pub(crate) state: WorkerState,
    /// The experiments that it may have jobs of, as `NAME@VERSION`.
    pub(crate) experiments: Vec<String>,
    /// Where its coordinator is; empty if that listens nowhere.
    pub(crate) coordinator: String,
}

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WorkerState {
    /// It has no job.
    Idle,
    /// It has jobs.
    Busy,
    /// It gets no more jobs, and ends.
    Draining,
    /// Something that this build does not know.
    Unknown,
}

impl WorkerState {
    /// The state in a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Busy => "busy",
            Self::Draining => "draining",
            Self::Unknown => "unknown",
        }
    }
}

/// A worker that is shut out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ShutOut {
    /// Its id: 32 hexadecimal digits.
    pub(crate) worker: String,
    /// Why.
    pub(crate) reason: String,
}

impl From<v1::ListWorkersResponse> for Workers {
    fn from(listed: v1::ListWorkersResponse) -> Self {
        let out = listed.shut_out.into_iter().map(|out| ShutOut {
            worker: escape_controls(&out.worker),
            reason: escape_controls(&out.reason),
        });
        let shut_out = out.collect();
        Self { workers: listed.workers.into_iter().map(Worker::from).collect(), shut_out }
    }
}

impl From<v1::WorkerStatus> for Worker {
    fn from(status: v1::WorkerStatus) -> Self {
        let state = match status.state() {
            v1::WorkerState::Unspecified => WorkerState::Unknown,
            v1::WorkerState::Idle => WorkerState::Idle,
            v1::WorkerState::Busy => WorkerState::Busy,
            v1::WorkerState::Draining => WorkerState::Draining,
        };
        Self {
            worker: escape_controls(&status.worker),
            name: escape_controls(&status.name),
            slots: status.slots,
            jobs: status.jobs,
            state,
            experiments: status.experiments.iter().map(|name| escape_controls(name)).collect(),
            coordinator: escape_controls(&status.coordinator),
        }
    }
}

/// A worker that was told to end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Drained {
    /// Its id: 32 hexadecimal digits.
    pub(crate) worker: String,
    /// Its name for people.
    pub(crate) name: String,
}

impl Answer for Drained {
    const SCHEMA: &'static str = "hatchery.drained/1";
}

/// A worker that was shut out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Quarantined {
    /// Its id: 32 hexadecimal digits.
    pub(crate) worker: String,
    /// Why.
    pub(crate) reason: String,
}

impl Answer for Quarantined {
    const SCHEMA: &'static str = "hatchery.quarantined/1";
}

/// A farm at a glance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Top {
    /// The runs that go on, by priority and user.
    pub(crate) runs: Vec<Run>,
    /// The workers that are connected.
    pub(crate) workers: Vec<Worker>,
}

impl Answer for Top {
    const SCHEMA: &'static str = "hatchery.top/1";
}
