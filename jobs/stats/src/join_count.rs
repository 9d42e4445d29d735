//! A test of whether neighbors are more alike than chance: the share of pairs of neighbors that
//! have something in common.
//!
//! Points have neighbors, and some pairs of points are alike. If likeness had nothing to do with
//! being neighbors, every assignment of points to places would be equally likely (the join count
//! statistic under randomization; Moran, "The interpretation of statistical maps", JRSS B 10, 1948;
//! Cliff & Ord, *Spatial Processes*, 1981, §1.4).

use hatchery_core::StreamRng;

use crate::count::to_f64;
use crate::error::{ErrorRate, StatsError};

/// The most permutations.
const MAX_PERMUTATIONS: u32 = 1_000_000;

/// The share of pairs of neighbors that are alike, and the share by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JoinShare {
    /// The share of the pairs that are alike.
    pub observed: f64,
    /// The mean share by chance, which is the share among all pairs of points. It is exact.
    pub expected: f64,
    /// The smallest and the largest share by chance, but for the error rate.
    pub chance: [f64; 2],
    /// The probability of a share at least as large by chance. It is never 0: the actual order of
    /// the points counts as a permutation (Phipson & Smyth, "Permutation p-values should never be
    /// zero", Statistical Applications in Genetics and Molecular Biology 9, 2010).
    pub p_value: f64,
}

/// Returns the share of alike pairs among the pairs of a point and a neighbor. `neighbors` are the
/// indices of the points' neighbors, and `is_alike` is true for two points that are alike; it is
/// symmetric. The share by chance comes from `permutations` random orders of the points.
///
/// # Errors
/// If there are no neighbors, one is not another point of the list, or the permutations are not
/// from 1 to 1,000,000.
pub fn join_share(
    neighbors: &[Vec<usize>],
    is_alike: impl Fn(usize, usize) -> bool,
    permutations: u32,
    error_rate: ErrorRate,
    rng: &mut StreamRng,
) -> Result<JoinShare, StatsError> {
    let n = neighbors.len();
    if !(1..=MAX_PERMUTATIONS).contains(&permutations) {
        let (name, value) = ("the number of permutations", f64::from(permutations));
        return Err(StatsError::OutOfRange { name, value, range: "from 1 to 1,000,000" });
    }
    let of_point = |(point, of): (usize, &Vec<usize>)| {
        of.iter().map(move |&neighbor| (point, neighbor)).collect::<Vec<_>>()
    };
    let pairs: Vec<(usize, usize)> = neighbors.iter().enumerate().flat_map(of_point).collect();
    let is_wrong = |(point, neighbor): &&(usize, usize)| n <= *neighbor || point == neighbor;
    if let Some(&(point, neighbor)) = pairs.iter().find(is_wrong) {
        return Err(StatsError::UnknownNeighbor { point, neighbor, n });
    }
    if pairs.is_empty() {
        return Err(StatsError::NoNeighbors { n });
    }
    let share = |count: usize, of: usize| to_f64(count as u64) / to_f64(of as u64);
    let observed = pairs.iter().filter(|(a, b)| is_alike(*a, *b)).count();
    let earlier = |a: usize| (0..a).filter(|b| is_alike(a, *b)).count();
    let alike: usize = (0..n).map(earlier).sum();
    let mut counts: Vec<usize> = (0..permutations)
        .map(|_| {
            let order = rng.permutation(n);
            pairs.iter().filter(|(a, b)| is_alike(order[*a], order[*b])).count()
        })
        .collect();
    counts.sort_unstable();
    let as_large = counts.len() - counts.partition_point(|count| *count < observed);
    // As many permutations as the error rate of a side allows lie outside.
    let outside = libm::floor(f64::from(permutations) * error_rate.per_side().get());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a half")]
    let outside = outside as usize;
    Ok(JoinShare {
        observed: share(observed, pairs.len()),
        expected: share(alike, n * (n - 1) / 2),
        chance: [outside, counts.len() - 1 - outside].map(|at| share(counts[at], pairs.len())),
        p_value: share(as_large + 1, counts.len() + 1),
    })
}

#[cfg(test)]
mod tests {
    use hatchery_core::RunSeed;

    use super::*;

    const RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

    fn rng(number: u32) -> StreamRng {
        RunSeed::new("join count", 1).generation(number).stream("test")
    }

    /// Three points, the first two alike: by hand, a pair in three orders of chance.
    #[test]
    fn three_points_by_hand() {
        let neighbors = [vec![1], vec![0], vec![0]];
        let found = join_share(&neighbors, |a, b| a + b == 1, 30_000, RATE, &mut rng(0)).unwrap();
        assert!((found.observed - 2.0 / 3.0).abs() < 1e-12, "{found:?}");
        assert!((found.expected - 1.0 / 3.0).abs() < 1e-12, "{found:?}");
        // The alike pair is at places {0, 1}, {0, 2} or {1, 2}: 2, 1 or no pairs of neighbors.
        let ends = [0.0, 2.0 / 3.0];
        assert!(found.chance.iter().zip(ends).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        assert!((found.p_value - 1.0 / 3.0).abs() < 0.02, "{found:?}");
    }

    /// Points on a circle: the points of three groups are next to each other, or in turn.
    #[test]
    fn groups_side_by_side_are_no_chance() {
        let neighbors: Vec<_> = (0..60).map(|at| vec![(at + 1) % 60, (at + 59) % 60]).collect();
        let share = |is_alike: fn(usize, usize) -> bool| {
            join_share(&neighbors, is_alike, 999, RATE, &mut rng(0)).unwrap()
        };
        let side_by_side = share(|a, b| a / 20 == b / 20);
        assert!((side_by_side.observed - 57.0 / 60.0).abs() < 1e-12);
        assert!((side_by_side.expected - 19.0 / 59.0).abs() < 1e-12);
        assert!((side_by_side.p_value - 0.001).abs() < 1e-12);
        let [low, high] = side_by_side.chance;
        assert!(low < side_by_side.expected && side_by_side.expected < high && high < 0.6);
        let in_turn = share(|a, b| a % 3 == b % 3);
        assert!(in_turn.observed.abs() < 1e-12 && 1.0 <= in_turn.p_value);
    }

    /// Under chance, a p-value of at most 5 % comes in 5 % of cases: in 400, from 7 to 34 but for a
    /// probability below 0.003.
    #[test]
    fn chance_is_seldom_significant() {
        let mut n_significant = 0;
        for case in 0..400 {
            let mut rng = rng(case + 1);
            let order = rng.permutation(24);
            let neighbors: Vec<_> = (0..24).map(|at| vec![(at + 1) % 24]).collect();
            let is_alike = |a: usize, b: usize| order[a] % 4 == order[b] % 4;
            let found = join_share(&neighbors, is_alike, 99, RATE, &mut rng).unwrap();
            n_significant += u32::from(found.p_value <= 0.05);
        }
        // Shares are few numbers, so that fewer are significant than the error rate allows.
        assert!((2..=34).contains(&n_significant), "{n_significant}");
    }

    #[test]
    fn wrong_neighbors_are_refused() {
        let share = |neighbors: &[Vec<usize>], permutations| {
            join_share(neighbors, |_, _| true, permutations, RATE, &mut rng(0))
        };
        let error = |point, neighbor| StatsError::UnknownNeighbor { point, neighbor, n: 2 };
        assert_eq!(share(&[vec![1], vec![2]], 9).unwrap_err(), error(1, 2));
        assert_eq!(share(&[vec![0], vec![0]], 9).unwrap_err(), error(0, 0));
        assert_eq!(share(&[vec![], vec![]], 9).unwrap_err(), StatsError::NoNeighbors { n: 2 });
        assert_eq!(share(&[], 9).unwrap_err(), StatsError::NoNeighbors { n: 0 });
        assert!(share(&[vec![1], vec![]], 0).is_err());
        assert!(share(&[vec![1], vec![]], 1_000_001).is_err());
        assert!((share(&[vec![1], vec![]], 1).unwrap().p_value - 1.0).abs() < 1e-12);
    }
}
