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
    ControllerParams, FeatureWeights, LookaheadParams, LookaheadWeights, SurfaceParams,
};
pub use estimator::EstimatorParam;
pub use evaluate::TetrisEvaluate;
pub use evolve::TetrisEvolve;
pub use params::{DrawParams, GameParams, PieceLetters, PieceParams};
pub use simulation::TetrisGames;

/// The parts of the specs and states, for building specs in code.
pub mod specs {
    pub use super::compare::{CheckedCompare, CompareSpec, CompareState, SearchParams};
    pub use super::evaluate::{CheckedEvaluate, EvaluateSpec, EvaluateState};
    pub use super::evolve::{
        CheckedEvolve, ControllerKind, EvolveSpec, EvolveState, FitnessParams, JudgeParams,
    };
}
