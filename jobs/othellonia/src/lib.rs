#![doc = include_str!("../README.md")]

pub mod features;
pub mod generate;
pub mod learning;
pub mod mining;
pub mod params;
pub mod players;
pub mod pool;
pub mod record;
pub mod rules;
pub mod studies;
pub mod trial;

pub use studies::{
    OthelloniaImitate, OthelloniaImpact, OthelloniaLogs, OthelloniaMatrix, OthelloniaRepresent,
    OthelloniaSelfplay,
};
pub use trial::simulation::OthelloniaGames;

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
