//! Optimizers of lists of real genes whose scores are noisy, shared by the games that evolve.
//!
//! A [`Search`] is scored from outside, by as many games as one likes, and then gives the next:
//! data flows one way, and all randomness comes in as a stream.
//!
//! - [`search`]: all optimizers alike
//! - [`cma`]: evolution strategy with covariance matrix adaptation
//! - [`cross_entropy`]: the noisy cross-entropy method
//! - [`allocation`]: most games for those who may be the best
//! - [`config`]: what a person chooses of the genetic algorithm
//! - [`score`]: what an individual scored, exactly
//! - [`population`]: individuals, and how one generation leads to the next
//! - [`operators`]: selection, crossover, mutation
//! - [`normal`]: normal random numbers

pub mod allocation;
pub mod cma;
pub mod config;
pub mod cross_entropy;
mod eigen;
pub mod normal;
pub mod operators;
pub mod population;
pub mod score;
pub mod search;

pub use allocation::{AfterStage, Allocation, Round, Stage};
pub use cma::{CmaConfig, CmaEs};
pub use config::{Config, Crossover, Scheme};
pub use cross_entropy::{CrossEntropy, CrossEntropyConfig};
pub use population::{Individual, Population};
pub use score::Score;
pub use search::{Method, Optimizer, Search};
