#![doc = include_str!("../README.md")]

pub mod experiment;
mod judge;
pub mod naturalness;
pub mod opening;
pub mod person_game;
mod play;
pub mod players;
pub mod record;
pub mod results;
pub mod rules;
pub mod setup;

pub use experiment::{OthelloAdjust, OthelloGames, OthelloLadder, OthelloMatch};

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `const`, so that their code is generated in `jobs/catalog`, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 3] =
    [erased::<OthelloMatch>(), erased::<OthelloLadder>(), erased::<OthelloAdjust>()];
