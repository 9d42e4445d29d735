//! The median, with an interval.

use hatchery_core::IntervalEstimate;

use crate::error::CONFIDENCE;
use crate::normal;

/// Up to this number of scores the binomial distribution is summed; above, it is approximated by a
/// normal one.
const EXACT: usize = 1000;

/// Returns the median of `sorted` scores: the mean of the two in the middle; 0 without scores.
#[must_use]
pub fn median(sorted: &[u64]) -> f64 {
    let n = sorted.len();
    let at = |idx: usize| to_f64(sorted.get(idx).copied().unwrap_or(0));
    (at(n.saturating_sub(1) / 2) + at(n / 2)) / 2.0
}

/// Returns the median of `sorted` scores with a distribution-free interval: the k-th lowest and the
/// k-th highest score, where k is the largest number for which a binomial variable of n and 1/2 is
/// below k with probability at most a/2 (Thompson 1936; David & Nagaraja, *Order Statistics*,
/// §7.1).
///
/// The interval covers the true median with at least its confidence, whatever the distribution.
/// `None` with five scores or fewer: then no such k exists.
#[must_use]
pub fn median_estimate(sorted: &[u64]) -> Option<IntervalEstimate> {
    let n = sorted.len();
    let low = to_f64(sorted[interval_rank(n).checked_sub(1)?]);
    let high = to_f64(sorted[n - interval_rank(n)]);
    let mean = median(sorted);
    Some(IntervalEstimate { mean, low, high, n: n as u64, confidence: CONFIDENCE })
}

fn interval_rank(n: usize) -> usize {
    const TAIL: f64 = (1.0 - CONFIDENCE) / 2.0;
    if EXACT < n {
        let count = to_f64(n as u64);
        let k = (count - normal::quantile(1.0 - TAIL) * libm::sqrt(count)) / 2.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and n / 2"
        )]
        return k as usize;
    }
    let mut probability = libm::pow(0.5, to_f64(n as u64));
    let (mut below, mut k) = (0.0, 0);
    while below + probability <= TAIL {
        below += probability;
        probability *= to_f64((n - k) as u64) / to_f64(k as u64 + 1);
        k += 1;
    }
    k
}

#[expect(clippy::cast_precision_loss, reason = "scores and counts are far below 2^53")]
fn to_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks of the usual tables for p = 1/2 (Conover, *Practical Nonparametric Statistics*, table
    /// A3).
    #[test]
    fn ranks_are_those_of_the_tables() {
        let ranks = [5, 6, 10, 20, 50, 100].map(interval_rank);
        assert_eq!(ranks, [0, 1, 2, 6, 18, 40]);
        // The approximation continues the exact values: (1000 - 1.96 x 31.6) / 2 = 469.
        assert_eq!([interval_rank(1000), interval_rank(1001)], [469, 469]);
    }

    #[test]
    fn medians_of_few_scores() {
        let medians = [&[][..], &[7], &[1, 3, 8, 9]].map(median);
        assert_eq!(medians.map(|x| x.to_string()), ["0", "7", "5.5"]);
        for n in 0..6 {
            assert_eq!(median_estimate(&[1, 2, 3, 4, 5][..n]), None, "{n} scores");
        }
        let IntervalEstimate { mean, low, high, .. } =
            median_estimate(&[1, 2, 4, 5, 8, 9]).unwrap();
        assert_eq!([mean, low, high].map(|x| x.to_string()), ["4.5", "1", "9"]);
    }
}
