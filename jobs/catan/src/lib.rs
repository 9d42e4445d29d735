#![doc = include_str!("../README.md")]

pub mod board;
pub mod experiment;
pub mod features;
pub mod game;
pub mod learning;
pub mod map;
pub mod players;
pub mod resource;
pub mod results;
pub mod rules;
pub mod seat_balance;
pub mod setup;
pub mod streams;

pub use board::{Edge, Hex, Node, PortPlace};
pub use experiment::{CatanBalance, CatanDesign, CatanGames};
pub use map::Map;
pub use resource::{Resource, ResourceCards};

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `const`, so that their code is generated in `jobs/catalog`, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 2] =
    [erased::<CatanBalance>(), erased::<CatanDesign>()];
