//! The tests of the card game, in one program.

mod actions;
mod agreement;
mod checksums;
mod conformance;
mod dominance;
mod generated_pools;
mod logs;
mod logs_decks;
mod matrices;
mod mining;
mod naive;
mod playthrough;
mod pools;
mod previews;
mod random_decks;
mod readme;
mod refused_results;
mod refused_specs;
mod synthetic;
mod wire_properties;
mod worked_game;
