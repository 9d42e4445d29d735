//! Trials: the subjects and results that cross the wire, and the simulation that runs them.

pub(crate) mod judge;
pub mod opening;
pub(crate) mod play;
pub mod results;
pub(crate) mod scene;
pub mod setup;
pub(crate) mod simulation;
