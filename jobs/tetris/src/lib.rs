#![doc = include_str!("../README.md")]

pub mod batch;
pub mod dealing;
pub mod experiment;
pub mod features;
pub mod players;
pub mod rules;
mod scene;
pub mod splitting;
pub mod wire;

pub use experiment::{TetrisCompare, TetrisEvaluate, TetrisEvolve, TetrisGames};
