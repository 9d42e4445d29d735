//! The tests of Othello, in one program.

mod endgames;
mod generator;
mod naive;
mod perft_tables;
mod playouts;
mod records;
mod refused;
