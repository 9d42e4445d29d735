#![doc = include_str!("../README.md")]

pub mod experiment;
mod noise;
pub mod simulation;
pub mod spec;
pub mod wire;

pub use experiment::Burn;
pub use noise::burn;
pub use simulation::BurnTrials;

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `const`, so that their code is generated in `jobs/catalog`, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 1] = [erased::<Burn>()];
