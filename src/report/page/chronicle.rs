//! The history of a run, read from its events.

use hatchery_coordinator::{Event, StampedEvent};

/// The most incidents that are listed; a run may have any number.
const MAX_INCIDENTS: usize = 20;

/// The incidents of a run.
#[derive(Debug, Default)]
pub(super) struct RunChronicle {
    /// The number of leaders that the run has had.
    pub(super) n_leaders: u64,
    /// Problems, in order: the time in milliseconds since 1970, and words.
    pub(super) incidents: Vec<(u64, String)>,
    /// The number of incidents that are not told.
    pub(super) n_more: u64,
}

impl RunChronicle {
    /// Reads the events, each as JSON, and skips everything that is not an event.
    pub(super) fn read(events: &[impl AsRef<[u8]>]) -> Self {
        let mut chronicle = Self::default();
        for event in events {
            if let Ok(event) = serde_json::from_slice::<StampedEvent>(event.as_ref()) {
                chronicle.add(event);
            }
        }
        chronicle
    }

    fn add(&mut self, StampedEvent { unix_ms, event }: StampedEvent) {
        let of_trial = |trial: Option<String>| {
            trial.map(|trial| format!(" (trial {trial})")).unwrap_or_default()
        };
        let incident = match event {
            Event::RunLed { .. } => {
                self.n_leaders += 1;
                return;
            }
            Event::RunPaused { reason, trial } => format!("paused: {reason}{}", of_trial(trial)),
            Event::RunResumed => "resumed".to_owned(),
            Event::RunCancelled => "cancelled".to_owned(),
            Event::TrialsMissing { trials, reason } => format!("{trials} trials missing: {reason}"),
            Event::ResultsDisowned { worker, reason, generation } => format!(
                "results of worker {worker} were thrown away from generation {generation} on: \
                 {reason}"
            ),
            Event::JobsTooLarge { generation, most_trials, reason } => format!(
                "generation {generation} began again with at most {most_trials} trials a job: \
                 {reason}"
            ),
            Event::RunFailed { reason, trial } => format!("failed: {reason}{}", of_trial(trial)),
            Event::GenerationPlanned { .. }
            | Event::JobsDone { .. }
            | Event::TrialsInProgress { .. }
            | Event::GenerationFolding { .. }
            | Event::GenerationFolded { .. }
            | Event::RunDone { .. }
            | Event::WorkerJoined { .. }
            | Event::WorkerLeft { .. } => return,
        };
        if self.incidents.len() < MAX_INCIDENTS {
            self.incidents.push((unix_ms, incident));
        } else {
            self.n_more += 1;
        }
    }
}
