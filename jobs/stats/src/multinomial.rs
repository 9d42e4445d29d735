//! Counts of several outcomes, and simultaneous intervals of their shares.

mod sison_glaz;

use hatchery_core::IntervalEstimate;

pub use sison_glaz::sison_glaz_intervals;

use crate::count::to_f64;
use crate::error::{ErrorRate, StatsError};
use crate::proportion::score_interval;

/// The counts of k >= 2 outcomes in n >= 1 decided trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutcomeCounts<'a> {
    counts: &'a [u64],
    n: u64,
}

impl<'a> OutcomeCounts<'a> {
    /// Creates the `counts`, one per outcome.
    ///
    /// # Errors
    /// If there are fewer than two outcomes, no trials, or more than 2^53.
    pub fn new(counts: &'a [u64]) -> Result<Self, StatsError> {
        let k = counts.len();
        if k < 2 {
            return Err(StatsError::TooFewOutcomes { k });
        }
        let total: u128 = counts.iter().map(|&count| u128::from(count)).sum();
        match u64::try_from(total) {
            Ok(0) => Err(StatsError::NoTrials { k }),
            Ok(n) if n <= 1 << 53 => Ok(Self { counts, n }),
            _ => Err(StatsError::TooManyTrials { n: total }),
        }
    }

    /// Returns the number of outcomes: k.
    #[must_use]
    pub fn k(&self) -> u32 {
        u32::try_from(self.counts.len()).unwrap_or(u32::MAX)
    }

    /// Returns the number of decided trials, the sum of the counts: n.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Iterates over the counts, in the order of the outcomes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u64> + 'a {
        self.counts.iter().copied()
    }

    /// Iterates over the shares of the outcomes, which add up to 1.
    pub fn shares(&self) -> impl ExactSizeIterator<Item = f64> + 'a {
        let n = to_f64(self.n);
        self.iter().map(move |count| to_f64(count) / n)
    }

    /// Returns k times the sum of squared counts minus n squared: k^2 n^2 times the variance of the
    /// shares, exact, and never negative (Cauchy-Schwarz).
    pub(crate) fn scaled_variance(&self) -> f64 {
        let squares: u128 = self.iter().map(|count| u128::from(count) * u128::from(count)).sum();
        let n = u128::from(self.n);
        ratio(u128::from(self.k()) * squares - n * n)
    }
}

/// Returns intervals of the shares that hold simultaneously but for `error_rate`: each is Wilson's
/// at an error rate divided by k (Goodman, "On simultaneous confidence intervals for multinomial
/// proportions", Technometrics 7, 1965). Somewhat conservative.
#[must_use]
pub fn goodman_intervals(
    counts: OutcomeCounts<'_>,
    error_rate: ErrorRate,
) -> Vec<IntervalEstimate> {
    let each = error_rate.shared_among(counts.k());
    let interval = |count| {
        let interval = score_interval(count, counts.n(), each);
        IntervalEstimate { confidence: 1.0 - error_rate.get(), ..interval }
    };
    counts.iter().map(interval).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a relative error of 2^-53 is meant")]
fn ratio(value: u128) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(got: &[IntervalEstimate], expected: &[(f64, f64)], allowed: f64) {
        for (got, (low, high)) in got.iter().zip(expected) {
            let close = (got.low - low).abs() < allowed && (got.high - high).abs() < allowed;
            assert!(close, "{got:?} instead of {low} to {high}");
        }
    }

    /// The first example of Sison & Glaz (1995), as computed by the R package DescTools.
    #[test]
    fn goodman_of_the_paper() {
        let counts = OutcomeCounts::new(&[56, 72, 73, 59, 62, 87, 58]).unwrap();
        let expected = [
            (0.085, 0.166),
            (0.115, 0.204),
            (0.116, 0.207),
            (0.091, 0.173),
            (0.096, 0.181),
            (0.143, 0.239),
            (0.089, 0.171),
        ];
        check(&goodman_intervals(counts, ErrorRate::FIVE_PERCENT), &expected, 5.1e-4);
    }

    /// The examples of Sison & Glaz (1995), as computed by the R package MultinomialCI.
    #[test]
    fn sison_glaz_of_the_paper() {
        let of = |counts: &[u64]| {
            sison_glaz_intervals(OutcomeCounts::new(counts).unwrap(), ErrorRate::FIVE_PERCENT)
        };
        let expected = [
            (0.079_229, 0.164_336),
            (0.113_490, 0.198_597),
            (0.115_632, 0.200_739),
            (0.085_653, 0.170_760),
            (0.092_077, 0.177_184),
            (0.145_610, 0.230_717),
            (0.083_512, 0.168_619),
        ];
        check(&of(&[56, 72, 73, 59, 62, 87, 58]), &expected, 1e-4);
        check(&of(&[5; 50]), &[(0.0, 0.053_040); 50], 1e-4);
    }

    #[test]
    fn sison_glaz_of_odd_counts() {
        for counts in [&[1, 0][..], &[0, 0, 9], &[1, 2, 3, 0, 0], &[250_000; 4], &[1 << 40, 3]] {
            let counts = OutcomeCounts::new(counts).unwrap();
            for (interval, share) in
                sison_glaz_intervals(counts, ErrorRate::FIVE_PERCENT).iter().zip(counts.shares())
            {
                let ordered = 0.0 <= interval.low && interval.low <= share;
                assert!(ordered && share <= interval.high && interval.high <= 1.0, "{interval:?}");
            }
        }
    }

    #[test]
    fn invalid_counts_are_refused() {
        for (counts, error) in [
            (&[5][..], StatsError::TooFewOutcomes { k: 1 }),
            (&[0, 0, 0, 0], StatsError::NoTrials { k: 4 }),
            (&[u64::MAX, 2], StatsError::TooManyTrials { n: u128::from(u64::MAX) + 2 }),
        ] {
            assert_eq!(OutcomeCounts::new(counts).unwrap_err(), error);
        }
    }
}
