#![doc = include_str!("../README.md")]

pub mod batch;
pub mod dealing;
pub mod features;
pub mod params;
pub mod players;
pub mod rules;
pub mod splitting;
pub mod studies;
pub mod trial;

pub use studies::{TetrisCompare, TetrisEvaluate, TetrisEvolve};
pub use trial::simulation::TetrisGames;

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `const`, so that their code is generated in `jobs/catalog`, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 3] =
    [erased::<TetrisEvolve>(), erased::<TetrisEvaluate>(), erased::<TetrisCompare>()];
