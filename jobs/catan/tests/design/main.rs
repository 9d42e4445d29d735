//! The experiment `catan-design`.

mod certificates;
mod refusals;
mod steps;
mod world;
