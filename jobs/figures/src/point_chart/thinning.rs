//! Keeps the extremes of lines with more points than can be told apart.

use super::PointValue;

/// The most groups of points that a line is thinned to: more than the drawing is pixels wide.
const MAX_GROUPS: usize = 600;
/// What is kept of a group: its first and last point, and its extremes.
const KEPT: usize = 4;

/// Returns `points`, which go from left to right; of more than can be told apart, those that show
/// how far the line and its band reach.
pub(super) fn thinned(points: Vec<PointValue>) -> Vec<PointValue> {
    if points.len() <= KEPT * MAX_GROUPS {
        return points;
    }
    let groups = points.chunks(points.len().div_ceil(MAX_GROUPS));
    groups.flat_map(extremes).collect()
}

/// Returns the first and the last point of a group, and those that reach farthest down and up, in
/// their order.
fn extremes(group: &[PointValue]) -> Vec<PointValue> {
    let low = |point: &PointValue| point.ends.map_or(point.value, |[low, _]| low);
    let high = |point: &PointValue| point.ends.map_or(point.value, |[_, high]| high);
    let indices = || 0..group.len();
    let lowest = indices().min_by(|a, b| low(&group[*a]).total_cmp(&low(&group[*b])));
    let highest = indices().max_by(|a, b| high(&group[*a]).total_cmp(&high(&group[*b])));
    let mut kept: Vec<_> =
        [Some(0), lowest, highest, indices().next_back()].into_iter().flatten().collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|idx| group[idx]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: u32, value: f64) -> PointValue {
        PointValue { x: f64::from(x), value, ends: None }
    }

    #[test]
    fn extremes_and_ends_are_kept() {
        let mut points: Vec<_> = (0..100_000).map(|x| point(x, f64::from(x % 7))).collect();
        points[54_321].value = 99.0;
        points[77_777].ends = Some([-50.0, 3.0]);
        let thinned = thinned(points.clone());
        assert!(thinned.len() <= KEPT * MAX_GROUPS, "{}", thinned.len());
        for idx in [0, 54_321, 77_777, 99_999] {
            assert!(thinned.contains(&points[idx]), "{idx}");
        }
        assert!(thinned.is_sorted_by_key(|point| point.x));
    }

    #[test]
    fn few_points_are_all_kept() {
        let points: Vec<_> = (0..2400).map(|x| point(x, 1.0)).collect();
        assert_eq!(thinned(points.clone()), points);
        assert_eq!(thinned(Vec::new()), []);
    }
}
