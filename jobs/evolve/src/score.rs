//! What an individual scored, exactly.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// The sum of the scores of some games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The sum of the scores.
    pub total: u64,
    /// The number of games.
    pub n: u64,
}

impl Score {
    /// Both together.
    #[must_use]
    pub fn pooled(self, other: Self) -> Self {
        Self { total: self.total.saturating_add(other.total), n: self.n + other.n }
    }

    /// The mean score; 0 without games.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for display; comparisons are exact")]
    pub fn mean(self) -> f64 {
        self.total as f64 / self.n.max(1) as f64
    }

    /// Compares mean scores exactly; without games is below everything.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        match (self.n, other.n) {
            (0, _) | (_, 0) => (self.n != 0).cmp(&(other.n != 0)),
            (n, other_n) => (u128::from(self.total) * u128::from(other_n))
                .cmp(&(u128::from(other.total) * u128::from(n))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_compared_exactly() {
        let score = |total, n| Score { total, n };
        assert_eq!(score(1, 3).compare(score(2, 6)), Ordering::Equal);
        // As floats, both means are 1.
        let close = (score(u64::MAX, u64::MAX - 1), score(u64::MAX - 1, u64::MAX - 2));
        assert_eq!(close.0.compare(close.1), Ordering::Less);
        assert_eq!(score(0, 0).compare(score(0, 1)), Ordering::Less);
        assert_eq!(score(5, 0).compare(score(0, 0)), Ordering::Equal);
        assert!((score(3, 2).pooled(score(3, 1)).mean() - 2.0).abs() < 1e-12);
    }
}
