#![doc = include_str!("../README.md")]

pub mod experiment;
pub mod rules;
pub mod wire;

pub use experiment::{Pig, PigGames};

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `static`, so that their code is generated in this crate, and not in each program again.
pub static EXPERIMENTS: [&dyn AnyExperiment; 1] = [erased::<Pig>()];
