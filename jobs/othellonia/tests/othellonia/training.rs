//! The tests of trials that record games and learn from them, and of the experiments that have
//! such trials.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod refused_specs;
mod reinforcement;
mod reinforcement_wire;
mod runs;
mod samples;
mod self_play;
mod trials;
mod wire;
