//! The document of a run.

use hatchery_proto::v1::{self, RunStatus};
use schemars::JsonSchema;
use serde::Serialize;

use super::document::JsonDocument;
use crate::terminal::escape_controls;

/// A run and its current status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct RunDocument {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The run's name, for people.
    pub(crate) name: String,
    /// The experiment's name.
    pub(crate) experiment: String,
    /// The experiment's version.
    pub(crate) version: u32,
    /// The seed.
    pub(crate) seed: u64,
    /// The run's state.
    pub(crate) state: ReportedState,
    /// The reason why the run failed; only present if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// The number of folded generations.
    pub(crate) generation: u32,
    /// The largest number of generations that there will be; 0 if it is unknown.
    pub(crate) generations: u32,
    /// Trials of the current generation; 0 while no coordinator leads the run.
    pub(crate) trials: u64,
    /// Trials of the current generation that are done.
    pub(crate) trials_done: u64,
    /// The digest of the result up to the last folded generation: 64 hexadecimal digits.
    pub(crate) digest: String,
    /// The number of dead jobs: they failed repeatedly and are not assigned any more.
    pub(crate) dead_jobs: u64,
    /// The number of workers of the farm.
    pub(crate) workers: u32,
    /// The number of trials that they run at the same time.
    pub(crate) slots: u32,
    /// The number of workers that can compute this run's experiment.
    pub(crate) able_workers: u32,
    /// The time of the submission, in milliseconds since 1970.
    pub(crate) created_unix_ms: u64,
    /// The user that the run belongs to.
    pub(crate) user: String,
    /// The run's priority.
    pub(crate) priority: ReportedPriority,
    /// The largest number of slots that the run may have at the same time; only present if there is
    /// a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) most_slots: Option<u32>,
    /// The number of the run's jobs that are at workers, as of some seconds ago.
    pub(crate) at_workers: u32,
    /// The run's place among those that wait for a leader, 1 for the next one; only present if it
    /// waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queue_place: Option<u64>,
    /// The reason why the run is not progressing, for people; only present if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting_for: Option<String>,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReportedState {
    /// The run is in progress.
    Active,
    /// The run was paused by a person or a dead job.
    Paused,
    /// The run has its result.
    Done,
    /// The run cannot continue; `error` has the reason.
    Failed,
    /// A person cancelled the run.
    Cancelled,
    /// A state that this build does not know.
    Unknown,
}

/// The priority class of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReportedPriority {
    /// Before all others.
    High,
    /// The default.
    Normal,
    /// After all others.
    Low,
}

impl ReportedPriority {
    /// Returns the priority in a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }
}

impl ReportedState {
    /// Returns the state in a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Unknown => "unknown",
        }
    }
}

impl RunDocument {
    /// Returns the number of folded generations, out of how many where that is known.
    pub(crate) fn generation_of_all(&self) -> String {
        match self.generations {
            0 => self.generation.to_string(),
            generations => format!("{}/{generations}", self.generation),
        }
    }
}

impl From<RunStatus> for RunDocument {
    fn from(status: RunStatus) -> Self {
        let state = match status.state() {
            v1::State::Unspecified => ReportedState::Unknown,
            v1::State::Active => ReportedState::Active,
            v1::State::Paused => ReportedState::Paused,
            v1::State::Done => ReportedState::Done,
            v1::State::Failed => ReportedState::Failed,
            v1::State::Cancelled => ReportedState::Cancelled,
        };
        let priority = match status.priority() {
            v1::Priority::High => ReportedPriority::High,
            v1::Priority::Unspecified | v1::Priority::Normal => ReportedPriority::Normal,
            v1::Priority::Low => ReportedPriority::Low,
        };
        let said = |text: String| (!text.is_empty()).then(|| escape_controls(&text));
        Self {
            run: escape_controls(&status.run),
            name: escape_controls(&status.name),
            experiment: escape_controls(&status.experiment),
            version: status.version,
            seed: status.seed,
            state,
            error: said(status.reason),
            generation: status.generation,
            generations: status.generations,
            trials: status.trials,
            trials_done: status.trials_done,
            digest: escape_controls(&status.digest),
            dead_jobs: status.dead_jobs,
            workers: status.workers,
            slots: status.slots,
            able_workers: status.able_workers,
            created_unix_ms: status.created_unix_ms,
            user: escape_controls(&status.user),
            priority,
            most_slots: Some(status.most_slots).filter(|&most| most != 0),
            at_workers: status.at_workers,
            queue_place: Some(status.queue_place).filter(|&place| place != 0),
            waiting_for: said(status.waiting_for),
        }
    }
}

impl RunDocument {
    /// Returns the run's state in a word.
    pub(crate) fn state_word(&self) -> &'static str {
        match self.queue_place {
            Some(_) => "queued",
            None => self.state.word(),
        }
    }
}

impl JsonDocument for RunDocument {
    const SCHEMA: &'static str = "hatchery.run/1";
}
