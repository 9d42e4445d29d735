//! Checks what is learned from records of games, and that it is the same bytes every time.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod files;
mod games;
mod imitation;
mod reinforcement;
mod representation;
mod samples;
