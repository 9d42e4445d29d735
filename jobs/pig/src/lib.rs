#![doc = include_str!("../README.md")]

pub mod experiment;
pub mod rules;
pub mod wire;

pub use experiment::{Pig, PigGames};

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate.
///
/// A `const`, so that their code is generated where they are listed, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 1] = [erased::<Pig>()];
