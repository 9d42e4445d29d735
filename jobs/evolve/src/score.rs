//! Scores of individuals: their order, and exact mean scores.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// A score that selects individuals.
///
/// Contract: [`rank_cmp`](Self::rank_cmp) is a total order, the default is the score of an
/// individual that has not been scored, and no score is below it. [`ranks_in_order`] checks it.
pub trait RankedScore: Default {
    /// Compares how good the scores are: a better score is greater, whether high or low numbers are
    /// better. Scores that are equal in this order are equally good.
    fn rank_cmp(&self, other: &Self) -> Ordering;
}

/// Returns true if `scores`, listed from worst to best without equal scores, are ordered as the
/// contract of [`RankedScore`] asks: for the tests of its implementations.
pub fn ranks_in_order<S: RankedScore>(scores: &[S]) -> bool {
    let none = S::default();
    let mut pairs = (0..scores.len()).flat_map(|a| (0..scores.len()).map(move |b| (a, b)));
    scores.iter().all(|score| score.rank_cmp(&none).is_ge() && none.rank_cmp(score).is_le())
        && pairs.all(|(a, b)| scores[a].rank_cmp(&scores[b]) == a.cmp(&b))
}

/// The mean score of some trials, as the sum of scores and its divisor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeanScore {
    /// The sum of the scores.
    pub total: u64,
    /// The number of trials; if some were stopped, the number of trials that ended.
    pub n: u64,
}

impl MeanScore {
    /// Returns the mean score of both sets of trials.
    #[must_use]
    pub fn pooled(self, other: Self) -> Self {
        Self { total: self.total.saturating_add(other.total), n: self.n + other.n }
    }

    /// Returns the mean score; the sum if no trial ended, 0 without trials.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for display; comparisons are exact")]
    pub fn mean(self) -> f64 {
        self.total as f64 / self.n.max(1) as f64
    }

    /// Compares mean scores exactly. A score without trials is below all others; scores without a
    /// trial that ended are above all others, and compare by their sums.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        let none = |score: Self| score == Self::default();
        match (self.n, other.n) {
            (0, 0) => self.total.cmp(&other.total),
            _ if none(self) || none(other) => none(other).cmp(&none(self)),
            (n, other_n) => (u128::from(self.total) * u128::from(other_n))
                .cmp(&(u128::from(other.total) * u128::from(n))),
        }
    }

    /// Returns this score, reduced to below `other` if it is not below and fewer of its trials have
    /// ended.
    pub(crate) fn below(self, other: Self) -> Self {
        if other.n <= self.n || self.compare(other).is_lt() {
            return self;
        }
        // The largest whole total whose mean is below the other's: total / n < other's.
        let n = self.n.max(1);
        let limit = (u128::from(other.total) * u128::from(n)).div_ceil(u128::from(other.n));
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        Self { total: self.total.min(limit.saturating_sub(1)), n }
    }
}

impl RankedScore for MeanScore {
    fn rank_cmp(&self, other: &Self) -> Ordering {
        self.compare(*other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_rank_from_unscored_to_unended() {
        let score = |total, n| MeanScore { total, n };
        let means = [score(0, 0), score(0, 1), score(1, 3), score(5, 6), score(5, 0), score(6, 0)];
        assert!(ranks_in_order(&means));
        assert!(!ranks_in_order(&[score(2, 1), score(1, 1)]));
    }

    #[test]
    fn means_are_compared_exactly() {
        let score = |total, n| MeanScore { total, n };
        assert_eq!(score(1, 3).compare(score(2, 6)), Ordering::Equal);
        // As floats, both means are 1.
        let close = (score(u64::MAX, u64::MAX - 1), score(u64::MAX - 1, u64::MAX - 2));
        assert_eq!(close.0.compare(close.1), Ordering::Less);
        assert_eq!(score(0, 0).compare(score(0, 1)), Ordering::Less);
        assert_eq!(score(5, 0).compare(score(0, 0)), Ordering::Greater);
        assert_eq!(score(5, 0).compare(score(900, 1)), Ordering::Greater);
        assert_eq!(score(5, 0).compare(score(6, 0)), Ordering::Less);
        assert_eq!(score(0, 0).compare(score(0, 0)), Ordering::Equal);
        assert!((score(3, 2).pooled(score(3, 1)).mean() - 2.0).abs() < 1e-12);
    }
}
