//! Wilcoxon's rank-sum test (Mann & Whitney's U): whether the numbers in one group are larger than
//! the numbers in another.

use crate::count::to_f64;
use crate::error::StatsError;
use crate::normal;
use crate::ranks::{TailProbabilities, doubled_ranks, half};

/// The largest sample with exact probabilities, which take some milliseconds.
const MAX_EXACT: usize = 80;

/// The result of Wilcoxon's rank-sum test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankSumTest {
    /// The sum of the ranks of the first group among all numbers.
    pub rank_sum: f64,
    /// The probabilities of the rank sum: exact for up to 80 numbers, and otherwise by the normal
    /// approximation.
    pub probabilities: TailProbabilities,
    /// The smallest one-sided probability that groups of these sizes and ties can have at all.
    pub least_p_value: f64,
}

/// Performs Wilcoxon's rank-sum test of two groups (Wilcoxon, "Individual comparisons by ranking
/// methods", Biometrics Bulletin 1, 1945; Mann & Whitney, Annals of Mathematical Statistics 18,
/// 1947).
///
/// Equal numbers share the mean of their ranks.
///
/// - The *exact* probabilities count all ways to choose the first group from the ranks found, ties
///   included: no probability exceeds its claim.
/// - The *normal* probabilities have the exact variance given the ranks found, and a continuity
///   correction of 1/2.
///
/// If a group is empty, all probabilities are 1.
///
/// # Errors
/// If a number is not finite.
pub fn rank_sum_test(first: &[f64], second: &[f64]) -> Result<RankSumTest, StatsError> {
    let all = [first, second].concat();
    if let Some(&value) = all.iter().find(|value| !value.is_finite()) {
        return Err(StatsError::OutOfRange { name: "a number", value, range: "a finite number" });
    }
    let ranks = doubled_ranks(&all);
    let found: u64 = ranks[..first.len()].iter().sum();
    let least: u64 = lowest(&ranks, first.len());
    let most: u64 = ranks.iter().sum::<u64>() - lowest(&ranks, second.len());
    let tails = match all.len() {
        0..=MAX_EXACT => exact(&ranks, first.len(), [found, least, most]),
        _ => [found, least, most].map(|sum| approximate(&ranks, first.len(), sum)),
    };
    let [probabilities, of_least, of_most] = tails;
    Ok(RankSumTest {
        rank_sum: half(found),
        probabilities,
        least_p_value: of_least.less.min(of_most.greater),
    })
}

/// Returns the sum of the `n` lowest ranks.
fn lowest(ranks: &[u64], n: usize) -> u64 {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    sorted[..n].iter().sum()
}

/// Returns the exact probabilities of the doubled rank `sums` of `n` of these doubled ranks.
fn exact(ranks: &[u64], n: usize, sums: [u64; 3]) -> [TailProbabilities; 3] {
    let total: u64 = ranks.iter().sum();
    let size = |sum: u64| usize::try_from(sum).expect("80 ranks have a sum below 2^13");
    let n_sums = size(total) + 1;
    // The probability that the ranks so far have so many in the group and this sum: each rank is in
    // the group with the share of places that are left there.
    let mut probability = vec![vec![0.0_f64; n_sums]; n + 1];
    probability[0][0] = 1.0;
    for (seen, rank) in ranks.iter().copied().map(size).enumerate() {
        let left = to_f64((ranks.len() - seen) as u64);
        for members in (0..=n.min(seen)).rev() {
            let joins = to_f64((n - members) as u64) / left;
            for sum in (0..n_sums).rev() {
                let here = probability[members][sum];
                if here <= 0.0 {
                    continue;
                }
                probability[members][sum] = here * (1.0 - joins);
                if members < n {
                    probability[members + 1][sum + rank] += here * joins;
                }
            }
        }
    }
    let of_group = &probability[n];
    sums.map(size).map(|found| {
        let less: f64 = of_group[..=found].iter().sum();
        // From the far end, so that the smallest come first.
        let greater: f64 = of_group[found..].iter().rev().sum();
        TailProbabilities::new(greater, less)
    })
}

/// Returns the probabilities of the normal approximation for the doubled rank sum `found` of `n` of
/// these doubled ranks.
fn approximate(ranks: &[u64], n: usize, found: u64) -> TailProbabilities {
    let (all, group) = (to_f64(ranks.len() as u64), to_f64(n as u64));
    let mean_rank = half(ranks.iter().sum()) / all;
    let squares = ranks.iter().map(|&rank| half(rank) - mean_rank).map(|it| it * it).sum::<f64>();
    let variance = group * (all - group) / (all * (all - 1.0)) * squares;
    if variance <= 0.0 {
        return TailProbabilities::new(1.0, 1.0);
    }
    let deviation = half(found) - group * mean_rank;
    let tail = |deviation: f64| normal::cdf(-(deviation - 0.5) / libm::sqrt(variance));
    TailProbabilities::new(tail(deviation), tail(-deviation))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// The permeability of membranes (Hollander & Wolfe, *Nonparametric Statistical Methods*,
    /// example 4.1): U = 35, that is a rank sum of 90, and p = .1272 to one side by R's
    /// wilcox.test.
    #[test]
    fn a_published_example() {
        let first = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let second = [1.15, 0.88, 0.90, 0.74, 1.21];
        let got = rank_sum_test(&first, &second).unwrap();
        assert!(close(got.rank_sum, 90.0), "{got:?}");
        assert!((got.probabilities.greater - 0.1272).abs() < 5e-5, "{got:?}");
    }

    /// The usual tables of the largest U that is significant in a two-sided test at 5 %.
    #[test]
    fn critical_values_are_those_of_the_tables() {
        for (n, m, critical) in [(5, 5, 2), (4, 6, 2), (8, 8, 13), (10, 10, 23), (7, 12, 18)] {
            let ranks: Vec<u64> = (1..=n + m).map(|rank| 2 * rank).collect();
            let least = n * (n + 1);
            let n = usize::try_from(n).unwrap();
            let p = |u: u64| exact(&ranks, n, [least + 2 * u; 3])[0].two_sided;
            assert!(p(critical) <= 0.05 && 0.05 < p(critical + 1), "{n}, {m}");
        }
    }

    #[test]
    fn few_numbers_cannot_tell() {
        let got = rank_sum_test(&[1.0, 2.0], &[3.0, 4.0]).unwrap();
        assert!(close(got.probabilities.less, 1.0 / 6.0) && close(got.least_p_value, 1.0 / 6.0));
        // Of 252 ways.
        let five = [1.0, 2.0, 3.0, 4.0, 5.0];
        let got = rank_sum_test(&five, &five.map(|it| it + 10.0)).unwrap();
        assert!(
            close(got.probabilities.less, 1.0 / 252.0) && close(got.least_p_value, 1.0 / 252.0)
        );
        for (first, second) in [(&[][..], &[1.0][..]), (&[], &[]), (&[2.0; 4], &[2.0; 3])] {
            let got = rank_sum_test(first, second).unwrap();
            assert!(close(got.probabilities.two_sided, 1.0) && close(got.least_p_value, 1.0));
        }
        assert!(rank_sum_test(&[f64::NAN], &[1.0]).is_err());
    }

    /// Both ways agree where both are possible.
    #[test]
    fn the_approximation_is_near_the_exact_probability() {
        let first: Vec<f64> = (0..20).map(|idx| f64::from(idx % 7)).collect();
        let second: Vec<f64> = (0..25).map(|idx| f64::from(idx % 9)).collect();
        let ranks = doubled_ranks(&[first.clone(), second].concat());
        let found: u64 = ranks[..first.len()].iter().sum();
        let [exact, ..] = exact(&ranks, first.len(), [found; 3]);
        let near = approximate(&ranks, first.len(), found);
        assert!((exact.less - near.less).abs() < 0.005, "{exact:?} {near:?}");
    }
}
