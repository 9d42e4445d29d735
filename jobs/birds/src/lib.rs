#![doc = include_str!("../README.md")]

pub mod adaptation;
pub mod adaptive_game;
pub mod ballistics;
pub mod evolution;
pub mod experiment;
mod film_strip;
pub mod fitness;
pub mod genome;
pub mod level;
pub mod players;
pub mod playout;
pub mod results;
pub mod scene;
mod settled_level;
pub mod setup;
pub mod simulation;
pub mod world;

pub use experiment::{BirdsAdapt, BirdsEvaluate, BirdsGenerate};
pub use level::{Level, LevelError};
pub use playout::LevelPlayout;
pub use simulation::BirdsLevels;
pub use world::{LevelWorld, PhysicsSettings};

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `const`, so that their code is generated in `jobs/catalog`, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 3] =
    [erased::<BirdsGenerate>(), erased::<BirdsEvaluate>(), erased::<BirdsAdapt>()];
