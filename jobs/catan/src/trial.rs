//! Trials: the subjects and results that cross the wire, and the simulation that runs them.

pub mod catanatron;
pub mod game;
pub mod results;
pub(crate) mod scene;
pub mod seat_balance;
pub mod setup;
pub(crate) mod simulation;
