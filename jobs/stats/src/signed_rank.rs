//! Wilcoxon's signed-rank test: whether the numbers under one condition are larger than under
//! another, given pairs of numbers.

use crate::error::StatsError;
use crate::normal;
use crate::ranks::{TailProbabilities, doubled_ranks, half};

/// The most differences that the exact distribution is computed for; it takes some milliseconds.
const MAX_EXACT: usize = 200;

/// The treatment of pairs without a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroTreatment {
    /// They are dropped before ranks are given (Wilcoxon, "Probability tables for individual
    /// comparisons by ranking methods", Biometrics 3, 1947).
    Drop,
    /// Pairs without a difference get the lowest ranks, and these ranks are then dropped (Pratt,
    /// "Remarks on zeros and ties in the Wilcoxon signed rank procedures", JASA 54, 1959).
    RankFirst,
}

/// The result of Wilcoxon's signed-rank test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRankTest {
    /// The number of differences other than zero.
    pub n: usize,
    /// The number of differences that are zero.
    pub n_zeros: usize,
    /// W+: the sum of the ranks of positive differences.
    pub positive_ranks: f64,
    /// W-: the sum of the ranks of negative differences.
    pub negative_ranks: f64,
    /// The exact probabilities of W+; `None` for more than 200 differences.
    pub exact: Option<TailProbabilities>,
    /// The probabilities by the normal approximation.
    pub normal: TailProbabilities,
}

impl SignedRankTest {
    /// Returns the exact two-sided probability, or the approximate probability if there are too
    /// many differences for the exact probability.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        self.exact.unwrap_or(self.normal).two_sided
    }
}

/// Performs Wilcoxon's signed-rank test on the `differences` of pairs (Wilcoxon, "Individual
/// comparisons by ranking methods", Biometrics Bulletin 1, 1945).
///
/// Differences of the same size share the mean of their ranks. Sizes are compared exactly, so
/// counts should be given as whole numbers: 0.8 - 0.6 and 0.6 - 0.4 differ in their last digits.
///
/// - The *exact* probabilities count all 2^n ways to give signs to the ranks found, ties included
///   (Hollander & Wolfe, *Nonparametric Statistical Methods*, 1999, §3.1): no probability exceeds
///   its claim.
/// - The *normal* probabilities have the exact variance, a quarter of the sum of the squared ranks,
///   which is n (n + 1) (2 n + 1) / 24 - sum (t^3 - t) / 48 for groups of t equal sizes and no
///   zeros, and a continuity correction of 1/2.
///
/// Without differences all probabilities are 1.
///
/// # Errors
/// If a difference is not a finite number.
pub fn signed_rank_test(
    differences: &[f64],
    zeros: ZeroTreatment,
) -> Result<SignedRankTest, StatsError> {
    if let Some(&value) = differences.iter().find(|value| !value.is_finite()) {
        return Err(StatsError::OutOfRange {
            name: "a difference",
            value,
            range: "a finite number",
        });
    }
    let ranked: Vec<f64> = match zeros {
        ZeroTreatment::Drop => differences.iter().copied().filter(|it| *it != 0.0).collect(),
        ZeroTreatment::RankFirst => differences.to_vec(),
    };
    let sizes: Vec<_> = ranked.iter().map(|difference| difference.abs()).collect();
    let signed = doubled_ranks(&sizes).into_iter().zip(&ranked);
    let signed: Vec<(u64, bool)> = signed
        .filter(|(_, difference)| **difference != 0.0)
        .map(|(rank, difference)| (rank, 0.0 < *difference))
        .collect();
    let ranks: Vec<u64> = signed.iter().map(|(rank, _)| *rank).collect();
    let sum_of = |positive| -> u64 {
        signed.iter().filter(|(_, sign)| *sign == positive).map(|(rank, _)| rank).sum()
    };
    let (positive, negative) = (sum_of(true), sum_of(false));
    Ok(SignedRankTest {
        n: ranks.len(),
        n_zeros: differences.len() - ranks.len(),
        positive_ranks: half(positive),
        negative_ranks: half(negative),
        exact: (ranks.len() <= MAX_EXACT).then(|| exact(&ranks, positive)),
        normal: approximate(&ranks, positive),
    })
}

/// Returns the exact probabilities for the doubled W+ `found` of these doubled ranks.
fn exact(ranks: &[u64], found: u64) -> TailProbabilities {
    let total: u64 = ranks.iter().sum();
    let size = |sum: u64| usize::try_from(sum).expect("200 ranks have a sum below 2^17");
    // The probability of each sum of the ranks so far; each rank has either sign with 1/2.
    let mut probability = vec![0.0_f64; size(total) + 1];
    probability[0] = 1.0;
    let mut most = 0;
    for rank in ranks.iter().copied().map(size) {
        most += rank;
        for sum in (0..=most).rev() {
            let with = if rank <= sum { probability[sum - rank] } else { 0.0 };
            probability[sum] = f64::midpoint(probability[sum], with);
        }
    }
    let found = size(found);
    let less: f64 = probability[..=found].iter().sum();
    // From the far end, so that the smallest come first.
    let greater: f64 = probability[found..].iter().rev().sum();
    TailProbabilities::new(greater, less)
}

/// Returns the probabilities of the normal approximation for the doubled W+ `found` of these
/// doubled ranks.
fn approximate(ranks: &[u64], found: u64) -> TailProbabilities {
    let mean = half(ranks.iter().sum()) / 2.0;
    let variance = ranks.iter().map(|&rank| half(rank) * half(rank)).sum::<f64>() / 4.0;
    let deviation = half(found) - mean;
    if variance <= 0.0 {
        return TailProbabilities::new(1.0, 1.0);
    }
    let tail = |deviation: f64| normal::cdf(-(deviation - 0.5) / libm::sqrt(variance));
    TailProbabilities::new(tail(deviation), tail(-deviation))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn test(differences: &[f64]) -> SignedRankTest {
        signed_rank_test(differences, ZeroTreatment::Drop).unwrap()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// The heights of Darwin's 15 pairs of maize, in eighths of an inch: 1352 of 2^15 ways to give
    /// signs have a W- of at most 24 or a W+ of at most 24.
    #[test]
    fn darwins_maize() {
        let differences = [
            6.0, 8.0, 14.0, 16.0, 23.0, 24.0, 28.0, 29.0, 41.0, -48.0, 49.0, 56.0, 60.0, -67.0,
            75.0,
        ];
        let got = test(&differences);
        assert!(close(got.positive_ranks, 96.0) && close(got.negative_ranks, 24.0), "{got:?}");
        let exact = got.exact.unwrap();
        assert!(close(exact.two_sided, 1352.0 / 32_768.0), "{exact:?}");
        assert!(close(exact.greater, 676.0 / 32_768.0), "{exact:?}");
        assert!(close(got.p_value(), exact.two_sided));
        // The variance is 15 x 16 x 31 / 24 = 310; 35.5 / 17.607 = 2.0163 has .0219 above it.
        assert!((got.normal.two_sided - 0.043_77).abs() < 2e-5, "{:?}", got.normal);
    }

    /// Hamilton's depression scale, in thousandths, before and after a tranquilizer (Hollander &
    /// Wolfe, *Nonparametric Statistical Methods*, example 3.1): W+ = 40 and p = .019 to one side.
    #[test]
    fn a_published_example() {
        let before = [1830.0, 500.0, 1620.0, 2480.0, 1680.0, 1880.0, 1550.0, 3060.0, 1300.0];
        let after = [878.0, 647.0, 598.0, 2050.0, 1060.0, 1290.0, 1060.0, 3140.0, 1290.0];
        let differences: Vec<f64> = before.iter().zip(after).map(|(a, b)| a - b).collect();
        let got = test(&differences);
        assert!(close(got.positive_ranks, 40.0), "{got:?}");
        assert!(close(got.exact.unwrap().greater, 10.0 / 512.0), "{got:?}");
    }

    /// The usual tables of the largest W that is significant in a two-sided test.
    #[test]
    fn critical_values_are_those_of_the_tables() {
        for (n, level, critical) in [
            (6_u32, 0.05, 0),
            (8, 0.05, 3),
            (10, 0.05, 8),
            (10, 0.01, 3),
            (20, 0.05, 52),
            (25, 0.01, 68),
        ] {
            let doubled: Vec<u64> = (1..=u64::from(n)).map(|rank| 2 * rank).collect();
            let p = |sum: u64| exact(&doubled, 2 * sum).two_sided;
            assert!(p(critical) <= level && level < p(critical + 1), "{n}, {level}");
        }
    }

    /// Without zeros, 1 and -1 share the ranks 1 and 2; with two zeros below them, 3 and 4.
    #[test]
    fn zeros_are_dropped_or_ranked_first() {
        let differences = [0.0, 1.0, -0.0, 3.0, -1.0, 2.0];
        let dropped = test(&differences);
        assert!(close(dropped.positive_ranks, 8.5) && close(dropped.negative_ranks, 1.5));
        // Of 16 ways, those without negative ranks and with either 1.5 are as extreme.
        assert!(close(dropped.exact.unwrap().greater, 3.0 / 16.0), "{dropped:?}");
        let ranked = signed_rank_test(&differences, ZeroTreatment::RankFirst).unwrap();
        assert!(close(ranked.positive_ranks, 14.5) && close(ranked.negative_ranks, 3.5));
        assert_eq!((ranked.n, ranked.n_zeros), (4, 2));
    }

    #[test]
    fn degenerate_differences_have_probabilities_or_are_refused() {
        for differences in [&[][..], &[0.0; 5]] {
            let got = test(differences);
            assert!(close(got.p_value(), 1.0) && close(got.normal.two_sided, 1.0), "{got:?}");
        }
        assert!(close(test(&[3.0]).p_value(), 1.0));
        assert_eq!(test(&vec![1.0; 201]).exact, None);
        let most = test(&vec![1.0; 200]).exact.unwrap();
        assert!(most.greater < 1e-59 && 0.0 < most.greater && close(most.less, 1.0));
        let refused = signed_rank_test(&[1.0, f64::NAN], ZeroTreatment::Drop).unwrap_err();
        assert_eq!(refused.to_string(), "a difference is NaN, expected a finite number");
    }

    /// Counts all ways to give signs to the ranks of `differences`.
    fn by_enumeration(differences: &[f64]) -> TailProbabilities {
        let sizes: Vec<_> = differences.iter().map(|it| it.abs()).filter(|it| 0.0 < *it).collect();
        let ranks = doubled_ranks(&sizes);
        let sum = |signs: u32| -> u64 {
            (0..).zip(&ranks).filter(|(idx, _)| signs >> idx & 1 == 1).map(|(_, rank)| rank).sum()
        };
        let nonzero = differences.iter().filter(|it| **it != 0.0);
        let found = sum((0..).zip(nonzero).map(|(idx, it)| u32::from(0.0 < *it) << idx).sum());
        let ways = 1_u32 << ranks.len();
        let share = |is_extreme: &dyn Fn(u64) -> bool| {
            let n: u32 = (0..ways).map(|signs| u32::from(is_extreme(sum(signs)))).sum();
            f64::from(n) / f64::from(ways)
        };
        TailProbabilities::new(share(&|sum| found <= sum), share(&|sum| sum <= found))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Few sizes, so that most differences are tied.
        #[test]
        fn exact_probabilities_are_those_of_enumeration(
            differences in prop::collection::vec(-4..=4_i8, 0..12),
        ) {
            let differences: Vec<f64> = differences.into_iter().map(f64::from).collect();
            let (got, expected) = (test(&differences).exact.unwrap(), by_enumeration(&differences));
            prop_assert!(close(got.greater, expected.greater), "{:?} {:?}", got, expected);
            prop_assert!(close(got.less, expected.less), "{:?} {:?}", got, expected);
            prop_assert!(close(got.two_sided, expected.two_sided));
        }
    }
}
