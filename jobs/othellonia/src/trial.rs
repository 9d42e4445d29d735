//! Trials: the subjects and results that cross the wire, and the simulation that runs them.

pub(crate) mod play;
pub mod results;
pub(crate) mod scene;
pub(crate) mod series;
pub mod setup;
pub(crate) mod simulation;
pub(crate) mod training;
