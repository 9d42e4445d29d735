//! Ward's method and k-means on real data and on random points.

use hatchery_stats::clustering::cluster_means;
use hatchery_stats::{WardTree, k_means};
use proptest::prelude::*;

/// The 150 irises of Fisher ("The use of multiple measurements in taxonomic problems", Annals of
/// Eugenics 7, 1936), in centimeters.
fn irises() -> Vec<Vec<f64>> {
    let rows = include_str!("iris.csv").lines();
    let number = |it: &str| it.parse().expect("a number");
    rows.map(|row| row.split(',').map(number).collect()).collect()
}

fn sizes(members: &[usize], k: usize) -> Vec<usize> {
    (0..k).map(|cluster| members.iter().filter(|it| **it == cluster).count()).collect()
}

/// The heights and sizes come from scipy 1.17, the ratios from scikit-learn. From the means of
/// Ward's three clusters, k-means finds the least inertia that is known of three, 78.85144, which
/// scikit-learn finds as the best of 50 starts.
#[test]
fn irises_have_their_published_clusters() {
    let points = irises();
    let tree = WardTree::new(&points).unwrap();
    let heights = tree.merges().iter().rev().map(|it| it.height());
    for (found, expected) in heights.zip([32.447_607, 12.300_396_05, 6.399_406_82, 4.847_708_51]) {
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }
    for (k, expected) in [(2, 502.821_563_502), (3, 558.058_040_833), (4, 515.078_906_243)] {
        let found = tree.variance_ratio(k).unwrap().unwrap();
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    }
    let members = tree.cut(3).unwrap();
    assert_eq!(sizes(&members, 3), [50, 64, 36]);
    let means = cluster_means(&points, &members, 3).into_iter().flatten().collect();
    let found = k_means(&points, means).unwrap();
    assert_eq!(sizes(&found.members, 3), [50, 62, 38]);
    assert!((found.inertia - 78.851_441_426_146).abs() < 1e-9, "{}", found.inertia);
}

/// Returns the sum of squared distances from the means of clusters.
fn inertia(points: &[Vec<f64>], members: &[usize], k: usize) -> f64 {
    let means = cluster_means(points, members, k);
    let square = |(point, &member): (&Vec<f64>, &usize)| {
        let mean = means[member].as_ref().expect("the point is in it");
        point.iter().zip(mean).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
    };
    points.iter().zip(members).map(square).sum()
}

fn points() -> impl Strategy<Value = Vec<Vec<f64>>> {
    // Small integers: many equal distances and equal points.
    let point = prop::collection::vec((-4..5_i32).prop_map(f64::from), 3);
    prop::collection::vec(point, 1..24)
}

proptest! {
    /// Each merge joins the pair that costs least, and has the stated cost.
    #[test]
    fn ward_merges_the_cheapest_pair(points in points()) {
        let tree = WardTree::new(&points).unwrap();
        let n = points.len();
        prop_assert_eq!(tree.merges().len(), n - 1);
        for (done, merge) in tree.merges().iter().enumerate() {
            let k = n - done;
            let members = tree.cut(k).unwrap();
            let before = inertia(&points, &members, k);
            let after = inertia(&points, &tree.cut(k - 1).unwrap(), k - 1);
            prop_assert!((after - before - merge.increase).abs() < 1e-9);
            for (a, b) in (0..k).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let merged: Vec<_> =
                    members.iter().map(|it| if *it == b { a } else { *it }).collect();
                prop_assert!(after < inertia(&points, &merged, k) + 1e-9);
            }
        }
    }

    /// No point is nearer to another center, centers are means, and the inertia is at most that of
    /// the clusters from whose means it started.
    #[test]
    fn k_means_settles(points in points(), k in 1..6_usize) {
        let k = k.min(points.len());
        let members = WardTree::new(&points).unwrap().cut(k).unwrap();
        let means: Vec<_> = cluster_means(&points, &members, k).into_iter().flatten().collect();
        let found = k_means(&points, means).unwrap();
        prop_assert!(found.inertia <= inertia(&points, &members, k) + 1e-9);
        prop_assert!((found.inertia - inertia(&points, &found.members, k)).abs() < 1e-9);
        for (point, &member) in points.iter().zip(&found.members) {
            let distance = |center: &Vec<f64>| {
                center.iter().zip(point).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
            };
            let own = distance(&found.centers[member]);
            prop_assert!(found.centers.iter().all(|center| own <= distance(center)));
        }
    }
}
