//! Estimates of how far the shares of k outcomes are apart.
//!
//! *Sigma* is the population standard deviation (divisor k) of the true shares about 1/k; 0 is
//! fair. Observed shares are further apart than true shares: the variance of n fair trials is
//! (k - 1) / (k^2 n) on average. Pearson's statistic is k^2 n times the observed variance, and has
//! nearly a noncentral chi-square distribution of k - 1 degrees of freedom and noncentrality
//! k^2 n sigma^2. All intervals of sigma invert it (Steiger & Fouladi, "Noncentrality interval
//! estimation and the evaluation of statistical models", 1997).

pub(crate) mod one_above;
mod pooled;

use hatchery_core::IntervalEstimate;

pub use pooled::pooled_sigma;

use crate::chi_square::{self, noncentral};
use crate::count::to_f64;
use crate::error::ErrorRate;
use crate::multinomial::OutcomeCounts;
use crate::normal;
use crate::uniformity::pearson_test;

/// The spread of shares about 1/k; shares are between 0 and 1, not percentages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareSpread {
    /// The population standard deviation of the observed shares: s.
    pub observed: f64,
    /// s^2 minus the mean of fair trials: (k - 1) / (k^2 n). An estimate of sigma^2 with no bias
    /// other than sigma^2 / n. May be negative.
    pub debiased_variance: f64,
    /// Sigma: the root of the debiased variance, 0 if that is negative, with [`sigma_interval`].
    pub sigma: IntervalEstimate,
    /// The difference of the largest and the smallest share, with [`range_interval`].
    pub range: IntervalEstimate,
}

/// Returns the spread of the shares of `counts`, with intervals of `error_rate`.
#[must_use]
pub fn spread(counts: OutcomeCounts<'_>, error_rate: ErrorRate) -> ShareSpread {
    let (n, k) = (to_f64(counts.n()), f64::from(counts.k()));
    let variance = counts.scaled_variance() / (k * k * n * n);
    let debiased_variance = variance - (k - 1.0) / (k * k * n);
    let (low, high) = sigma_interval(counts, error_rate);
    let mean = libm::sqrt(debiased_variance.max(0.0));
    let confidence = 1.0 - error_rate.get();
    ShareSpread {
        observed: libm::sqrt(variance),
        debiased_variance,
        sigma: IntervalEstimate { mean, low, high, n: counts.n(), confidence },
        range: range_interval(counts, error_rate),
    }
}

/// Returns both bounds of sigma, each wrong with half of `error_rate`.
#[must_use]
pub fn sigma_interval(counts: OutcomeCounts<'_>, error_rate: ErrorRate) -> (f64, f64) {
    let side = error_rate.per_side();
    (sigma_lower_bound(counts, side), sigma_upper_bound(counts, side))
}

/// Returns a lower bound of sigma, too high with probability `error_rate`.
#[must_use]
pub fn sigma_lower_bound(counts: OutcomeCounts<'_>, error_rate: ErrorRate) -> f64 {
    sigma_bound(counts, noncentral::noncentrality_lower_bound, error_rate)
}

/// Returns an upper bound of sigma, too low with probability at most `error_rate`; never below the
/// [`resolution`].
///
/// Counts may be more even than almost all fair counts. Then the inverted distribution leaves no
/// sigma at all, not even 0, and its bound would claim more than so few trials can tell.
#[must_use]
pub fn sigma_upper_bound(counts: OutcomeCounts<'_>, error_rate: ErrorRate) -> f64 {
    let bound = sigma_bound(counts, noncentral::noncentrality_upper_bound, error_rate);
    bound.max(resolution(counts.k(), counts.n()))
}

/// Returns the root of the mean variance of the shares of `n` fair trials with `k` outcomes:
/// sqrt((k - 1) / n) / k. No smaller sigma can be distinguished from 0.
#[must_use]
pub fn resolution(k: u32, n: u64) -> f64 {
    libm::sqrt((f64::from(k) - 1.0) / to_f64(n)) / f64::from(k)
}

fn sigma_bound(
    counts: OutcomeCounts<'_>,
    noncentrality: impl Fn(f64, f64, f64) -> f64,
    error_rate: ErrorRate,
) -> f64 {
    let test = pearson_test(counts);
    let k = f64::from(counts.k());
    let bound = noncentrality(f64::from(test.degrees), test.statistic, error_rate.get());
    // Shares are furthest apart when one outcome has all: the resolution of one trial.
    libm::sqrt(bound / (k * k * to_f64(counts.n()))).min(resolution(counts.k(), 1))
}

/// Returns the difference of the largest and the smallest share, between bounds that hold for all
/// differences of two shares simultaneously but for `error_rate`.
///
/// Each difference has the interval of Bonett & Price ("Adjusted Wald confidence interval for a
/// difference of binomial proportions based on paired data", J. Educational and Behavioral
/// Statistics 37, 2012), at an error rate divided by the number of pairs (Goodman 1965, §4). The
/// interval is conservative.
#[must_use]
pub fn range_interval(counts: OutcomeCounts<'_>, error_rate: ErrorRate) -> IntervalEstimate {
    let n = to_f64(counts.n());
    let pairs = counts.k() * (counts.k() - 1) / 2;
    let z = normal::quantile(1.0 - error_rate.shared_among(pairs).per_side().get());
    let (mut range, mut low, mut high) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (idx, a) in counts.iter().enumerate() {
        for b in counts.iter().take(idx) {
            let (more, less) = (to_f64(a.max(b)), to_f64(a.min(b)));
            let difference = (more - less) / (n + 2.0);
            let sum = (more + less + 2.0) / (n + 2.0);
            let half = z * libm::sqrt((sum - difference * difference) / (n + 2.0));
            range = range.max((more - less) / n);
            low = low.max(difference - half);
            high = high.max(difference + half);
        }
    }
    let high = high.clamp(range, 1.0);
    IntervalEstimate { mean: range, low, high, n: counts.n(), confidence: 1.0 - error_rate.get() }
}

/// Returns the mean of the observed standard deviation of the most even of `candidates` fair series
/// of `n` trials of `k` outcomes: the value that the best of many shows by chance alone.
///
/// The integral over x of the probability that all are above x, by the trapezoidal rule.
///
/// # Panics
/// If `k` is below 2 or `n` is 0.
#[must_use]
pub fn fair_spread_of_best(k: u32, n: u64, candidates: u32) -> f64 {
    const STEPS: u32 = 2000;
    assert!(2 <= k && 0 < n, "no spread of {k} outcomes in {n} trials");
    let k = f64::from(k);
    // In units in which x^2 is Pearson's statistic: 8 beyond the mean, nothing is left.
    let end = libm::sqrt(k - 1.0) + 8.0;
    let step = end / f64::from(STEPS);
    let all_above = |idx: u32| {
        let x = step * f64::from(idx);
        libm::pow(chi_square::survival(k - 1.0, x * x), f64::from(candidates.max(1)))
    };
    let inner: f64 = (1..STEPS).map(all_above).sum();
    (inner + 0.5) * step / (k * libm::sqrt(to_f64(n)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(counts: &[u64]) -> ShareSpread {
        spread(OutcomeCounts::new(counts).unwrap(), ErrorRate::FIVE_PERCENT)
    }

    /// The rulebook map of Hwang & Kaneko, table 4: 467, 508, 482, 528 of 2,005 games, with 20
    /// undecided games: the standard deviation is 1.17 to 1.18 points, p = 0.22.
    #[test]
    fn the_rulebook_map() {
        let got = of(&[467, 508, 482, 528]);
        assert!((0.0117..0.0121).contains(&got.observed), "{got:?}");
        assert!(got.sigma.low <= 0.0 && got.sigma.high < 0.025, "{got:?}");
        assert!(got.range.low <= 0.0 && got.range.mean < got.range.high, "{got:?}");
    }

    /// Returns the observed standard deviation that `n` trials of four fair outcomes stay below
    /// with probability `p`.
    fn fair_spread_quantile(n: u64, p: f64) -> f64 {
        libm::sqrt(chi_square::quantile(3.0, p) / (16.0 * to_f64(n)))
    }

    /// Means and quantiles of the standard deviation of a fair map's four win rates, in points.
    #[test]
    fn fair_trials_show_a_spread() {
        for (n, mean, low, high) in
            [(500, 1.79, 0.66, 3.12), (1000, 1.26, 0.47, 2.21), (5000, 0.56, 0.21, 0.99)]
        {
            let points = |x: f64| 100.0 * x;
            assert!((points(fair_spread_of_best(4, n, 1)) - mean).abs() < 0.006, "{n}");
            assert!((points(fair_spread_quantile(n, 0.05)) - low).abs() < 0.006, "{n}");
            assert!((points(fair_spread_quantile(n, 0.95)) - high).abs() < 0.006, "{n}");
        }
        let best = fair_spread_of_best(4, 2000, 30);
        assert!(best < fair_spread_quantile(2000, 0.1), "{best}");
    }

    /// E[s^2] = sigma^2 + (k - 1) / (k^2 n): sqrt(0.1875 / 2000) is 0.97 points.
    #[test]
    fn the_bias_is_taken_off() {
        let got = of(&[500, 500, 500, 500]);
        assert!((libm::sqrt(-got.debiased_variance) - 0.009_682).abs() < 1e-6, "{got:?}");
        assert!(got.observed <= 0.0 && got.sigma.mean <= 0.0 && got.sigma.low <= 0.0);
        // No bound is finer than 2,000 games allow.
        assert!((got.sigma.high - 0.009_682).abs() < 1e-6, "{got:?}");
    }

    #[test]
    fn extreme_counts_have_bounds() {
        for counts in [&[1, 0][..], &[0, 0, 0, 1], &[1_000_000, 0, 0, 0], &[1, 1, 1, 1]] {
            let ShareSpread { sigma, range, .. } = of(counts);
            assert!(0.0 <= sigma.low && sigma.low <= sigma.high && sigma.high <= 0.5, "{sigma:?}");
            assert!(0.0 <= range.low && range.low <= range.mean && range.high <= 1.0, "{range:?}");
        }
    }
}
