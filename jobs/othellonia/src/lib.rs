#![doc = include_str!("../README.md")]

pub mod agents;
pub mod experiment;
pub mod features;
pub mod game_file;
pub mod generate;
pub mod learning;
pub mod mining;
pub mod model;
mod play;
pub mod pool;
pub mod record;
pub mod record_file;
pub mod results;
pub mod rules;
pub mod setup;
mod training;

pub use experiment::{
    OthelloniaGames, OthelloniaImitate, OthelloniaImpact, OthelloniaLogs, OthelloniaMatrix,
    OthelloniaRepresent, OthelloniaSelfplay,
};

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `const`, so that their code is generated in `jobs/catalog`, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 6] = [
    erased::<OthelloniaMatrix>(),
    erased::<OthelloniaLogs>(),
    erased::<OthelloniaRepresent>(),
    erased::<OthelloniaImitate>(),
    erased::<OthelloniaSelfplay>(),
    erased::<OthelloniaImpact>(),
];
