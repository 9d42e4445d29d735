#![doc = include_str!("../README.md")]

pub mod naturalness;
pub mod params;
pub mod person_game;
pub mod players;
pub mod record;
pub mod rules;
pub mod studies;
pub mod trial;

pub use studies::{OthelloAdjust, OthelloArchive, OthelloLadder, OthelloMatch};
pub use trial::review::OthelloReviews;
pub use trial::simulation::OthelloGames;

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `const`, so that their code is generated in `jobs/catalog`, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 4] = [
    erased::<OthelloMatch>(),
    erased::<OthelloLadder>(),
    erased::<OthelloAdjust>(),
    erased::<OthelloArchive>(),
];
