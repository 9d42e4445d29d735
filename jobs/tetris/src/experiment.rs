//! The experiments: the only files that know the farm.

mod compare;
mod estimator;
mod evaluate;
mod evolve;
mod evolved;
mod names;
mod params;
mod simulation;

pub use compare::TetrisCompare;
pub use estimator::{EstimatorParam, SplittingParams};
pub use evaluate::TetrisEvaluate;
pub use evolve::TetrisEvolve;
pub use params::{
    BoardParams, ControllerParams, DrawParams, FeatureWeights, GameParams, LookaheadParams,
    LookaheadWeights, NetworkParams, OverflowParam, PieceParams, WellsParam,
};
pub use simulation::TetrisGames;

/// What the experiments are made of, for those who write specs in code.
pub mod specs {
    pub use super::compare::{SearchParams, Spec as CompareSpec, State as CompareState};
    pub use super::evaluate::{Spec as EvaluateSpec, State as EvaluateState};
    pub use super::evolve::{Evolved, Fitness, Judge, Spec as EvolveSpec, State as EvolveState};
}
