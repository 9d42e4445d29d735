//! What happened to a run. Every display is a fold of these.

use std::time::{SystemTime, UNIX_EPOCH};

use hatchery_core::{Measure, Work};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

use crate::store::RunId;

/// How many events a slow watcher may lag behind before it misses some.
const EVENTS_KEPT: usize = 4096;

/// How many ends of runs a slow watcher may lag behind; it looks at its run then.
const ENDS_KEPT: usize = 64;

/// An event with its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stamped {
    /// Milliseconds since 1970, by the coordinator's clock.
    pub unix_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A leader took the run up: at its beginning, or where an earlier one left it.
    RunLed {
        /// The experiment's name.
        experiment: String,
        /// The experiment's version.
        version: u32,
        /// The seed.
        seed: u64,
        /// The generation to go on with; 0 at the beginning.
        generation: u32,
        /// The most generations that the run takes.
        generations: u32,
    },
    /// A generation was planned.
    GenerationPlanned {
        /// Which, counted from 0.
        generation: u32,
        /// How many subjects.
        subjects: u64,
        /// How many trials.
        trials: u64,
        /// How many of them an earlier leader has already had done.
        trials_done: u64,
    },
    /// A worker's results were stored. Not kept: there are too many.
    JobsDone {
        /// The generation.
        generation: u32,
        /// How many jobs.
        jobs: u64,
        /// How many trials.
        trials: u64,
        /// Their CPU time.
        cpu_ns: u64,
    },
    /// A generation was folded.
    GenerationFolded {
        /// Which, counted from 0.
        generation: u32,
        /// How many jobs it took.
        jobs: u64,
        /// How many trials.
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
    /// A person, or the run's policy for jobs that keep failing, halted the run.
    RunPaused {
        /// Why.
        reason: String,
        /// The trial that failed, as `GENERATION/SUBJECT/TRIAL`, where it was one.
        trial: Option<String>,
    },
    /// A person let the run go on.
    RunResumed,
    /// A person ended the run.
    RunCancelled,
    /// Trials are missing from the result, because their jobs kept failing.
    TrialsMissing {
        /// How many.
        trials: u64,
        /// Why.
        reason: String,
    },
    /// What a worker that is shut out had computed is computed again.
    ResultsDisowned {
        /// The worker's incarnation.
        worker: String,
        /// Why it is shut out.
        reason: String,
        /// From which generation on.
        generation: u32,
    },
    /// The run can't go on.
    RunFailed {
        /// Why.
        reason: String,
        /// The trial that failed, as `GENERATION/SUBJECT/TRIAL`, where it was one.
        trial: Option<String>,
    },
    /// A worker joined. Not kept: workers belong to no run.
    WorkerJoined {
        /// Its name.
        worker: String,
        /// How many trials it runs at the same time.
        slots: u32,
    },
    /// A worker left. Not kept.
    WorkerLeft {
        /// Its name.
        worker: String,
        /// How many slots are lost.
        slots: u32,
        /// Whether it said goodbye.
        goodbye: bool,
    },
}

impl Event {
    /// Whether nothing comes after this event, unless a person resumes the run.
    #[must_use]
    pub fn is_the_last(&self) -> bool {
        matches!(self, Self::RunDone { .. } | Self::RunFailed { .. } | Self::RunCancelled)
    }
}

/// Where a coordinator's events go, for whoever watches. Clones are the same bus.
#[derive(Clone, Debug)]
pub(crate) struct EventBus {
    events: broadcast::Sender<Stamped>,
    /// The runs whose last event this coordinator has stored.
    ends: broadcast::Sender<RunId>,
}

impl EventBus {
    pub(crate) fn new() -> Self {
        let (events, _) = broadcast::channel(EVENTS_KEPT);
        let (ends, _) = broadcast::channel(ENDS_KEPT);
        Self { events, ends }
    }

    /// Stamps an event with the time and tells it to whoever watches.
    pub(crate) fn publish(&self, event: Event) -> Stamped {
        let stamped = Stamped { unix_ms: unix_ms(), event };
        // Nobody has to watch.
        self.events.send(stamped.clone()).unwrap_or_default();
        stamped
    }

    /// Tells whoever watches that the last event of `run` is stored.
    pub(crate) fn ended(&self, run: RunId) {
        // Nobody has to watch.
        self.ends.send(run).unwrap_or_default();
    }

    /// The events from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Stamped> {
        self.events.subscribe()
    }

    /// The runs that end from now on, each once its last event is stored; those only that end by
    /// this coordinator.
    pub(crate) fn ends(&self) -> broadcast::Receiver<RunId> {
        self.ends.subscribe()
    }
}

/// Now, in milliseconds since 1970.
pub(crate) fn unix_ms() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}
