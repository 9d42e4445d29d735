//! The experiments: the only files that know the farm.

mod compare;
mod estimator;
mod evaluate;
mod evolve;
mod genotype;
mod names;
mod params;
mod simulation;
mod wording;

pub use compare::TetrisCompare;
pub use estimator::{ClimbsParam, EstimatorParam, SplittingParams};
pub use evaluate::TetrisEvaluate;
pub use evolve::TetrisEvolve;
pub use params::{
    BoardParams, ControllerParams, DrawParams, FeatureWeights, GameParams, LookaheadParams,
    LookaheadWeights, NetworkParams, OverflowParam, PieceParams, WellsParam,
};
pub use simulation::TetrisGames;

/// The parts of the specs and states, for building specs in code.
pub mod specs {
    pub use super::compare::{CompareSpec, CompareState, SearchParams};
    pub use super::evaluate::{EvaluateSpec, EvaluateState};
    pub use super::evolve::{ControllerKind, EvolveSpec, EvolveState, FitnessParams, JudgeParams};
}
