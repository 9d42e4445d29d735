//! The tests of Tetris, in one program: each compiles the games again.

mod conformance;
mod correlation;
mod dealing;
mod findings;
mod instruction_sets;
mod lookahead;
mod parameters;
mod published;
mod queue;
mod splitting;
mod surface;
mod traces;
mod trials;
mod weight_sets;
