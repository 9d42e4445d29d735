#![doc = include_str!("../README.md")]

pub mod experiment;
pub mod rules;
pub mod wire;

pub use experiment::{Pig, PigGames};
