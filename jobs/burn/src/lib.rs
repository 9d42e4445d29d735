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
/// A `static`, so that their code is generated in this crate, and not in each program again.
pub static EXPERIMENTS: [&dyn AnyExperiment; 1] = [erased::<Burn>()];
