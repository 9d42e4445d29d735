//! Estimates a run's recent rate and the time that it still takes.

use std::time::Duration;

use hatchery_core::WorkPhase;

use crate::run::machine::RunMachine;
use crate::run::record::{GenerationRecord, LiveProgress, TimeLeftRange};
use crate::run::time_left::{GenerationCost, RecentRate, TimeLeft, TimeRange};

/// The least interval between estimates of the time left: an estimate goes through all remaining
/// generations.
const ESTIMATE_EVERY: Duration = Duration::from_millis(500);

/// The time that a leader needs to read the results of a run that it has taken over.
const TAKEOVER: Duration = Duration::from_secs(1);

/// The rate and the time left of a run that is led here. All times count from the leader's start.
#[derive(Debug)]
pub(super) struct RunForecast {
    rate: RecentRate,
    estimator: TimeLeft,
    time_left: Option<TimeLeftRange>,
    next_estimate: Duration,
    /// The current generation, and the most trials that were reported as done in it.
    most_done: (u32, u64),
    /// The time from which trials count for the rate.
    rate_from: Duration,
}

impl RunForecast {
    /// Creates the forecast of a run of at most `n_generations`, with the experiment's `phases`.
    pub(super) fn new(n_generations: u32, phases: Vec<WorkPhase>) -> Self {
        Self {
            rate: RecentRate::default(),
            estimator: TimeLeft::new(n_generations, phases),
            time_left: None,
            next_estimate: Duration::ZERO,
            most_done: (0, 0),
            rate_from: Duration::ZERO,
        }
    }

    /// Leaves the first moments out of the rate: then the leader reads results that an earlier
    /// leader left.
    pub(super) fn take_over(&mut self) {
        self.rate_from = TAKEOVER;
    }

    /// Counts a folded generation, including generations of earlier leaders.
    pub(super) fn folded(&mut self, record: &GenerationRecord) {
        self.estimator.folded(GenerationCost::from(record));
    }

    /// Returns the progress of the run at time `now`. Within a generation, progress never
    /// decreases.
    pub(super) fn progress(&mut self, machine: &RunMachine, now: Duration) -> LiveProgress {
        let mut live = machine.progress();
        let (generation, most_done) = self.most_done;
        if generation == live.generation {
            // Trials of jobs that wait for an earlier one are an estimate.
            let lead = most_done.saturating_sub(live.trials_done);
            live.trials_done += lead;
            live.trials_total = live.trials_total.saturating_add(lead);
        }
        self.most_done = (live.generation, live.trials_done);
        if self.rate_from <= now {
            self.rate.observe(now, live.trials_total);
        }
        if let Some(progress) = machine.generation_progress(now) {
            self.estimator.progressed(progress);
        }
        if self.next_estimate <= now {
            self.next_estimate = now + ESTIMATE_EVERY;
            self.time_left = self.estimator.range().map(TimeLeftRange::from);
        }
        let trials_per_kilosecond = self.rate.per_kilosecond();
        LiveProgress { trials_per_kilosecond, time_left: self.time_left, ..live }
    }
}

impl From<TimeRange> for TimeLeftRange {
    fn from(TimeRange { low, high }: TimeRange) -> Self {
        let [low_ms, high_ms] =
            [low, high].map(|end| u64::try_from(end.as_millis()).unwrap_or(u64::MAX));
        Self { low_ms, high_ms }
    }
}
