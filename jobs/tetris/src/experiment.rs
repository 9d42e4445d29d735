//! The experiments: the only files that know the farm.

use hatchery_core::Measure;
use hatchery_stats::{Summary, mean_estimate, median_estimate};

mod evaluate;
mod evolve;
mod params;
mod trial;

pub use evaluate::TetrisEvaluate;
pub use evolve::TetrisEvolve;
pub use params::{
    BoardParams, ControllerParams, DrawParams, FeatureWeights, GameParams, NetworkParams,
    OverflowParam, PieceParams, WellsParam,
};

/// What the experiments are made of, for those who write specs in code.
pub mod specs {
    pub use super::evaluate::{Spec as EvaluateSpec, State as EvaluateState};
    pub use super::evolve::{Fitness, Judge, Spec as EvolveSpec, State as EvolveState};
}

/// The mean, standard deviation, median and coefficient of variation of the scores `lines`, which
/// `named` names.
fn score_measures(named: &dyn Fn(&str) -> String, lines: &[u64]) -> Vec<Measure> {
    let summary = Summary::of(lines.iter().copied());
    let mut sorted = lines.to_vec();
    sorted.sort_unstable();
    vec![
        Measure::new(named("mean"), "lines", mean_estimate(&summary)),
        Measure::new(named("median"), "lines", median_estimate(&sorted)),
        Measure::new(named("sd"), "lines", summary.sd()),
        Measure::new(named("cv"), "", summary.cv()),
    ]
}
