//! Checks and means of points, for both methods.

use crate::count::to_f64;
use crate::error::StatsError;

/// The largest absolute value of a coordinate: sums of squares of differences stay finite.
const LARGEST: f64 = 1e100;

/// Checks that points have as many coordinates as `expected`, and that all coordinates are finite
/// and not too large.
///
/// # Errors
/// If a point has not; `name` says what kind of point it is.
pub(super) fn check_points<P: AsRef<[f64]>>(
    name: &'static str,
    points: &[P],
    expected: usize,
) -> Result<(), StatsError> {
    for (index, point) in points.iter().enumerate() {
        let length = point.as_ref().len();
        if length != expected {
            return Err(StatsError::PointMismatch { name, index, length, expected });
        }
        let is_valid = |value: &&f64| value.abs() <= LARGEST;
        if let Some(&value) = point.as_ref().iter().find(|value| !is_valid(value)) {
            let range = "from -1e100 to 1e100";
            return Err(StatsError::OutOfRange { name: "a coordinate", value, range });
        }
    }
    Ok(())
}

/// Returns the square of the distance of two points.
pub(super) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Returns the means of the points in `k` clusters; `None` for a cluster without points. `members`
/// is the index of the cluster by point.
#[must_use]
pub fn cluster_means<P: AsRef<[f64]>>(
    points: &[P],
    members: &[usize],
    k: usize,
) -> Vec<Option<Vec<f64>>> {
    let mut own: Vec<Vec<&[f64]>> = vec![Vec::new(); k];
    for (point, &member) in points.iter().zip(members) {
        if let Some(cluster) = own.get_mut(member) {
            cluster.push(point.as_ref());
        }
    }
    let mean = |own: Vec<&[f64]>| {
        let dimension = own.first()?.len();
        let sum = |axis: usize| own.iter().map(|point| point[axis]).sum::<f64>();
        Some((0..dimension).map(|axis| sum(axis) / to_f64(own.len() as u64)).collect())
    };
    own.into_iter().map(mean).collect()
}
