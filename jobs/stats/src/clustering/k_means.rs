//! K-means.

use super::points::{check_points, cluster_means, squared_distance};
use crate::error::StatsError;

/// The most steps of k-means, if it has not converged before.
pub const MAX_K_MEANS_STEPS: u32 = 300;

/// Clusters of points.
#[derive(Clone, Debug, PartialEq)]
pub struct PointClusters {
    /// The means of the clusters.
    pub centers: Vec<Vec<f64>>,
    /// The clusters' indices by point.
    pub members: Vec<usize>,
    /// The sum of squared distances of points from the mean of their cluster.
    pub inertia: f64,
}

/// Returns the clusters that k-means finds from the initial `centers`, by the algorithm of Lloyd
/// ("Least squares quantization in PCM", IEEE Transactions on Information Theory 28, 1982): each
/// point joins the nearest center, among equally near centers the first; each center moves to the
/// mean of its points, and one without points stays; until no point changes its cluster, or for 300
/// steps.
///
/// No step makes the inertia larger, but the result depends on the initial centers, and need not be
/// the least possible inertia. Clusters have the order of their centers.
///
/// # Errors
/// If there are no points or no centers, they differ in their number of coordinates, or a
/// coordinate is not from -1e100 to 1e100.
pub fn k_means<P: AsRef<[f64]>>(
    points: &[P],
    mut centers: Vec<Vec<f64>>,
) -> Result<PointClusters, StatsError> {
    let Some(first) = points.first() else {
        return Err(StatsError::PointCount { n: 0, most: usize::MAX });
    };
    let (n, k, expected) = (points.len(), centers.len(), first.as_ref().len());
    if k == 0 {
        return Err(StatsError::ClusterCount { k, n, least: 1, most: n });
    }
    check_points("point", points, expected)?;
    check_points("center", &centers, expected)?;
    let mut members = assign(points, &centers);
    for _ in 0..MAX_K_MEANS_STEPS {
        let means = cluster_means(points, &members, k);
        for (center, mean) in centers.iter_mut().zip(means) {
            if let Some(mean) = mean {
                *center = mean;
            }
        }
        let next = assign(points, &centers);
        if next == members {
            break;
        }
        members = next;
    }
    let of_members = points.iter().zip(&members);
    let distance =
        |(point, &member): (&P, &usize)| squared_distance(point.as_ref(), &centers[member]);
    let inertia = of_members.map(distance).sum();
    Ok(PointClusters { centers, members, inertia })
}

/// Returns the nearest center for each point; among equally near centers, the first.
fn assign<P: AsRef<[f64]>>(points: &[P], centers: &[Vec<f64>]) -> Vec<usize> {
    let nearest = |point: &P| {
        let (mut nearest, mut least) = (0, f64::INFINITY);
        for (idx, center) in centers.iter().enumerate() {
            let distance = squared_distance(point.as_ref(), center);
            if distance < least {
                (nearest, least) = (idx, distance);
            }
        }
        nearest
    };
    points.iter().map(nearest).collect()
}
