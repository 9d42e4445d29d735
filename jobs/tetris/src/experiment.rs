//! The experiments: the only files that know the farm.

mod compare;
mod controller_params;
mod estimator;
mod evaluate;
mod evolve;
mod genotype;
mod names;
mod params;
mod simulation;
mod wording;

pub use compare::TetrisCompare;
pub use controller_params::{
    ControllerParams, FeatureWeights, LookaheadParams, LookaheadWeights, NetworkParams,
    SurfaceParams, WellsParam,
};
pub use estimator::{ClimbsParam, EstimatorParam, SplittingParams};
pub use evaluate::TetrisEvaluate;
pub use evolve::TetrisEvolve;
pub use params::{BoardParams, DrawParams, GameParams, OverflowParam, PieceLetters, PieceParams};
pub use simulation::TetrisGames;

/// The parts of the specs and states, for building specs in code.
pub mod specs {
    pub use super::compare::{CompareSpec, CompareState, SearchParams};
    pub use super::evaluate::{EvaluateSpec, EvaluateState};
    pub use super::evolve::{ControllerKind, EvolveSpec, EvolveState, FitnessParams, JudgeParams};
}
