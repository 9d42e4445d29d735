//! Levels as texts, messages, pictures and numbers.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod faults;
mod game_reader;
mod hostile;
mod metrics;
mod pictures;
pub(super) mod samples;
mod specs;
mod texts;
