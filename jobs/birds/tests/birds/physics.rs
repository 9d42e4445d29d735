//! The physics of levels: reference scenes, bits, flights and players.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod determinism;
mod flights;
mod levels;
mod odd_levels;
mod players;
mod scenes;
mod stability;
