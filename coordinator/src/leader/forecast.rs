//! Estimates a run's recent rate and the time that it still takes.

use std::time::Duration;

use hatchery_core::WorkPhase;

use crate::machine::RunMachine;
use crate::record::{GenerationRecord, LiveProgress, TimeLeftRange};
use crate::time_left::{GenerationCost, RecentRate, TimeLeft, TimeRange};

/// The least interval between estimates of the time left: an estimate goes through all generations
/// to come.
const ESTIMATE_EVERY: Duration = Duration::from_millis(500);

/// The rate and the time left of a run that is led here. All times count from the leader's start.
#[derive(Debug)]
pub(super) struct RunForecast {
    rate: RecentRate,
    time_left: TimeLeft,
    left: Option<TimeLeftRange>,
    next_estimate: Duration,
}

impl RunForecast {
    /// Creates the forecast of a run of at most `n_generations`, with the experiment's `phases`.
    pub(super) fn new(n_generations: u32, phases: Vec<WorkPhase>) -> Self {
        Self {
            rate: RecentRate::default(),
            time_left: TimeLeft::new(n_generations, phases),
            left: None,
            next_estimate: Duration::ZERO,
        }
    }

    /// Counts a folded generation, also one of an earlier leader.
    pub(super) fn folded(&mut self, record: &GenerationRecord) {
        self.time_left.folded(GenerationCost::from(record));
    }

    /// Returns the progress of the run at time `now`.
    pub(super) fn progress(&mut self, machine: &RunMachine, now: Duration) -> LiveProgress {
        let live = machine.progress();
        self.rate.observe(now, live.trials_total);
        if let Some(progress) = machine.generation_progress(now) {
            self.time_left.progressed(progress);
        }
        if self.next_estimate <= now {
            self.next_estimate = now + ESTIMATE_EVERY;
            self.left = self.time_left.range().map(TimeLeftRange::from);
        }
        let per_kilosecond = (1000.0 * self.rate.per_second().unwrap_or_default()).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let trials_per_kilosecond = per_kilosecond as u64;
        LiveProgress { trials_per_kilosecond, left: self.left, ..live }
    }
}

impl From<TimeRange> for TimeLeftRange {
    fn from(TimeRange { low, high }: TimeRange) -> Self {
        let [low_ms, high_ms] =
            [low, high].map(|end| u64::try_from(end.as_millis()).unwrap_or(u64::MAX));
        Self { low_ms, high_ms }
    }
}
