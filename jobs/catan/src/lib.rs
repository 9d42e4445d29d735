//! Catan, the base game for four players: its board, its maps, its rules.
//!
//! - [`board`]: hexes, nodes, edges and how they touch; the same in every game
//! - [`map`]: what lies on the hexes and in the ports; differs from game to game

pub mod board;
pub mod map;
pub mod resource;

pub use board::{Edge, Hex, Node, PortPlace};
pub use map::Map;
pub use resource::Resource;
