//! Genetic algorithms over lists of real genes, shared by the games that evolve.
//!
//! A [`Population`] is scored from outside, by as many games as one likes, and then gives the next:
//! data flows one way, and all randomness comes in as a stream.
//!
//! - [`config`]: what a person chooses
//! - [`score`]: what an individual scored, exactly
//! - [`population`]: individuals, and how one generation leads to the next
//! - [`operators`]: selection, crossover, mutation

pub mod config;
pub mod operators;
pub mod population;
pub mod score;

pub use config::{Config, Crossover, Scheme};
pub use population::{Individual, Population};
pub use score::Score;
