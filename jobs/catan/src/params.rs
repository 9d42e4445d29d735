//! The parts of specs that the studies share.

pub mod maps;
pub mod method;
