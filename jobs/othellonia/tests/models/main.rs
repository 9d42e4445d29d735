//! The tests of learned agents.

mod file;
mod samples;
mod values;
