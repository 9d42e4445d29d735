#![doc = include_str!("../README.md")]

pub mod experiment;
pub mod wire;

pub use experiment::{Burn, BurnTrials, burn};
