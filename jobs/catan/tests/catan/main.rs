//! The tests of Catan, in one program: each compiles the game again.

#[path = "../../examples/ladder/arena.rs"]
mod arena;
mod balance;
mod board;
mod conformance;
mod design;
mod features;
mod findings;
mod haggler;
mod ladder;
mod learning;
mod maps;
mod parameters;
mod play;
mod players;
