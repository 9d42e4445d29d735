#![doc = include_str!("../README.md")]

pub mod experiment;
mod noise;
pub mod simulation;
pub mod spec;
pub mod wire;

pub use experiment::Burn;
pub use noise::burn;
pub use simulation::BurnTrials;
