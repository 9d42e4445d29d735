//! The events that a run's progress is folded from.

use hatchery_coordinator::{Event, StampedEvent};
use hatchery_core::Measure;
use hatchery_proto::v1::RunStatus;

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
    Planned { generation: u32, trials: u64, trials_done: u64 },
    /// Trials of the current generation were done.
    TrialsDone { trials: u64 },
    /// A generation was folded.
    Folded { generation: u32, measures: Vec<Measure> },
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
        workers: u32,
        slots: u32,
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
            &Event::GenerationPlanned { generation, trials, trials_done, .. } => {
                ProgressEvent::Planned { generation, trials, trials_done }
            }
            &Event::JobsDone { trials, .. } => ProgressEvent::TrialsDone { trials },
            Event::GenerationFolded { generation, measures, .. } => {
                ProgressEvent::Folded { generation: *generation, measures: measures.clone() }
            }
            &Event::WorkerJoined { slots, .. } => ProgressEvent::WorkerJoined { slots },
            &Event::WorkerLeft { slots, .. } => ProgressEvent::WorkerLeft { slots },
            Event::RunDone { .. }
            | Event::RunFailed { .. }
            | Event::RunPaused { .. }
            | Event::RunResumed
            | Event::RunCancelled
            | Event::TrialsMissing { .. }
            | Event::ResultsDisowned { .. } => ProgressEvent::Other,
        };
        Self { unix_ms: *unix_ms, event }
    }
}

impl ProgressUpdate {
    /// Converts the status that a farm reported at `unix_ms`.
    pub(crate) fn from_status(unix_ms: u64, status: &RunStatus) -> Self {
        let &RunStatus { generation, generations, trials, trials_done, workers, slots, .. } =
            status;
        let event = ProgressEvent::Reported {
            generation,
            generations,
            trials,
            trials_done,
            workers,
            slots,
        };
        Self { unix_ms, event }
    }
}
