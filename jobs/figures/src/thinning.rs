//! Keeps the extremes of lines with more points than can be told apart.

/// The points that are kept of a group: the first, the last, and the two extremes.
const KEPT: usize = 4;

/// Returns `points`, which go from left to right; of more than four times `max_groups`, the points
/// that show how far the line and its band reach: the first, the last and the extreme points in
/// each group of neighbors. `reach` returns the lowest and the highest place of a point and its
/// interval.
pub(crate) fn thinned<P: Copy>(
    points: Vec<P>,
    max_groups: usize,
    reach: impl Fn(&P) -> [f64; 2],
) -> Vec<P> {
    if points.len() <= KEPT * max_groups {
        return points;
    }
    let groups = points.chunks(points.len().div_ceil(max_groups));
    groups.flat_map(|group| extremes(group, &reach)).collect()
}

/// Returns the first and the last point of a group, and the points that reach farthest down and up,
/// in their order.
fn extremes<P: Copy>(group: &[P], reach: &impl Fn(&P) -> [f64; 2]) -> Vec<P> {
    let reaches: Vec<_> = group.iter().map(reach).collect();
    let indices = || 0..group.len();
    let lowest = indices().min_by(|a, b| reaches[*a][0].total_cmp(&reaches[*b][0]));
    let highest = indices().max_by(|a, b| reaches[*a][1].total_cmp(&reaches[*b][1]));
    let ends = [Some(0), lowest, highest, indices().next_back()];
    let mut kept: Vec<_> = ends.into_iter().flatten().collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|idx| group[idx]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place from left to right, and the ends of its interval.
    type Point = (u32, [f64; 2]);

    fn point(x: u32) -> Point {
        (x, [f64::from(x % 7); 2])
    }

    fn thin(points: &[Point]) -> Vec<Point> {
        thinned(points.to_vec(), 600, |(_, reach)| *reach)
    }

    #[test]
    fn extremes_and_ends_are_kept() {
        let mut points: Vec<_> = (0..100_000).map(point).collect();
        points[54_321].1 = [99.0; 2];
        points[77_777].1 = [-50.0, 3.0];
        let thinned = thin(&points);
        assert!(thinned.len() <= 2400, "{}", thinned.len());
        for idx in [0, 54_321, 77_777, 99_999] {
            assert!(thinned.contains(&points[idx]), "{idx}");
        }
        assert!(thinned.is_sorted_by_key(|(x, _)| *x));
    }

    #[test]
    fn few_points_are_all_kept() {
        let points: Vec<_> = (0..2400).map(point).collect();
        assert_eq!(thin(&points), points);
        assert_eq!(thin(&[]), []);
    }
}
