//! The tests of Othello, in one program.

mod adjust;
mod agents;
mod conformance;
mod endgames;
mod generator;
mod ladder;
mod naive;
mod naturalness;
mod perft_tables;
mod playouts;
mod records;
mod refused;
