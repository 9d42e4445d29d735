//! The experiments: the only files that know the farm.

mod compare;
mod evaluate;
mod evolve;
mod genotype;
mod player_results;
mod wording;

pub use compare::TetrisCompare;
pub use evaluate::TetrisEvaluate;
pub use evolve::TetrisEvolve;

/// The parts of the specs and states, for building specs in code.
pub mod specs {
    pub use super::compare::{CheckedCompare, CompareSpec, CompareState, SearchParams};
    pub use super::evaluate::{CheckedEvaluate, EvaluateSpec, EvaluateState};
    pub use super::evolve::{
        CheckedEvolve, ControllerKind, EvolveSpec, EvolveState, FitnessParams, JudgeParams,
    };
}
