#![doc = include_str!("../README.md")]

pub mod batch;
pub mod dealing;
pub mod experiment;
pub mod features;
pub mod players;
pub mod rules;
mod scene;
pub mod splitting;
pub mod wire;

pub use experiment::{TetrisCompare, TetrisEvaluate, TetrisEvolve, TetrisGames};

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `const`, so that their code is generated in `jobs/catalog`, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 3] =
    [erased::<TetrisEvolve>(), erased::<TetrisEvaluate>(), erased::<TetrisCompare>()];
