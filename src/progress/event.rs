//! The events that a run's progress is folded from.

use std::time::Duration;

use hatchery_coordinator::run::time_left::TimeRange;
use hatchery_coordinator::{Event, StampedEvent};
use hatchery_core::Measure;
use hatchery_proto::v1::{GenerationPhase, RunStatus, State};

/// A progress event and its time.
///
/// The events of a run and the statuses of a farm are converted here, and nowhere else.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProgressUpdate {
    /// Milliseconds since 1970.
    pub(super) unix_ms: u64,
    pub(super) event: ProgressEvent,
}

/// A change of a run's progress.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ProgressEvent {
    /// A coordinator leads the run.
    Led { generation: u32, generations: u32 },
    /// A generation was planned, or taken up by another leader.
    Planned { generation: u32, trials: u64, trials_done: u64, alone_trials: u64 },
    /// Trials of the current generation were done: long trials, or pooled trials.
    TrialsDone { trials: u64, cpu_ns: u64, alone: bool },
    /// Trials in progress have told how far they are.
    InProgress { trials: f64 },
    /// A generation is being folded, and that takes long.
    Folding,
    /// A generation was folded.
    Folded { generation: u32, trials: u64, cpu_ns: u64, measures: Vec<Measure> },
    /// A person paused the run, or a dead job did.
    Paused,
    /// A paused run continues.
    Resumed,
    /// A worker joined.
    WorkerJoined { slots: u32 },
    /// A worker left.
    WorkerLeft { slots: u32 },
    /// A farm reported the whole progress; events before the first report are history.
    Reported {
        generation: u32,
        generations: u32,
        trials: u64,
        trials_done: u64,
        /// Trials in progress, each counted by the share that is done.
        trials_in_progress: f64,
        workers: u32,
        slots: u32,
        /// Trials per second; `None` if the coordinator does not report it.
        rate: Option<f64>,
        time_left: Option<TimeRange>,
        is_folding: bool,
        is_paused: bool,
        /// When a leader first took the run; `None` if none did, or the coordinator does not report
        /// it.
        started_unix_ms: Option<u64>,
    },
    /// Something else happened: only time has passed.
    Other,
}

impl From<&StampedEvent> for ProgressUpdate {
    fn from(StampedEvent { unix_ms, event }: &StampedEvent) -> Self {
        let event = match event {
            &Event::RunLed { generation, generations, .. } => {
                ProgressEvent::Led { generation, generations }
            }
            &Event::GenerationPlanned { generation, trials, trials_done, alone_trials, .. } => {
                ProgressEvent::Planned { generation, trials, trials_done, alone_trials }
            }
            &Event::JobsDone { trials, cpu_ns, alone, .. } => {
                ProgressEvent::TrialsDone { trials, cpu_ns, alone }
            }
            &Event::TrialsInProgress { trials } => ProgressEvent::InProgress { trials },
            Event::GenerationFolding { .. } => ProgressEvent::Folding,
            &Event::GenerationFolded { generation, trials, cpu_ns, ref measures, .. } => {
                ProgressEvent::Folded { generation, trials, cpu_ns, measures: measures.clone() }
            }
            Event::RunPaused { .. } => ProgressEvent::Paused,
            Event::RunResumed => ProgressEvent::Resumed,
            &Event::WorkerJoined { slots, .. } => ProgressEvent::WorkerJoined { slots },
            &Event::WorkerLeft { slots, .. } => ProgressEvent::WorkerLeft { slots },
            Event::RunDone { .. }
            | Event::RunFailed { .. }
            | Event::RunCancelled
            | Event::TrialsMissing { .. }
            | Event::JobsTooLarge { .. }
            | Event::ResultsDisowned { .. } => ProgressEvent::Other,
        };
        Self { unix_ms: *unix_ms, event }
    }
}

impl ProgressUpdate {
    /// Returns the update that only says that it is now `unix_ms`.
    pub(crate) fn tick(unix_ms: u64) -> Self {
        Self { unix_ms, event: ProgressEvent::Other }
    }

    /// Converts the status that a farm reported at `unix_ms`.
    pub(crate) fn from_status(unix_ms: u64, status: &RunStatus) -> Self {
        let &RunStatus { generation, generations, trials, trials_done, workers, slots, .. } =
            status;
        let event = ProgressEvent::Reported {
            generation,
            generations,
            trials,
            trials_done,
            trials_in_progress: status.trials_in_progress,
            workers,
            slots,
            rate: Some(status.trials_per_second).filter(|rate| 0.0 < *rate),
            time_left: status.time_left.map(|left| {
                let [low, high] = [left.low_ms, left.high_ms].map(Duration::from_millis);
                TimeRange { low, high }
            }),
            is_folding: status.phase() == GenerationPhase::Folding,
            is_paused: status.state() == State::Paused,
            started_unix_ms: Some(status.started_unix_ms).filter(|&ms| ms != 0),
        };
        // No time passes for a run that has ended.
        let ended = Some(status.ended_unix_ms).filter(|&ms| ms != 0);
        Self { unix_ms: ended.unwrap_or(unix_ms), event }
    }
}
