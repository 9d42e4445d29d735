//! Clusters of points: Ward's tree of clusters, and k-means.
//!
//! Both make the sum of squared distances of points from the mean of their cluster small. Ward's
//! method merges cluster by cluster and so shows how many there are; k-means takes that many means
//! and moves points to the nearest one until none moves. Points are slices of numbers with equal
//! lengths.

mod k_means;
mod points;
mod ward;

pub use k_means::{MAX_K_MEANS_STEPS, PointClusters, k_means};
pub use points::cluster_means;
pub use ward::{MAX_WARD_POINTS, WardMerge, WardTree};

#[cfg(test)]
mod tests;
