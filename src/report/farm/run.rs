//! The document of a run.

use std::time::Duration;

use hatchery_coordinator::run::time_left::TimeRange;
use hatchery_core::Measure;
use hatchery_figures::number::{interval_ends, with_separators};
use hatchery_proto::v1::{self, RunStatus};
use schemars::JsonSchema;
use serde::Serialize;

use super::document::JsonDocument;
use crate::format::{as_f64, seconds, short, time_range};
use crate::report::finding::FindingText;
use crate::terminal::escape_controls;

/// A run and its current status.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct RunDocument {
    /// The run's id, a ULID.
    pub(crate) run: String,
    /// The run's name, for people.
    pub(crate) name: String,
    /// The finding: none before the run is done, and if the experiment has no findings. A list
    /// leaves the summary out.
    #[serde(flatten)]
    pub(crate) finding: FindingText,
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
    /// The activity of the run's leader; only present while the run is active and its leader has
    /// told it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phase: Option<ReportedPhase>,
    /// The number of folded generations.
    pub(crate) generation: u32,
    /// The largest number of generations that there will be; 0 if it is unknown.
    pub(crate) generations: u32,
    /// The trials of the current generation.
    pub(crate) trials_of_generation: TrialShare,
    /// The trials so far, over all generations.
    pub(crate) trials_of_run: TrialsDone,
    /// The same as `trials_of_generation.of`, for readers of earlier releases.
    pub(crate) trials: u64,
    /// The same as `trials_of_generation.done`, for readers of earlier releases.
    pub(crate) trials_done: u64,
    /// Long trials in progress, each counted by the share that is done; only present if there are
    /// any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trials_in_progress: Option<f64>,
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
    /// The largest number of slots that the run may use at the same time; only present if there is
    /// a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) most_slots: Option<u32>,
    /// The number of the run's jobs that are at workers, as of some seconds ago.
    pub(crate) at_workers: u32,
    /// The run's place among the runs that wait for a leader, 1 for the next run; only present if
    /// it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queue_place: Option<u64>,
    /// The reason why the run is not progressing, for people; only present if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting_for: Option<String>,
    /// The same as `trials_of_run.done`, for readers of earlier releases.
    pub(crate) trials_total: u64,
    /// The CPU time of the trials done so far, in seconds.
    pub(crate) cpu_s: f64,
    /// The trials done per second over about the last ten seconds; 0 while no coordinator leads the
    /// run.
    pub(crate) trials_per_s: f64,
    /// The part of the run that is done, in percent: generations, and trials of the current one.
    /// Only present if the number of generations is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) percent: Option<f64>,
    /// The time at which a coordinator took the run, in milliseconds since 1970; only present once
    /// one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_unix_ms: Option<u64>,
    /// The time at which the run ended, in milliseconds since 1970; only present if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_unix_ms: Option<u64>,
    /// The time that the run still needs; only present while the run is active and the time can be
    /// estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time_left: Option<ReportedTimeLeft>,
    /// The first measure after the last folded generation; only present if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) measure: Option<ReportedMeasure>,
    /// The values of the first measure after each folded generation, at most the last 60.
    pub(crate) measure_history: Vec<f64>,
    /// All measures after the last folded generation, where they were asked for: for tables only.
    #[serde(skip)]
    pub(crate) measures: Vec<Measure>,
}

/// The trials of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TrialShare {
    /// The trials that are done.
    pub(crate) done: u64,
    /// All trials; 0 while no coordinator leads the run.
    pub(crate) of: u64,
}

/// The trials of a run so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TrialsDone {
    /// The trials that are done, over all generations; at most about two seconds old.
    pub(crate) done: u64,
}

/// An estimated range of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ReportedTimeLeft {
    /// The lower end in seconds.
    pub(crate) low_s: f64,
    /// The upper end in seconds.
    pub(crate) high_s: f64,
}

/// A measure of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ReportedMeasure {
    /// The name in `snake_case`.
    pub(crate) name: String,
    /// The unit in the plural; empty for a pure number.
    pub(crate) unit: String,
    /// The value.
    pub(crate) value: f64,
    /// The lower end of its interval; only present if it is an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) low: Option<f64>,
    /// The upper end of its interval; only present if it is an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) high: Option<f64>,
    /// True if the value is an exact count.
    #[serde(skip)]
    pub(crate) is_count: bool,
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
    /// The run is on this machine, and no process runs it: it can be continued.
    Interrupted,
    /// A state that this build does not know.
    Unknown,
}

/// The activity of a run's leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReportedPhase {
    /// The leader computes the subjects of the current generation.
    Planning,
    /// The leader waits for the trials, which workers compute.
    Computing,
    /// The leader folds the results into the next state.
    Folding,
}

impl ReportedPhase {
    /// Returns the phase that a coordinator reports; `None` for no phase, or a phase that is
    /// unknown to this build.
    fn told(phase: v1::GenerationPhase) -> Option<Self> {
        match phase {
            v1::GenerationPhase::Unspecified => None,
            v1::GenerationPhase::Planning => Some(Self::Planning),
            v1::GenerationPhase::Computing => Some(Self::Computing),
            v1::GenerationPhase::Folding => Some(Self::Folding),
        }
    }
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
            Self::Interrupted => "interrupted",
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

    /// Returns the seconds since the run was created, at `now_unix_ms`.
    pub(crate) fn age_s(&self, now_unix_ms: u64) -> f64 {
        seconds_between(self.created_unix_ms, now_unix_ms)
    }

    /// Returns the seconds from the start of the run to its end, or to `now_unix_ms`; `None` if it
    /// has not started.
    pub(crate) fn duration_s(&self, now_unix_ms: u64) -> Option<f64> {
        let until = self.ended_unix_ms.unwrap_or(now_unix_ms);
        self.started_unix_ms.map(|started| seconds_between(started, until))
    }

    /// Returns the end of the run's id, which is enough to name it.
    pub(crate) fn short_id(&self) -> &str {
        const DIGITS: usize = 8;
        let start = self.run.floor_char_boundary(self.run.len().saturating_sub(DIGITS));
        &self.run[start..]
    }

    /// Returns the part of the run that is done, as text; empty if it is not known.
    pub(crate) fn percent_text(&self) -> String {
        self.percent.map(|percent| format!("{:.0}%", percent.floor())).unwrap_or_default()
    }
}

impl ReportedMeasure {
    /// Returns the measure as text, with its interval.
    pub(crate) fn text(&self) -> String {
        let Self { name, unit, value, low, high, is_count } = self;
        let interval = match (low, high) {
            (Some(low), Some(high)) => {
                let [low, high] = interval_ends(*value, [*low, *high]);
                format!(" ({low} to {high})")
            }
            _ => String::new(),
        };
        let value = if *is_count { with_separators(&format!("{value:.0}")) } else { short(*value) };
        let name = name.replace('_', " ");
        // What is counted may be the name: `trials 300`, not `trials 300 trials`.
        let unit = if *unit == name { "" } else { unit };
        format!("{name} {value}{interval} {unit}").trim_end().to_owned()
    }
}

impl ReportedTimeLeft {
    /// Returns the range as text, such as `1m10s to 2m40s`.
    pub(crate) fn text(&self) -> String {
        let [low, high] = [self.low_s, self.high_s]
            .map(|end| Duration::try_from_secs_f64(end).unwrap_or_default());
        time_range(TimeRange { low, high })
    }
}

fn seconds_between(from_ms: u64, to_ms: u64) -> f64 {
    seconds(to_ms.saturating_sub(from_ms).saturating_mul(1_000_000))
}

/// Returns measures that a coordinator reports as JSON; none if they cannot be decoded.
fn measures(json: &str) -> Vec<Measure> {
    let mut measures: Vec<Measure> = serde_json::from_str(json).unwrap_or_default();
    measures.iter_mut().for_each(|measure| measure.name = escape_controls(&measure.name));
    measures
}

/// Returns the part of a run that is done, in percent; `None` if its generations are not known.
fn percent(status: &RunStatus) -> Option<f64> {
    if status.state() == v1::State::Done {
        return Some(100.0);
    }
    let share = match status.trials {
        0 => 0.0,
        trials => {
            let done = as_f64(status.trials_done.min(trials)) + status.trials_in_progress;
            (done / as_f64(trials)).min(1.0)
        }
    };
    let done = (f64::from(status.generation) + share) * 100.0;
    (status.generations != 0).then(|| (done / f64::from(status.generations)).min(100.0))
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
        let phase = ReportedPhase::told(status.phase());
        let percent = percent(&status);
        let said = |text: String| (!text.is_empty()).then(|| escape_controls(&text));
        Self {
            run: escape_controls(&status.run),
            name: escape_controls(&status.name),
            finding: status.finding.map(FindingText::from).unwrap_or_default(),
            experiment: escape_controls(&status.experiment),
            version: status.version,
            seed: status.seed,
            state,
            error: said(status.reason),
            phase,
            generation: status.generation,
            generations: status.generations,
            trials_of_generation: TrialShare { done: status.trials_done, of: status.trials },
            trials_of_run: TrialsDone { done: status.trials_total },
            trials: status.trials,
            trials_done: status.trials_done,
            trials_in_progress: Some(status.trials_in_progress).filter(|trials| 0.0 < *trials),
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
            trials_total: status.trials_total,
            cpu_s: seconds(status.cpu_ns),
            trials_per_s: status.trials_per_second,
            percent,
            started_unix_ms: Some(status.started_unix_ms).filter(|&ms| ms != 0),
            ended_unix_ms: Some(status.ended_unix_ms).filter(|&ms| ms != 0),
            time_left: status.time_left.map(|v1::TimeLeft { low_ms, high_ms }| ReportedTimeLeft {
                low_s: seconds_between(0, low_ms),
                high_s: seconds_between(0, high_ms),
            }),
            measure: status.measure.map(|measure| ReportedMeasure {
                name: escape_controls(&measure.name),
                unit: escape_controls(&measure.unit),
                value: measure.value,
                low: measure.low,
                high: measure.high,
                is_count: measure.is_count,
            }),
            measure_history: status.measure_history,
            measures: measures(&status.measures_json),
            waiting_for: said(status.waiting_for),
        }
    }
}

impl RunDocument {
    /// Returns the run's state in a word: for an active one, what keeps it from computing.
    pub(crate) fn state_word(&self) -> &'static str {
        match (self.queue_place, self.phase) {
            (Some(_), _) => "queued",
            (None, Some(ReportedPhase::Planning)) => "planning",
            (None, Some(ReportedPhase::Folding)) => "folding",
            (None, Some(ReportedPhase::Computing) | None) => self.state.word(),
        }
    }
}

impl JsonDocument for RunDocument {
    const SCHEMA: &'static str = "hatchery.run/1";
}
