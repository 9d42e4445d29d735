//! The shape of effort over depths.

use hatchery_core::IntervalEstimate;

use super::summary::intervals_overlap;

/// The shape of means with intervals, from the shallowest depth to the deepest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EffortShape {
    /// All intervals overlap.
    Level,
    /// Means rise up to this index, and all intervals from it on overlap.
    RisingThenLevel(usize),
    /// Means rise, and the last interval is apart from the one before.
    Rising,
    /// Anything else.
    Uneven,
}

impl EffortShape {
    /// Returns the shape of `means`, at least one.
    pub(super) fn of(means: &[IntervalEstimate]) -> Self {
        let last = means.len().saturating_sub(1);
        let is_level = |from: usize| {
            let rest = &means[from..];
            rest.iter().all(|a| rest.iter().all(|b| intervals_overlap(*a, *b)))
        };
        let level_from = (0..last).find(|&from| is_level(from)).unwrap_or(last);
        let is_rising = means[..=level_from].is_sorted_by(|a, b| a.mean < b.mean);
        match level_from {
            0 => Self::Level,
            _ if !is_rising => Self::Uneven,
            from if from == last => Self::Rising,
            from => Self::RisingThenLevel(from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(intervals: &[(f64, f64)], expected: EffortShape) {
        let estimate = |&(low, high): &(f64, f64)| {
            let mean = f64::midpoint(low, high);
            IntervalEstimate { mean, low, high, n: 50, confidence: 0.95 }
        };
        let means: Vec<_> = intervals.iter().map(estimate).collect();
        assert_eq!(EffortShape::of(&means), expected, "{intervals:?}");
    }

    #[test]
    fn shapes_are_told_apart() {
        check(&[(1.0, 2.0)], EffortShape::Level);
        check(&[(1.0, 1.0), (1.0, 1.0), (1.0, 1.0)], EffortShape::Level);
        check(&[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)], EffortShape::Rising);
        check(&[(4.0, 5.0), (6.0, 7.0), (6.5, 7.5), (6.4, 7.1)], EffortShape::RisingThenLevel(1));
        // The intervals of neighbors overlap, but not those of the first and the last.
        check(&[(1.0, 3.0), (2.0, 4.0), (3.5, 5.0)], EffortShape::RisingThenLevel(1));
        check(&[(5.0, 6.0), (3.0, 4.0)], EffortShape::Uneven);
        check(&[(1.0, 2.0), (7.0, 8.0), (3.0, 4.0)], EffortShape::Uneven);
    }
}
