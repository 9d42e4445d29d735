//! The tests of the levels, their physics and their experiments, in one program.

mod adaptive_game;
mod experiments;
mod findings;
mod levels;
mod parameters;
mod physics;
mod trials;
