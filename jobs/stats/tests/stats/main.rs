//! The tests of the statistics, in one program.

mod balance;
mod clustering;
mod coverage;
mod linear_models;
mod pairs;
mod strength;
mod symmetry;
