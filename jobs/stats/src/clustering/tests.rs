//! Tests of both methods on few points.

use super::*;
use crate::error::StatsError;

/// The example of the documentation of `scipy.cluster.hierarchy.ward`: a triangle in each corner of
/// a square. The heights come from scipy 1.17; it merges pairs of equal distance in another order.
#[test]
fn four_triangles_are_four_clusters() {
    let corners = [[0, 0], [0, 4], [4, 0], [4, 4]];
    let turned = [[0, 1], [0, -1], [-1, 0], [-1, 0]];
    let turned_other = [[1, 0], [1, 0], [0, 1], [0, -1]];
    let mut points = Vec::new();
    for (at, corner) in corners.into_iter().enumerate() {
        for offset in [[0, 0], turned[at], turned_other[at]] {
            points.push([0, 1].map(|axis| f64::from(corner[axis] + offset[axis])));
        }
    }
    let tree = WardTree::new(&points).unwrap();
    let expected = [[1.0; 4].as_slice(), &[1.290_994_45; 4], &[5.773_502_69; 2], &[8.164_965_81]];
    for (merge, height) in tree.merges().iter().zip(expected.concat()) {
        assert!((merge.height() - height).abs() < 5e-9, "{merge:?} is not at {height}");
    }
    assert_eq!(tree.cut(4).unwrap(), [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
    assert_eq!(tree.merges()[0].clusters, [0, 1]);
    assert_eq!(tree.merges()[10], WardMerge { clusters: [20, 21], ..tree.merges()[10] });
}

/// Ten points without ties; the tree, the cuts and the ratios come from scipy 1.17 and numpy.
#[test]
fn a_tree_is_that_of_scipy() {
    let points = [
        [1.0, 2.0, 0.5],
        [1.5, 1.8, 0.3],
        [5.0, 8.0, 7.5],
        [8.0, 8.2, 6.1],
        [1.1, 0.6, 0.9],
        [9.0, 11.0, 5.7],
        [8.3, 2.1, 1.0],
        [10.0, 2.4, 0.2],
        [9.1, 3.3, 1.6],
        [4.2, 4.9, 3.3],
    ];
    let expected = [
        ([0, 1], 0.574_456_264_653_802_8, 2),
        ([6, 8], 1.562_049_935_181_330_2, 2),
        ([4, 10], 1.617_611_407_806_790_5, 3),
        ([7, 11], 1.996_663_884_249_591_6, 3),
        ([3, 5], 3.0, 2),
        ([2, 14], 4.812_483_766_206_386, 3),
        ([9, 12], 6.510_632_329_761_322, 4),
        ([13, 16], 13.323_600_614_448_532, 7),
        ([15, 17], 18.039_179_582_231_56, 10),
    ];
    let tree = WardTree::new(&points).unwrap();
    assert_eq!(tree.merges().len(), 9);
    for (merge, (clusters, height, n_points)) in tree.merges().iter().zip(expected) {
        assert_eq!((merge.clusters, merge.n_points), (clusters, n_points));
        assert!((merge.height() - height).abs() < 1e-12, "{merge:?} is not at {height}");
    }
    assert_eq!(tree.cut(2).unwrap(), [0, 0, 1, 1, 0, 1, 0, 0, 0, 0]);
    assert_eq!(tree.cut(3).unwrap(), [0, 0, 1, 1, 0, 1, 2, 2, 2, 0]);
    assert_eq!(tree.cut(4).unwrap(), [0, 0, 1, 1, 0, 1, 2, 2, 2, 3]);
    assert_eq!(tree.cut(1).unwrap(), [0; 10]);
    assert_eq!(tree.cut(10).unwrap(), (0..10).collect::<Vec<_>>());
    for (k, ratio) in
        [(2, 9.957_527_539_779_688), (3, 20.974_990_566_599_81), (5, 38.675_526_124_818_58)]
    {
        assert!((tree.variance_ratio(k).unwrap().unwrap() - ratio).abs() < 1e-11, "{k}");
    }
}

#[test]
fn equal_points_merge_by_index() {
    let tree = WardTree::new(&[[3.0]; 4]).unwrap();
    let clusters: Vec<_> = tree.merges().iter().map(|merge| merge.clusters).collect();
    assert_eq!(clusters, [[0, 1], [2, 4], [3, 5]]);
    assert_eq!(tree.cut(2).unwrap(), [0, 0, 0, 1]);
    assert_eq!(tree.variance_ratio(2).unwrap(), None);
    let one = WardTree::new(&[[1.0, 2.0]]).unwrap();
    assert!(one.merges().is_empty() && one.cut(1).unwrap() == [0]);
    assert!(one.variance_ratio(2).is_err());
}

/// By hand: from 1 and 2, the means go to 1 and 8, then to 1.5 and 11.
#[test]
fn k_means_moves_centers_until_no_point_moves() {
    let points = [[1.0], [2.0], [10.0], [12.0]];
    let found = k_means(&points, vec![vec![1.0], vec![2.0]]).unwrap();
    assert_eq!(found.centers, [[1.5], [11.0]]);
    assert_eq!((found.members, found.inertia), (vec![0, 0, 1, 1], 2.5));
}

#[test]
fn a_center_without_points_stays() {
    let points = [[0.0], [1.0]];
    let found = k_means(&points, vec![vec![0.0], vec![0.0], vec![50.0]]).unwrap();
    // Both points join the first center, which moves to 0.5; then the second is nearer to 0.
    assert_eq!(found.centers, [[1.0], [0.0], [50.0]]);
    assert_eq!(found.members, [1, 0]);
}

#[test]
fn malformed_points_are_refused() {
    let none: [[f64; 2]; 0] = [];
    let most = MAX_WARD_POINTS;
    assert_eq!(WardTree::new(&none).unwrap_err(), StatsError::PointCount { n: 0, most });
    let many = vec![[0.0]; most + 1];
    assert_eq!(WardTree::new(&many).unwrap_err(), StatsError::PointCount { n: most + 1, most });
    let ragged = [vec![1.0, 2.0], vec![1.0]];
    let error = StatsError::PointMismatch { name: "point", index: 1, length: 1, expected: 2 };
    assert_eq!(WardTree::new(&ragged).unwrap_err(), error);
    assert_eq!(k_means(&ragged, vec![vec![1.0, 2.0]]).unwrap_err(), error);
    for wrong in [f64::NAN, f64::INFINITY, 1e101] {
        assert!(
            WardTree::new(&[[wrong]]).is_err() && k_means(&[[wrong]], vec![vec![0.0]]).is_err()
        );
        assert!(k_means(&[[0.0]], vec![vec![wrong]]).is_err());
    }
    assert!(k_means(&none, vec![vec![0.0; 2]]).is_err() && k_means(&[[0.0]], Vec::new()).is_err());
    let error = k_means(&[[0.0]], vec![vec![]]).unwrap_err();
    let expected = StatsError::PointMismatch { name: "center", index: 0, length: 0, expected: 1 };
    assert_eq!(error, expected);
    let tree = WardTree::new(&[[0.0], [1.0]]).unwrap();
    assert!(tree.cut(0).is_err() && tree.cut(3).is_err() && tree.variance_ratio(1).is_err());
}

#[test]
fn means_of_clusters() {
    let points = [[1.0, 0.0], [3.0, 4.0], [5.0, 5.0]];
    let means = cluster_means(&points, &[0, 0, 2], 3);
    assert_eq!(means, [Some(vec![2.0, 2.0]), None, Some(vec![5.0, 5.0])]);
}
