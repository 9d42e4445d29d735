//! The experiment `catan-design`.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod breeding;
mod certificates;
mod panel;
mod refusals;
mod steps;
mod world;
