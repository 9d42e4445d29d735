//! Events of runs. Every display is a fold of these.

use std::time::{SystemTime, UNIX_EPOCH};

use hatchery_core::{Measure, Work};
use hatchery_store::RunId;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

/// The most events that a slow subscriber may lag behind before it misses some.
const EVENTS_KEPT: usize = 4096;

/// The most ends of runs that a slow subscriber may lag behind. A subscriber that lags further
/// behind reads the status of its run instead.
const ENDS_KEPT: usize = 64;

/// An event with its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StampedEvent {
    /// Milliseconds since 1970, by the coordinator's clock.
    pub unix_ms: u64,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened to a run or a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A leader took over the run: at its beginning, or where an earlier leader left it.
    RunLed {
        /// The experiment's name.
        experiment: String,
        /// The experiment's version.
        version: u32,
        /// The seed.
        seed: u64,
        /// The generation to continue with; 0 at the beginning.
        generation: u32,
        /// The most generations that the run takes.
        generations: u32,
    },
    /// A generation was planned.
    GenerationPlanned {
        /// The generation, counted from 0.
        generation: u32,
        /// The number of subjects.
        subjects: u64,
        /// The number of trials.
        trials: u64,
        /// The number of trials done under an earlier leader.
        trials_done: u64,
        /// The number of long trials. Each long trial is a job.
        #[serde(default, skip_serializing_if = "is_zero")]
        alone_trials: u64,
    },
    /// Results were stored. Not kept: there are too many.
    JobsDone {
        /// The generation.
        generation: u32,
        /// The number of jobs.
        jobs: u64,
        /// The number of trials.
        trials: u64,
        /// Their CPU time.
        cpu_ns: u64,
        /// True if these are long trials.
        #[serde(default, skip_serializing_if = "is_false")]
        alone: bool,
    },
    /// Long trials have reported their progress. Not kept.
    TrialsInProgress {
        /// The trials in progress at the workers of this coordinator. Each trial counts by the
        /// share that is done.
        trials: f64,
    },
    /// A generation is being folded, and the fold takes long.
    GenerationFolding {
        /// The generation, counted from 0.
        generation: u32,
        /// The bytes of its state and its tallies.
        bytes: u64,
    },
    /// A generation was folded.
    GenerationFolded {
        /// The generation, counted from 0.
        generation: u32,
        /// The number of jobs.
        jobs: u64,
        /// The number of trials.
        trials: u64,
        /// Their CPU time.
        cpu_ns: u64,
        /// The digest after it.
        digest: String,
        /// Its work.
        work: Vec<Work>,
        /// Its measures.
        measures: Vec<Measure>,
    },
    /// The run has its result.
    RunDone {
        /// The digest.
        digest: String,
    },
    /// The run was paused by a person or by its policy for dead jobs.
    RunPaused {
        /// The reason.
        reason: String,
        /// The failed trial, as `GENERATION/SUBJECT/TRIAL`, if a trial failed.
        trial: Option<String>,
    },
    /// A person resumed the run.
    RunResumed,
    /// A person cancelled the run.
    RunCancelled,
    /// Trials are missing from the result, because their jobs are dead.
    TrialsMissing {
        /// The number of trials.
        trials: u64,
        /// The reason.
        reason: String,
    },
    /// The results of a quarantined worker were invalidated and are computed again.
    ResultsDisowned {
        /// The worker's id.
        worker: String,
        /// The reason of the quarantine.
        reason: String,
        /// The first generation that is computed again.
        generation: u32,
    },
    /// A generation began again with smaller jobs, because a job returned too much to be sent.
    JobsTooLarge {
        /// The generation, counted from 0.
        generation: u32,
        /// The most trials of a job from now on.
        most_trials: u64,
        /// The reason.
        reason: String,
    },
    /// The run failed.
    RunFailed {
        /// The reason.
        reason: String,
        /// The failed trial, as `GENERATION/SUBJECT/TRIAL`, if a trial failed.
        trial: Option<String>,
    },
    /// A worker joined. Not kept: workers belong to no run.
    WorkerJoined {
        /// Its name.
        worker: String,
        /// The number of trials that it runs at the same time.
        slots: u32,
    },
    /// A worker left. Not kept.
    WorkerLeft {
        /// Its name.
        worker: String,
        /// The number of its slots.
        slots: u32,
        /// Whether it left in an orderly way.
        goodbye: bool,
    },
}

impl Event {
    /// Returns whether this event is of a worker, and of no run.
    #[must_use]
    pub fn is_of_worker(&self) -> bool {
        matches!(self, Self::WorkerJoined { .. } | Self::WorkerLeft { .. })
    }

    /// Returns whether this event is the last one, unless the run is resumed.
    #[must_use]
    pub fn is_the_last(&self) -> bool {
        matches!(self, Self::RunDone { .. } | Self::RunFailed { .. } | Self::RunCancelled)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Broadcasts a coordinator's events to subscribers. Clones are handles to the same bus.
#[derive(Clone, Debug)]
pub(crate) struct EventBus {
    events: broadcast::Sender<StampedEvent>,
    /// The runs whose last event this coordinator has stored.
    ends: broadcast::Sender<RunId>,
}

impl EventBus {
    pub(crate) fn new() -> Self {
        let (events, _) = broadcast::channel(EVENTS_KEPT);
        let (ends, _) = broadcast::channel(ENDS_KEPT);
        Self { events, ends }
    }

    /// Stamps an event with the time and broadcasts it.
    pub(crate) fn publish(&self, event: Event) -> StampedEvent {
        let stamped = StampedEvent { unix_ms: unix_ms(), event };
        // There may be no subscriber.
        self.events.send(stamped.clone()).unwrap_or_default();
        stamped
    }

    /// Broadcasts that the last event of `run` is stored.
    pub(crate) fn ended(&self, run: RunId) {
        // There may be no subscriber.
        self.ends.send(run).unwrap_or_default();
    }

    /// Returns the events from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<StampedEvent> {
        self.events.subscribe()
    }

    /// Returns the runs that end at this coordinator from now on, each once its last event is
    /// stored.
    pub(crate) fn ends(&self) -> broadcast::Receiver<RunId> {
        self.ends.subscribe()
    }
}

/// Returns the time in milliseconds since 1970.
pub(crate) fn unix_ms() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}
