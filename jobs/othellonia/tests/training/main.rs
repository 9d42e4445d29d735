//! The tests of trials that record games and learn from them, and of the experiments that have
//! such trials, in one program.

mod refused_specs;
mod runs;
mod trials;
mod wire;
