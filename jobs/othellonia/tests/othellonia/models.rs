//! The tests of learned agents.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod experiments;
mod file;
mod replays;
mod samples;
mod values;
