#![doc = include_str!("../README.md")]

pub mod adaptation;
pub mod adaptive_game;
pub mod evolution;
pub mod level;
pub mod params;
pub mod players;
pub mod studies;
pub mod trial;
pub mod world;

pub use level::{Level, LevelError};
pub use studies::{BirdsAdapt, BirdsEvaluate, BirdsGenerate};
pub use trial::simulation::BirdsLevels;
pub use world::playout::LevelPlayout;
pub use world::{LevelWorld, PhysicsSettings};

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `const`, so that their code is generated in `jobs/catalog`, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 3] =
    [erased::<BirdsGenerate>(), erased::<BirdsEvaluate>(), erased::<BirdsAdapt>()];
