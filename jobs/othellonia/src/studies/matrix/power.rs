//! The power of the test for dominant pieces.

use hatchery_stats::{ErrorRate, StandardError, student};

use super::cost_line::to_f64;
use crate::params::deck_param::MAX_DECKS;

/// The worth beyond the margin of dominance from which on runs should name a piece: ours, twice the
/// default margin.
pub(super) const CLEAR_WORTH: f64 = 0.1;

/// The power that runs should have: that of most studies.
pub(super) const WANTED_POWER: f64 = 0.8;

/// The power of the test for dominant pieces, for a piece with a usual standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TestPower {
    /// The probability that a piece is named that is worth [`CLEAR_WORTH`] more than the margin,
    /// and no other one is dominant.
    pub(super) of_clear: f64,
    /// The worth beyond the margin of a piece that is named with [`WANTED_POWER`].
    pub(super) named: f64,
    /// The fewest decks that have [`WANTED_POWER`] for [`CLEAR_WORTH`]; `None` if decks such as the
    /// run's decks never have this power.
    pub(super) decks: Option<usize>,
}

/// The numbers on which the power depends.
#[derive(Clone, Copy, Debug)]
pub(super) struct TestSize {
    pub(super) n_decks: usize,
    pub(super) n_pieces: usize,
    pub(super) error_rate: ErrorRate,
    /// The standard error of a worth from games and decks.
    pub(super) sampled: f64,
    /// That of the line which the worth is compared with: more decks leave it as it is.
    pub(super) line: f64,
}

impl TestSize {
    /// Returns the power of this size, and the size that would do.
    pub(super) fn power(&self) -> TestPower {
        let (error, threshold) = self.with_decks(self.n_decks);
        let beyond = |t: f64| t * error.value;
        TestPower {
            of_clear: self.probability(self.n_decks),
            named: beyond(threshold + student::quantile(WANTED_POWER, error.degrees)),
            decks: (self.n_decks..=MAX_DECKS).find(|&n| WANTED_POWER <= self.probability(n)),
        }
    }

    /// Returns the probability that a piece of clear worth passes the test, by Student's t about
    /// the worth in place of the noncentral one.
    fn probability(&self, n_decks: usize) -> f64 {
        let (error, threshold) = self.with_decks(n_decks);
        match error.value {
            0.0 => 1.0,
            value => student::cdf(CLEAR_WORTH / value - threshold, error.degrees),
        }
    }

    /// Returns the standard error with so many decks, and the t that a single dominant piece needs
    /// after the correction for all pieces. The variance of a coefficient falls with the degrees of
    /// freedom, as it does for columns drawn at random (Draper & Smith 1998, §5.2).
    fn with_decks(&self, n_decks: usize) -> (StandardError, f64) {
        let degrees = |n: usize| n.saturating_sub(self.n_pieces).max(1);
        let part = to_f64(degrees(self.n_decks)) / to_f64(degrees(n_decks));
        let value = libm::sqrt(self.sampled * self.sampled * part + self.line * self.line);
        let error = StandardError { value, degrees: degrees(n_decks) as u64 };
        let level = self.error_rate.get() / to_f64(self.n_pieces.max(1));
        (error, student::quantile(1.0 - level, error.degrees))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(n_decks: usize, sampled: f64, line: f64) -> TestSize {
        TestSize { n_decks, n_pieces: 20, error_rate: ErrorRate::FIVE_PERCENT, sampled, line }
    }

    /// With 40 degrees of freedom, t is 2.971 at 1/400, and 0.851 at 0.8: 3.822 standard errors.
    #[test]
    fn power_is_that_of_students_t() {
        let found = size(60, 0.1 / 3.822, 0.0).power();
        assert!((found.of_clear - WANTED_POWER).abs() < 1e-3, "{found:?}");
        assert!((found.named - CLEAR_WORTH).abs() < 1e-4, "{found:?}");
    }

    /// Twice the degrees of freedom halve the variance, and lower t.
    #[test]
    fn more_decks_are_more_power() {
        let found = size(30, 0.033, 0.0).power();
        assert!(found.of_clear < 0.4 && found.decks.is_some_and(|n| (35..45).contains(&n)));
        let enough = size(60, 0.01, 0.0).power();
        assert_eq!(enough.decks, Some(60));
        // The line stays as uncertain as it is.
        assert_eq!(size(30, 0.033, 0.05).power().decks, None);
    }
}
