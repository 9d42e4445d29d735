//! The tests of the impact of a new piece.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod conformance;
mod games;
mod refused_specs;
mod runs;
mod vectors;
