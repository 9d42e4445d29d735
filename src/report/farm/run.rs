//! The document of a run.

use hatchery_proto::v1::{self, RunStatus};
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::Answer;
use crate::terminal::escape_controls;

/// A run's identity and how it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Run {
    /// Its id, a ULID.
    pub(crate) run: String,
    /// Its name for people.
    pub(crate) name: String,
    /// The experiment's name.
    pub(crate) experiment: String,
    /// The experiment's version.
    pub(crate) version: u32,
    /// The seed.
    pub(crate) seed: u64,
    /// Whether it goes on.
    pub(crate) state: State,
    /// Why it failed; only there if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// How many generations are folded.
    pub(crate) generation: u32,
    /// The most generations that there will be; 0 if it is not known.
    pub(crate) generations: u32,
    /// Trials of the current generation; 0 while nobody leads the run.
    pub(crate) trials: u64,
    /// How many of them are done.
    pub(crate) trials_done: u64,
    /// What identifies the result up to the last folded generation: 64 hexadecimal digits.
    pub(crate) digest: String,
    /// Jobs that nobody is handed because they keep failing.
    pub(crate) dead_jobs: u64,
    /// Workers of the farm.
    pub(crate) workers: u32,
    /// How many trials they run at the same time.
    pub(crate) slots: u32,
    /// Workers that can compute this run's experiment.
    pub(crate) able_workers: u32,
    /// When it was made, in milliseconds since 1970.
    pub(crate) created_unix_ms: u64,
    /// Whose it is.
    pub(crate) user: String,
    /// What goes first.
    pub(crate) priority: Priority,
    /// The most slots that it may have at the same time; only there if there is a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) most_slots: Option<u32>,
    /// Jobs of it that are at workers: some seconds old.
    pub(crate) at_workers: u32,
    /// What keeps it from going on, for people; only there if something does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting_for: Option<String>,
}

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// It goes on.
    Active,
    /// A person halted it.
    Paused,
    /// It has its result.
    Done,
    /// It can't go on; `error` says why.
    Failed,
    /// A person ended it.
    Cancelled,
    /// Something that this build does not know.
    Unknown,
}

/// What goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Priority {
    /// Before all others.
    High,
    /// Unless something else was said.
    Normal,
    /// After all others.
    Low,
}

impl Priority {
    /// The priority in a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }
}

impl State {
    /// The state in a word.
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

impl Run {
    /// How many generations are folded, and of how many where that is known.
    pub(crate) fn generation_of_all(&self) -> String {
        match self.generations {
            0 => self.generation.to_string(),
            generations => format!("{}/{generations}", self.generation),
        }
    }
}

impl From<RunStatus> for Run {
    fn from(status: RunStatus) -> Self {
        let state = match status.state() {
            v1::State::Unspecified => State::Unknown,
            v1::State::Active => State::Active,
            v1::State::Paused => State::Paused,
            v1::State::Done => State::Done,
            v1::State::Failed => State::Failed,
            v1::State::Cancelled => State::Cancelled,
        };
        let priority = match status.priority() {
            v1::Priority::High => Priority::High,
            v1::Priority::Unspecified | v1::Priority::Normal => Priority::Normal,
            v1::Priority::Low => Priority::Low,
        };
        let said = |text: String| (!text.is_empty()).then(|| escape_controls(&text));
        Self {
            run: status.run,
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
            digest: status.digest,
            dead_jobs: status.dead_jobs,
            workers: status.workers,
            slots: status.slots,
            able_workers: status.able_workers,
            created_unix_ms: status.created_unix_ms,
            user: escape_controls(&status.user),
            priority,
            most_slots: Some(status.most_slots).filter(|&most| most != 0),
            at_workers: status.at_workers,
            waiting_for: said(status.waiting_for),
        }
    }
}

impl Answer for Run {
    const SCHEMA: &'static str = "hatchery.run/1";
}
