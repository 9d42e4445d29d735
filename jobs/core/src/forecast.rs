//! An experiment's forecast of its work. Only estimates of the time left depend on it.

use std::ops::RangeInclusive;

/// A stretch of generations with similar trials.
///
/// ```
/// use hatchery_core::{CostTrend, WorkPhase};
///
/// // 30 generations of 1,000 games of a population that learns, then 400 games of its best.
/// let phases = [
///     WorkPhase {
///         n_generations: 30,
///         n_trials: 1000..=1000,
///         cost: CostTrend::Rising { at_most: 1e4 },
///     },
///     WorkPhase { n_generations: 1, n_trials: 400..=400, cost: CostTrend::Unknown },
/// ];
/// # assert_eq!(phases[0].n_generations + phases[1].n_generations, 31);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WorkPhase {
    /// The number of generations; a phase of 0 is skipped.
    pub n_generations: u32,
    /// The fewest and the most trials of each generation. 0 is the fewest where the run may end
    /// before the generation.
    pub n_trials: RangeInclusive<u64>,
    /// The cost of a trial.
    pub cost: CostTrend,
}

/// The way in which the CPU time of a trial changes from generation to generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CostTrend {
    /// A trial costs about as much as those of the generations before.
    Steady,
    /// A trial costs about as much as in the generation before, or more.
    Rising {
        /// The largest factor by which a trial may cost more than in the first generation of the
        /// run; infinity if there is no limit.
        at_most: f64,
    },
    /// The cost may rise or fall.
    Unknown,
}
