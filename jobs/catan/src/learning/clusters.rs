//! Clusters of least squared distance (k-means).

use hatchery_core::StreamRng;
use hatchery_stats::clustering;
pub use hatchery_stats::clustering::PointClusters;

use super::error::LearningError;
use super::training_set::{PointSet, squared_distance, to_f64};

/// A split of numbers into two clusters: those up to the threshold, and those above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoWaySplit {
    /// The mean of the low cluster.
    pub low: f64,
    /// The mean of the high cluster.
    pub high: f64,
    /// The midpoint of the two means. Every number is on the same side of the threshold as its
    /// cluster.
    pub threshold: f64,
}

/// Splits `values` into the two clusters with the least sum of squared distances from their means.
/// The split is exact, by trying all splits of the sorted values (Fisher, "On grouping for maximum
/// homogeneity", JASA 53, 1958). Of equal splits, the one with the smaller low cluster is taken.
///
/// # Errors
/// If a value is not from -10^75 to 10^75, or there are fewer than two different ones.
pub fn split_in_two(values: &[f64]) -> Result<TwoWaySplit, LearningError> {
    let points = PointSet::new(1, values.iter().map(|&value| [value]))?;
    let mut sorted: Vec<f64> = points.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    // Deviations from the middle lose less than raw values do.
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let total: f64 = sorted.iter().map(|value| value - middle).sum();
    let mut best: Option<(f64, TwoWaySplit)> = None;
    let mut sum = 0.0;
    for (idx, pair) in sorted.windows(2).enumerate() {
        sum += pair[0] - middle;
        if pair[1] <= pair[0] {
            continue;
        }
        let (below, above) = (to_f64(idx + 1), to_f64(sorted.len() - idx - 1));
        let (low, high) = (sum / below, (total - sum) / above);
        // The sum of squares between clusters: the sum within clusters is least when this is
        // largest.
        let between = below * above * (high - low) * (high - low);
        if best.is_none_or(|(most, _)| most < between) {
            let threshold = middle + (low + high) / 2.0;
            best =
                Some((between, TwoWaySplit { low: middle + low, high: middle + high, threshold }));
        }
    }
    let distinct = sorted.len().min(1);
    best.map(|(_, split)| split).ok_or(LearningError::Clusters { distinct, clusters: 2 })
}

/// Returns the best of `starts` runs (at least one) of k-means with `k` clusters: Lloyd's algorithm
/// (1982) from the seeding of Arthur & Vassilvitskii ("k-means++", SODA 2007), drawn from `rng`.
/// The result is not always the least possible inertia; clusters are in no particular order.
///
/// # Errors
/// If `k` is 0, or there are fewer than `k` different points.
///
/// # Panics
/// Never: the points have the same dimension, and the first centers are `k` different points.
pub fn k_means(
    points: &PointSet,
    k: usize,
    starts: u32,
    rng: &mut StreamRng,
) -> Result<PointClusters, LearningError> {
    if k == 0 {
        return Err(LearningError::Range {
            name: "number of clusters",
            value: 0.0,
            range: "at least 1",
        });
    }
    let rows: Vec<&[f64]> = points.iter().collect();
    let mut run = || -> Result<PointClusters, LearningError> {
        let clusters = clustering::k_means(&rows, seeds(points, k, rng)?);
        Ok(clusters.expect("points of one dimension, and k of them as centers"))
    };
    let mut best = run()?;
    for _ in 1..starts {
        let clusters = run()?;
        if clusters.inertia < best.inertia {
            best = clusters;
        }
    }
    Ok(best)
}

/// Draws points in proportion to their squared distance from the nearest one drawn before.
fn seeds(points: &PointSet, k: usize, rng: &mut StreamRng) -> Result<Vec<Vec<f64>>, LearningError> {
    let mut centers: Vec<Vec<f64>> = Vec::with_capacity(k);
    let mut distances = vec![1.0; points.len()];
    while centers.len() < k {
        let total: f64 = distances.iter().sum();
        let mut left = rng.unit_f64() * total;
        let chosen = distances.iter().position(|distance| {
            left -= distance;
            left < 0.0
        });
        // Rounding may leave a rest after the last point.
        let chosen = chosen.or_else(|| distances.iter().rposition(|&distance| 0.0 < distance));
        let Some(chosen) = chosen.filter(|_| 0.0 < total) else {
            return Err(LearningError::Clusters { distinct: centers.len(), clusters: k });
        };
        let center = points.get(chosen).to_vec();
        for (distance, point) in distances.iter_mut().zip(points.iter()) {
            let new = squared_distance(point, &center);
            *distance = if centers.is_empty() { new } else { distance.min(new) };
        }
        centers.push(center);
    }
    Ok(centers)
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    fn rng() -> StreamRng {
        RunSeed::new("clusters", 1).generation(0).stream("test")
    }

    #[test]
    fn splits_by_hand() {
        let split = split_in_two(&[3.0, 1.0, 10.0, 2.0, 12.0]).unwrap();
        assert_eq!(split, TwoWaySplit { low: 2.0, high: 11.0, threshold: 6.5 });
        // Far from 0 as well as near it.
        let far = split_in_two(&[1e9 + 3.0, 1e9 + 1.0, 1e9 + 10.0, 1e9 + 2.0, 1e9 + 12.0]).unwrap();
        assert!((far.threshold - 1e9 - 6.5).abs() < 1e-6);
        let split = split_in_two(&[0.0, 1.0, 0.0]).unwrap();
        assert_eq!(split, TwoWaySplit { low: 0.0, high: 1.0, threshold: 0.5 });
    }

    #[test]
    fn what_has_no_two_clusters_is_refused() {
        for (values, distinct) in [(&[][..], 0), (&[1.0], 1), (&[2.0; 9], 1)] {
            let error = split_in_two(values).unwrap_err();
            assert_eq!(error, LearningError::Clusters { distinct, clusters: 2 });
        }
        assert!(matches!(
            split_in_two(&[1.0, f64::NAN]),
            Err(LearningError::Number { point: 1, .. })
        ));
        let points = PointSet::new(2, [[1.0, 2.0], [1.0, 2.0], [3.0, 4.0]]).unwrap();
        let error = k_means(&points, 3, 1, &mut rng()).unwrap_err();
        assert_eq!(error, LearningError::Clusters { distinct: 2, clusters: 3 });
        assert!(k_means(&points, 0, 1, &mut rng()).is_err());
    }

    #[test]
    fn three_heaps_are_found() {
        let mut noise = rng();
        let heaps = [[0.1, 0.4], [0.4, 0.1], [0.25, 0.25]];
        let rows = (0..60).map(|idx| heaps[idx % 3].map(|x| x + 0.02 * noise.unit_f64()));
        let points = PointSet::new(2, rows).unwrap();
        let clusters = k_means(&points, 3, 5, &mut rng()).unwrap();
        assert!((0..57).all(|idx| clusters.members[idx] == clusters.members[idx + 3]));
        assert!(clusters.members[..3].contains(&2));
    }
}
