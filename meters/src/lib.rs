//! The metrics of coordinators and workers, exported to Prometheus.
//!
//! - [`list`]: every metric with its type, labels and meaning: the only place that names metrics
//! - [`labels`]: the values that labels can have, with their meanings
//! - [`coordinator`], [`worker`]: the meters by role, handed down from where the role starts: there
//!   is no global meter
//! - `builder`: builds meters from the list
//!
//! Counting is one-way: no computation of a run reads a meter.

mod builder;
pub mod coordinator;
pub mod labels;
pub mod list;
pub mod worker;

pub use coordinator::CoordinatorMeters;
pub use list::{METRICS, Metric, MetricRole, MetricType};
pub use worker::WorkerMeters;

/// The media type of a role's metrics.
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
