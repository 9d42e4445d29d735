//! The board: 19 land hexes, 54 nodes, 72 edges, 9 port places, and how they touch.
//!
//! Hexes are pointy-top, in axial coordinates: `q` grows to the east, `r` to the south-east. Hexes,
//! nodes and edges are numbered row by row from top to bottom, and from west to east within a row.
//! The compiler computes all tables.
//!
//! ```text
//!           r
//!   -2         0  1  2
//!   -1        3  4  5  6
//!    0      7  8  9 10 11
//!    1       12 13 14 15
//!    2         16 17 18
//! ```

mod axial;
mod places;
mod sets;
mod topology;

mod adjacency;
mod symmetry;

pub use axial::{Axial, Direction};
pub use places::{Edge, Hex, Node, PortPlace};
pub use sets::{EdgeSet, NodeSet};
pub use symmetry::{SYMMETRIES, Symmetry};

/// The hexes from the east corner inward, counter-clockwise. The rulebook lays out the number
/// tokens in this order (Almanac, "Number tokens").
pub const SPIRAL: [Hex; Hex::COUNT] = topology::spiral();
