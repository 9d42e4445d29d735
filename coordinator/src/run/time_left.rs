//! Estimates of the wall-clock time that a run still takes, as ranges.
//!
//! ```text
//! time left = trials to come x CPU time of a trial / CPU seconds per second
//!             (phases)         (cost_model.rs)       (of late)
//! ```
//!
//! The number of remaining trials follows from the experiment's [phases](WorkPhase), if it has
//! phases. Otherwise a generation counts as one large trial. Nothing here reads a clock.

mod cost_model;
mod parallelism;
mod recent_rate;
mod segment;
#[cfg(test)]
mod tests;

use std::time::Duration;

use hatchery_core::{CostTrend, WorkPhase};

pub use recent_rate::RecentRate;

use super::record::{CostTotals, GenerationRecord};
use cost_model::CostModel;
pub(crate) use cost_model::as_f64;
use parallelism::RecentParallelism;

/// The logarithmic uncertainty that remains when everything is regular: other programs take CPU
/// time, and the last job of a generation keeps one slot busy while the other slots wait.
const LEAST_UNCERTAINTY: f64 = 0.18;

/// The logarithmic uncertainty of the cost of a generation's other trials while few costs are
/// known: the first subjects may be unlike the last subjects.
const SUBJECT_UNCERTAINTY: f64 = 0.35;

/// The share of a generation's trials above which the generation counts for the cost of later
/// generations.
const LEAST_PART: f64 = 0.3;

/// The share of a generation's trials that must be done before the first generation is judged.
const LEAST_SHARE: f64 = 0.04;

/// A wide range is shown once the run has done this share, judged by the lower end of the range.
/// Before, the first generations say too little about later generations.
const KNOWN_SHARE: f64 = 0.2;

/// The ratio of the ends above which a range counts as wide.
const WIDE_RATIO: f64 = 3.0;

/// A range is useless if its upper end is more than this many times its lower end, and also more
/// than this many times the elapsed time.
const USELESS_RATIO: f64 = 10.0;

/// The largest share of the time left that trials may have worked off without a report. A longer
/// silence is a standstill.
const MOST_UNREPORTED: f64 = 0.4;

/// The smallest difference between the ends.
const LEAST_WIDTH: Duration = Duration::from_millis(200);

/// The cost of a folded generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerationCost {
    /// The generation, counted from 0.
    pub generation: u32,
    /// Its trials.
    pub trials: u64,
    /// Their CPU time, over all workers.
    pub cpu: Duration,
    /// The time between the last fold and this generation's fold, not counting times without a
    /// leader.
    pub elapsed: Duration,
}

impl From<&GenerationRecord> for GenerationCost {
    fn from(record: &GenerationRecord) -> Self {
        let CostTotals { trials, cpu_ns, elapsed_ns, .. } = record.spent;
        let [cpu, elapsed] = [cpu_ns, elapsed_ns].map(Duration::from_nanos);
        Self { generation: record.generation, trials, cpu, elapsed }
    }
}

/// The progress of the current generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationProgress {
    /// The generation, counted from 0.
    pub generation: u32,
    /// Its trials.
    pub trials: u64,
    /// The share of its work that is done, from 0 to 1: see [`share_done`].
    pub share: f64,
    /// The CPU time of the trials that are done.
    pub cpu: Duration,
    /// The time since the last fold, not counting times without a leader.
    pub elapsed: Duration,
}

/// The progress of a generation's trials in one class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassProgress {
    /// The trials.
    pub trials: u64,
    /// The trials that are done.
    pub trials_done: u64,
    /// The CPU time of the trials that are done.
    pub cpu: Duration,
    /// The CPU time of a trial, if it is known better than from these trials alone.
    pub cpu_per_trial: Option<Duration>,
}

impl ClassProgress {
    /// Returns the CPU seconds that are left; `None` if the cost of a trial is unknown.
    fn cpu_left_s(&self) -> Option<f64> {
        let n_left = self.trials.saturating_sub(self.trials_done);
        let mean =
            || (self.trials_done != 0).then(|| self.cpu.as_secs_f64() / as_f64(self.trials_done));
        let cpu_s = self.cpu_per_trial.map(|cpu| cpu.as_secs_f64()).or_else(mean);
        match n_left {
            0 => Some(0.0),
            n => cpu_s.map(|cpu_s| cpu_s * as_f64(n)),
        }
    }
}

/// Returns the share of a generation's work that is done, from 0 to 1: the share of its trials or,
/// where some trials are long, the share of their CPU time. Returns 0 while that is unknown.
#[must_use]
pub fn share_done(pooled: ClassProgress, alone: ClassProgress) -> f64 {
    if alone.trials == 0 {
        return as_f64(pooled.trials_done) / as_f64(pooled.trials.max(1));
    }
    let (Some(pooled_s), Some(alone_s)) = (pooled.cpu_left_s(), alone.cpu_left_s()) else {
        return 0.0;
    };
    let done_s = pooled.cpu.as_secs_f64() + alone.cpu.as_secs_f64();
    let all_s = done_s + pooled_s + alone_s;
    if 0.0 < all_s { done_s / all_s } else { 0.0 }
}

/// A range of times: the run is expected to end between `low` and `high` from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    /// The shortest time left.
    pub low: Duration,
    /// The longest time left; not below `low`.
    pub high: Duration,
}

/// An estimator of the time that a run still takes.
///
/// Call [`folded`](Self::folded) for each folded generation, including the generations of earlier
/// leaders, and [`progressed`](Self::progressed) for the current generation. The estimator expects
/// a run that is worked on: a waiting, queued or paused run has no meaningful time left.
///
/// ```
/// use std::time::Duration;
///
/// use hatchery_coordinator::run::time_left::{GenerationCost, TimeLeft};
///
/// let mut time_left = TimeLeft::new(10, Vec::new());
/// assert_eq!(time_left.range(), None);
/// for generation in 0..5 {
///     let (cpu, elapsed) = (Duration::from_secs(8), Duration::from_secs(4));
///     time_left.folded(GenerationCost { generation, trials: 100, cpu, elapsed });
/// }
/// let range = time_left.range().unwrap();
/// assert!(range.low < Duration::from_secs(20) && Duration::from_secs(20) < range.high);
/// ```
#[derive(Clone, Debug)]
pub struct TimeLeft {
    n_generations: u32,
    phases: Vec<WorkPhase>,
    costs: CostModel,
    parallelism: RecentParallelism,
    current: Option<GenerationProgress>,
    /// The next generation to fold.
    generation: u32,
    /// The total time of the folded generations.
    elapsed: Duration,
}

impl TimeLeft {
    /// Returns the estimator of a run of at most `n_generations`, with the experiment's `phases`.
    #[must_use]
    pub fn new(n_generations: u32, phases: Vec<WorkPhase>) -> Self {
        Self {
            n_generations,
            phases,
            costs: CostModel::default(),
            parallelism: RecentParallelism::default(),
            current: None,
            generation: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// Counts a folded generation. A generation that is computed again replaces itself and all
    /// later generations.
    pub fn folded(&mut self, cost: GenerationCost) {
        let GenerationCost { generation, trials, cpu, elapsed } = cost;
        let known = self.current.take().filter(|current| current.generation == generation);
        let (known_cpu, known_elapsed) = known
            .map_or((Duration::ZERO, Duration::ZERO), |current| (current.cpu, current.elapsed));
        self.parallelism.add(cpu.saturating_sub(known_cpu), elapsed.saturating_sub(known_elapsed));
        self.costs.add(generation, self.weighted(generation, trials), cpu.as_secs_f64());
        self.generation = generation.saturating_add(1);
        self.elapsed = self.elapsed.saturating_add(elapsed);
    }

    /// Takes note of the progress of the current generation.
    pub fn progressed(&mut self, progress: GenerationProgress) {
        let before = self.current.replace(progress);
        let before = before.filter(|before| {
            before.generation == progress.generation && before.elapsed <= progress.elapsed
        });
        let (cpu, elapsed) =
            before.map_or((Duration::ZERO, Duration::ZERO), |before| (before.cpu, before.elapsed));
        self.parallelism
            .add(progress.cpu.saturating_sub(cpu), progress.elapsed.saturating_sub(elapsed));
        self.generation = progress.generation;
    }

    /// Returns the time left from the last call on, or `None` while it is unknown.
    #[must_use]
    pub fn range(&self) -> Option<TimeRange> {
        let current = self.current.filter(|current| current.trials != 0);
        let share = current.map_or(0.0, |it| it.share.clamp(0.0, 1.0));
        if self.costs.is_empty() && share < LEAST_SHARE {
            return None;
        }
        let (parallelism, uncertainty) = self.parallelism.estimate()?;
        let [low, high] = self.cpu_left(current, share);
        let margin = (uncertainty.powi(2) + LEAST_UNCERTAINTY.powi(2)).sqrt().exp();
        let (low, high) = (low / parallelism / margin, high / parallelism * margin);
        // Trials that are running report their CPU time when they end: by now, they have worked off
        // all of the time since the last report, or a part of it.
        let unreported = |left: f64| self.parallelism.unreported_s().min(left * MOST_UNREPORTED);
        let (low, high) = (low - unreported(low), high - unreported(high) / 2.0);
        let elapsed = self.elapsed.saturating_add(current.map_or(Duration::ZERO, |it| it.elapsed));
        let elapsed = elapsed.as_secs_f64();
        let is_useless = USELESS_RATIO * low < high && USELESS_RATIO * elapsed < high;
        let is_known = KNOWN_SHARE * (elapsed + low) <= elapsed;
        if is_useless || WIDE_RATIO * low < high && !is_known {
            return None;
        }
        let low = Duration::try_from_secs_f64(low).ok()?;
        let high = Duration::try_from_secs_f64(high).ok()?.max(low + LEAST_WIDTH);
        Some(TimeRange { low, high })
    }

    /// Returns the least and the most CPU seconds that the run still takes, if `share` of the
    /// current generation is done.
    fn cpu_left(&self, current: Option<GenerationProgress>, share: f64) -> [f64; 2] {
        let mut costs = self.costs.clone();
        let (mut left, mut next) = ([0.0; 2], self.generation);
        // The last generation whose cost is known.
        let mut known = self.generation.saturating_sub(1);
        if let Some(GenerationProgress { generation, trials, cpu, .. }) = current {
            let (n_trials, cpu_s) = (self.weighted(generation, trials), cpu.as_secs_f64());
            let cost = self.current_cost(generation, n_trials * share, cpu_s, share);
            left = cost.map(|cost| cost * n_trials * (1.0 - share));
            // A small part may be unlike the rest.
            if costs.is_empty() || LEAST_PART <= share {
                costs.push(generation, share, n_trials * share, cpu_s);
                known = generation;
            }
            next = generation.saturating_add(1);
        }
        for segment in segment::segments(&self.phases, self.n_generations, next) {
            let more = segment.cpu_s(&costs, known);
            left = [0, 1].map(|end| left[end] + more[end]);
        }
        left
    }

    /// Returns the least and the most cost of a remaining trial of `generation`, if `share` of the
    /// generation is done.
    fn current_cost(&self, generation: u32, n_done: f64, cpu_s: f64, share: f64) -> [f64; 2] {
        let trend = segment::segments(&self.phases, self.n_generations, generation)
            .next()
            .map_or(CostTrend::Unknown, |it| it.trend);
        let expected = self.costs.outlook(trend).map(|outlook| outlook.ahead(1.0));
        if n_done <= 0.0 || cpu_s <= 0.0 {
            return expected.unwrap_or([0.0, f64::INFINITY]);
        }
        let spread = SUBJECT_UNCERTAINTY * (1.0 - share);
        let seen = [-spread, spread].map(|spread| cpu_s / n_done * spread.exp());
        let Some(expected) = expected else { return seen };
        // The more of the generation is done, the more it tells about its rest.
        [0, 1].map(|end| expected[end].powf(1.0 - share) * seen[end].powf(share))
    }

    /// Returns the number of trials in a generation, by their weight, if the experiment has phases.
    /// Otherwise returns 1: the whole generation counts as one trial.
    fn weighted(&self, generation: u32, trials: u64) -> f64 {
        if self.phases.is_empty() {
            return 1.0;
        }
        let segment = segment::segments(&self.phases, self.n_generations, generation).next();
        as_f64(trials) * segment.map_or(1.0, |segment| segment.trial_weight)
    }
}
