#![doc = include_str!("../README.md")]

pub mod board;
pub mod features;
pub mod learning;
pub mod map;
pub mod params;
pub mod players;
pub mod resource;
pub mod rules;
pub mod streams;
pub mod studies;
pub mod trial;

pub use board::{Edge, Hex, Node, PortPlace};
pub use map::Map;
pub use resource::{Resource, ResourceCards};
pub use studies::{CatanBalance, CatanDesign};
pub use trial::simulation::CatanGames;

use hatchery_core::{AnyExperiment, erased};

/// The experiments of this crate, as the catalog lists them.
///
/// A `const`, so that their code is generated in `jobs/catalog`, and not here as well.
pub const EXPERIMENTS: [&dyn AnyExperiment; 2] =
    [erased::<CatanBalance>(), erased::<CatanDesign>()];
