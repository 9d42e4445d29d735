//! Summaries and intervals that hold up.
//!
//! Every formula cites its source, and every interval has a test of how often it covers the truth.
//! Sums are exact integers until the last division; all functions are those of `libm`, so results
//! are the same on every machine.

pub mod gamma;
pub mod mean;
pub mod median;
pub mod replicates;
pub mod summary;

pub use mean::mean_estimate;
pub use median::median_estimate;
pub use replicates::{MIN_REPLICATES, replicates_estimate};
pub use summary::Summary;

/// The confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;
