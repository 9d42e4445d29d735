//! The tests of Othello, in one program.

mod adjust;
mod agents;
mod archived_games;
mod archives;
mod conformance;
mod endgames;
mod generator;
mod ladder;
mod naive;
mod naturalness;
mod parameters;
mod perft_tables;
mod person_games;
mod playouts;
mod protobuf;
mod records;
mod refused;
mod refused_results;
mod refused_saves;
mod refused_setups;
mod refused_specs;
mod reports;
mod trials;
mod wire_properties;
