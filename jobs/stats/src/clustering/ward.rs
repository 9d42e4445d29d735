//! Ward's method.

use super::points::{check_points, squared_distance};
use crate::count::to_f64;
use crate::error::StatsError;

/// The most points of a tree: it keeps the distance of every pair, which are 16 MB then.
pub const MAX_WARD_POINTS: usize = 2_000;

/// A merge of two clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WardMerge {
    /// The numbers of the two clusters, the smaller first: a point's number is its index, and merge
    /// number i of n points makes cluster n + i.
    pub clusters: [usize; 2],
    /// By how much the merge makes the sum of squared distances of points from the mean of their
    /// cluster larger: what Ward minimizes.
    pub increase: f64,
    /// The number of points of the cluster that is made.
    pub n_points: usize,
}

impl WardMerge {
    /// Returns the height at which trees draw the merge, the square root of twice the increase:
    /// the distance of two points that are merged first.
    #[must_use]
    pub fn height(&self) -> f64 {
        libm::sqrt(2.0 * self.increase)
    }
}

/// The tree that Ward's method makes of points: a cluster for each point at first, then two
/// clusters are merged at a time until a single cluster is left.
#[derive(Clone, Debug, PartialEq)]
pub struct WardTree {
    merges: Vec<WardMerge>,
    n: usize,
}

impl WardTree {
    /// Makes the tree of `points`: each step merges the two clusters for which the sum of squared
    /// distances from means grows least (Ward, "Hierarchical Grouping to Optimize an Objective
    /// Function", JASA 58, 1963), by the formula of Lance & Williams ("A general theory of
    /// classificatory sorting strategies", Computer Journal 9, 1967) on squared distances. Among
    /// equal pairs, the pair whose clusters' first points come first is merged.
    ///
    /// The cost is some n^2 steps, times the number of coordinates, and n^3 at worst.
    ///
    /// # Errors
    /// If there are no or more than 2,000 points, they differ in their number of coordinates, or a
    /// coordinate is not from -1e100 to 1e100.
    pub fn new<P: AsRef<[f64]>>(points: &[P]) -> Result<Self, StatsError> {
        let n = points.len();
        let Some(first) = points.first().filter(|_| n <= MAX_WARD_POINTS) else {
            return Err(StatsError::PointCount { n, most: MAX_WARD_POINTS });
        };
        check_points("point", points, first.as_ref().len())?;
        let mut table = ClusterTable::new(points);
        let merges = (n..).take(n - 1).map_while(|made| table.merge_nearest(made)).collect();
        Ok(Self { merges, n })
    }

    /// Returns the merges, in order: one fewer than points. Their increases never fall, but for
    /// rounding.
    #[must_use]
    pub fn merges(&self) -> &[WardMerge] {
        &self.merges
    }

    /// Returns the clusters by point if the tree is cut into `k` clusters, which are numbered from
    /// 0 by their first points.
    ///
    /// # Errors
    /// If `k` is not from 1 to the number of points.
    pub fn cut(&self, k: usize) -> Result<Vec<usize>, StatsError> {
        let n = self.n;
        if !(1..=n).contains(&k) {
            return Err(StatsError::ClusterCount { k, n, least: 1, most: n });
        }
        // The cluster that each cluster is part of: itself, until it is merged.
        let mut parents: Vec<usize> = (0..n + self.merges.len()).collect();
        for (made, merge) in (n..).zip(&self.merges[..n - k]) {
            merge.clusters.iter().for_each(|&cluster| parents[cluster] = made);
        }
        // Parents have larger numbers, so that theirs are known first.
        for cluster in (0..parents.len()).rev() {
            parents[cluster] = parents[parents[cluster]];
        }
        let mut seen: Vec<usize> = Vec::with_capacity(k);
        let number = |&root: &usize| {
            seen.iter().position(|it| *it == root).unwrap_or_else(|| {
                seen.push(root);
                seen.len() - 1
            })
        };
        Ok(parents[..n].iter().map(number).collect())
    }

    /// Returns the index of Calinski & Harabasz ("A dendrite method for cluster analysis",
    /// Communications in Statistics 3, 1974) of the cut into `k` clusters: the variance between
    /// clusters divided by that within them. The larger, the better is the number of clusters.
    /// `None` if there is no variance within.
    ///
    /// # Errors
    /// If `k` is not from 2 to the number of points less 1.
    pub fn variance_ratio(&self, k: usize) -> Result<Option<f64>, StatsError> {
        let n = self.n;
        if k < 2 || n <= k {
            return Err(StatsError::ClusterCount { k, n, least: 2, most: n.saturating_sub(1) });
        }
        let sum = |merges: &[WardMerge]| merges.iter().map(|it| it.increase).sum::<f64>();
        let (within, between) = self.merges.split_at(n - k);
        let mean = |sum: f64, degrees: usize| sum / to_f64(degrees as u64);
        let ratio = mean(sum(between), k - 1) / mean(sum(within), n - k);
        Ok(ratio.is_finite().then_some(ratio))
    }
}

/// The clusters that are left, each in the row of its first point.
struct ClusterTable {
    /// Twice the increase of merging the clusters of two rows, the larger row first.
    distances: Vec<Vec<f64>>,
    /// The number of points in the row's cluster; 0 if it has been merged into another row.
    sizes: Vec<usize>,
    /// The number of the row's cluster.
    numbers: Vec<usize>,
    /// The later row that is nearest to each row, the first of equals, with the distance.
    nearest: Vec<Option<(f64, usize)>>,
}

impl ClusterTable {
    fn new<P: AsRef<[f64]>>(points: &[P]) -> Self {
        let n = points.len();
        let row = |row: usize| {
            let distance = |point: &P| squared_distance(points[row].as_ref(), point.as_ref());
            points[..row].iter().map(distance).collect()
        };
        let mut table = Self {
            distances: (0..n).map(row).collect(),
            sizes: vec![1; n],
            numbers: (0..n).collect(),
            nearest: Vec::new(),
        };
        table.nearest = (0..n).map(|row| table.nearest_after(row)).collect();
        table
    }

    /// Merges the two nearest clusters into cluster number `made`; `None` if one is left.
    fn merge_nearest(&mut self, made: usize) -> Option<WardMerge> {
        let mut least: Option<(f64, [usize; 2])> = None;
        for (row, nearest) in self.nearest.iter().enumerate() {
            if let Some((distance, other)) = *nearest
                && least.is_none_or(|(least, _)| distance < least)
            {
                least = Some((distance, [row, other]));
            }
        }
        let (distance, [kept, gone]) = least?;
        self.update_distances(kept, gone, distance);
        let mut clusters = [kept, gone].map(|row| self.numbers[row]);
        clusters.sort_unstable();
        self.sizes[kept] += self.sizes[gone];
        self.sizes[gone] = 0;
        self.numbers[kept] = made;
        self.update_nearest(kept, gone);
        Some(WardMerge { clusters, increase: distance / 2.0, n_points: self.sizes[kept] })
    }

    /// Sets the distances of the merged cluster from all others. Both rows still have their sizes.
    fn update_distances(&mut self, kept: usize, gone: usize, distance: f64) {
        let [a, b] = [kept, gone].map(|row| to_f64(self.sizes[row] as u64));
        for row in 0..self.sizes.len() {
            if self.sizes[row] == 0 || row == kept || row == gone {
                continue;
            }
            let c = to_f64(self.sizes[row] as u64);
            let [from_a, from_b] = [kept, gone].map(|it| self.distance(row, it));
            let sum = (a + c) * from_a + (b + c) * from_b - c * distance;
            // Rounding may make a sum that is 0 negative.
            self.distances[row.max(kept)][row.min(kept)] = (sum / (a + b + c)).max(0.0);
        }
    }

    /// Finds the nearest rows anew where a merge may have changed them.
    fn update_nearest(&mut self, kept: usize, gone: usize) {
        self.nearest[gone] = None;
        for row in 0..gone {
            let Some((distance, nearest)) = self.nearest[row].filter(|_| self.sizes[row] != 0)
            else {
                continue;
            };
            if row == kept || nearest == kept || nearest == gone {
                self.nearest[row] = self.nearest_after(row);
            } else if row < kept {
                // Merged clusters are no nearer than the nearer of the two, but for rounding.
                let merged = (self.distance(row, kept), kept);
                if merged < (distance, nearest) {
                    self.nearest[row] = Some(merged);
                }
            }
        }
    }

    fn distance(&self, a: usize, b: usize) -> f64 {
        self.distances[a.max(b)][a.min(b)]
    }

    fn nearest_after(&self, row: usize) -> Option<(f64, usize)> {
        let mut nearest: Option<(f64, usize)> = None;
        for other in row + 1..self.sizes.len() {
            let distance = self.distances[other][row];
            if self.sizes[other] != 0 && nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, other));
            }
        }
        nearest
    }
}
