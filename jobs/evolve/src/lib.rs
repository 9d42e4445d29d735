//! Optimizers of lists of real genes whose scores are noisy, shared by the games that evolve.
//!
//! The individuals of an [`Optimizer`] are scored from outside, by any number of trials, and then
//! it returns the next generation: data flows one way, and all randomness comes in as a stream.
//! A [`Population`] selects among genomes and scores of any type, and leaves how they are bred to
//! its caller.
//!
//! - [`optimizer`]: a common interface to all optimizers
//! - [`cma`]: evolution strategy with covariance matrix adaptation
//! - [`cross_entropy`]: the noisy cross-entropy method
//! - [`allocation`]: most trials for the individuals that may be the best
//! - [`config`]: parameters of the genetic algorithm
//! - [`score`]: the order of scores, and exact mean scores
//! - [`individual`]: genomes and their scores
//! - [`population`]: the generations of the genetic algorithm
//! - [`operators`]: selection, crossover, mutation
//! - [`normal`]: normal random numbers

pub mod allocation;
pub mod cma;
pub mod config;
pub mod cross_entropy;
mod eigen;
pub mod individual;
pub mod normal;
pub mod operators;
pub mod optimizer;
pub mod population;
pub mod score;

pub use allocation::{AllocationStage, ScoringRound, StageOutcome, TrialAllocation};
pub use cma::{CmaConfig, CmaEs};
pub use config::{CrossoverOperator, GeneticConfig, ReplacementScheme};
pub use cross_entropy::{CrossEntropy, CrossEntropyConfig};
pub use individual::Individual;
pub use optimizer::{Optimizer, OptimizerConfig, OptimizerKind};
pub use population::Population;
pub use score::{MeanScore, RankedScore};
