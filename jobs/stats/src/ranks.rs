//! Ranks of numbers, including equal numbers, and the probabilities of their sums.

/// The probabilities of results at least as extreme as the found result, if the tested hypothesis
/// is true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TailProbabilities {
    /// Of a sum of ranks at least as large: small if the first of two conditions tends to give
    /// larger numbers.
    pub greater: f64,
    /// Of a sum at most as large: small if the first of two conditions tends to give smaller
    /// numbers.
    pub less: f64,
    /// Twice the smaller of the two, at most 1.
    pub two_sided: f64,
}

impl TailProbabilities {
    pub(crate) fn new(greater: f64, less: f64) -> Self {
        let (greater, less) = (greater.min(1.0), less.min(1.0));
        Self { greater, less, two_sided: (2.0 * greater.min(less)).min(1.0) }
    }
}

/// Returns twice the ranks of `values` from the lowest value, which has rank 1. Equal values share
/// the mean of their ranks, so that twice a rank is whole.
pub(crate) fn doubled_ranks(values: &[f64]) -> Vec<u64> {
    let mut order: Vec<_> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    #[expect(clippy::float_cmp, reason = "only equal values share a rank")]
    let groups = order.chunk_by(|&a, &b| values[a] == values[b]);
    let (mut ranks, mut below) = (vec![0; values.len()], 0);
    for equal in groups {
        // The ranks from below + 1 to below + n have this sum of the first and the last.
        let n = equal.len() as u64;
        equal.iter().for_each(|&idx| ranks[idx] = 2 * below + n + 1);
        below += n;
    }
    ranks
}

/// Returns a sum of ranks that is given doubled.
#[expect(clippy::cast_precision_loss, reason = "a relative error of 2^-53 is meant")]
pub(crate) fn half(doubled: u64) -> f64 {
    doubled as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        assert_eq!(doubled_ranks(&[30.0, 10.0, 20.0]), [6, 2, 4]);
        assert_eq!(doubled_ranks(&[2.0, 1.0, 2.0, 2.0]), [6, 2, 6, 6]);
        assert_eq!(doubled_ranks(&[0.0, -0.0, 1.0]), [3, 3, 6]);
        assert_eq!(doubled_ranks(&[]), [0; 0]);
    }
}
