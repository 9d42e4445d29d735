//! What coordinators and workers count, and how Prometheus reads it.
//!
//! - [`list`]: every metric with its type, labels and meaning: the one place that names them
//! - [`labels`]: the values that labels can have, and their doc comments what they stand for
//! - [`coordinator`], [`worker`]: the meters of each role. They are handed down from where the role
//!   starts; there is no global one
//! - `book`: how meters are made from the list
//!
//! Counting is one-way: nothing that a run computes reads a meter.

mod book;
pub mod coordinator;
pub mod labels;
pub mod list;
pub mod worker;

pub use coordinator::CoordinatorMeters;
pub use list::{METRICS, Metric, Role, Type};
pub use worker::WorkerMeters;

/// The media type of what the meters of a role say.
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
