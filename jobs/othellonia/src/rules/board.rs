//! The board: cells, sets of cells, and the lines of outflanked pieces.

pub(crate) mod cell;
pub(crate) mod lines;
