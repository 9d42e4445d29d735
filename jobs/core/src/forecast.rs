//! An experiment's forecast of its work. Only estimates of the time left depend on it.

use std::ops::RangeInclusive;

/// A stretch of generations with similar trials.
///
/// ```
/// use hatchery_core::{CostTrend, WorkPhase};
///
/// // 30 generations of 1,000 games of a population that learns, then 400 games of its best.
/// let phases = [
///     WorkPhase::new(30, 1000..=1000, CostTrend::Rising { at_most: 1e4 }),
///     WorkPhase::new(1, 400..=400, CostTrend::Unknown),
/// ];
/// # assert_eq!(phases[0].n_generations + phases[1].n_generations, 31);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WorkPhase {
    /// The number of generations; a phase of 0 is skipped.
    pub n_generations: u32,
    /// The fewest and the most trials per generation. The fewest is 0 if the run may end before the
    /// generation.
    pub n_trials: RangeInclusive<u64>,
    /// The cost of a trial.
    pub cost: CostTrend,
    /// The cost of a trial, as a multiple of the cost of a trial in a phase with weight 1. It is
    /// larger where trials are known to take longer. Above 0.
    pub trial_weight: f64,
}

impl WorkPhase {
    /// Returns a phase whose trials have the weight 1.
    #[must_use]
    pub const fn new(n_generations: u32, n_trials: RangeInclusive<u64>, cost: CostTrend) -> Self {
        Self { n_generations, n_trials, cost, trial_weight: 1.0 }
    }

    /// Returns the phase with trials of this weight.
    #[must_use]
    pub fn with_trial_weight(self, trial_weight: f64) -> Self {
        Self { trial_weight, ..self }
    }
}

/// How the CPU time of a trial changes from generation to generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CostTrend {
    /// A trial costs about as much as the trials of earlier generations.
    Steady,
    /// A trial costs about as much as in the generation before, or more.
    Rising {
        /// The largest ratio of a trial's cost to the cost in the first generation of the run;
        /// infinity if there is no limit.
        at_most: f64,
    },
    /// The cost may rise or fall.
    Unknown,
}
