//! The tests of the experiment whose networks learn from their own games.

mod failures;
mod made_up;
mod refused_specs;
mod runs;
mod spec;
mod strength;
