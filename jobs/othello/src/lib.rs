#![doc = include_str!("../README.md")]

pub mod experiment;
mod judge;
pub mod naturalness;
pub mod opening;
pub mod person_game;
mod play;
pub mod players;
pub mod record;
pub mod results;
pub mod rules;
pub mod setup;
pub mod wire;

pub use experiment::{OthelloAdjust, OthelloGames, OthelloLadder, OthelloMatch};
