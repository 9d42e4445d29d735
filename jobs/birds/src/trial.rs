//! Trials: the subjects and results that cross the wire, and the simulation that runs them.

pub mod results;
pub mod scene;
pub(crate) mod settled_level;
pub mod setup;
pub(crate) mod simulation;
