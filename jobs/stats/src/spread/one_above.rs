//! The distribution of Pearson's statistic where one outcome is above the rest.
//!
//! With shares p = 1/k + d, the statistic is the squared length of a normal vector whose mean is d
//! (k n)^(1/2) and whose covariance is k (diag(p) - p p'). The noncentral chi-square distribution
//! replaces that covariance by the covariance of fair shares, which is right for small sigma only:
//! the variance along d is 1 + k sum(d^3) / sum(d^2) - k sum(d^2). Among shares of a given sigma,
//! one outcome above k - 1 equal outcomes has the largest sum(d^3), so that the statistic varies
//! most there. A test that keeps its error rate there keeps it elsewhere: exact enumeration of four
//! outcomes found no other shape with heavier tails.

use core::f64::consts::{FRAC_PI_2, PI, TAU};

use crate::chi_square;
use crate::count::to_f64;
use crate::normal;

/// The number of steps of the integral over the part along d.
const STEPS: u32 = 96;

/// No normal variable is further from its mean: the probability is below 1e-18.
const REACH: f64 = 9.0;

/// Returns the probability that Pearson's statistic of `n` trials of `k` outcomes is at most `x`,
/// where one outcome is above the others, which are equal, and the shares have the standard
/// deviation `sigma`.
///
/// The sum over the part along d, v1 (z + m)^2, and the rest, v2 times a chi-square variable of
/// k - 2 degrees, by the trapezoidal rule in the angle whose sine is z in its range: the integrand
/// and its derivatives vanish at both ends.
pub(crate) fn cdf(k: u32, n: u64, sigma: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let outcomes = f64::from(k);
    // The others are below 1/k by this much each.
    let below = sigma / libm::sqrt(outcomes - 1.0);
    let squares = outcomes * sigma * outcomes * sigma;
    let across = (1.0 - outcomes * below).max(f64::MIN_POSITIVE);
    let along = variance_along(k, sigma);
    let (center, end) = (libm::sqrt(squares * to_f64(n)), libm::sqrt(x));
    let spread = libm::sqrt(along);
    let [low, high] = [-end, end].map(|end| ((end - center) / spread).clamp(-REACH, REACH));
    if k == 2 {
        return normal::cdf(high) - normal::cdf(low);
    }
    let (middle, half) = (f64::midpoint(low, high), (high - low) / 2.0);
    let at = |step: u32| {
        let angle = PI * f64::from(step) / f64::from(STEPS) - FRAC_PI_2;
        let z = middle + half * libm::sin(angle);
        let part = center + spread * z;
        let rest = (x - part * part).max(0.0) / across;
        let density = libm::exp(-z * z / 2.0) / libm::sqrt(TAU);
        density * chi_square::cdf(outcomes - 2.0, rest) * libm::cos(angle)
    };
    let sum: f64 = (1..STEPS).map(at).sum();
    (sum * half * PI / f64::from(STEPS)).clamp(0.0, 1.0)
}

/// Returns the variance of the part along d, v1, which is 1 for fair outcomes.
pub(crate) fn variance_along(k: u32, sigma: f64) -> f64 {
    let outcomes = f64::from(k);
    let below = sigma / libm::sqrt(outcomes - 1.0);
    let squares = outcomes * sigma * outcomes * sigma;
    (1.0 + outcomes * (outcomes - 2.0) * below - squares).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chi_square::noncentral;

    /// Without a spread, the statistic has a chi-square distribution; with a small one, a
    /// noncentral one.
    #[test]
    fn small_spreads_are_noncentral() {
        for (k, x) in [(2, 1.0), (3, 2.5), (4, 0.3), (4, 7.8), (6, 11.0)] {
            let degrees = f64::from(k) - 1.0;
            let got = cdf(k, 1000, 0.0, x);
            assert!((got - chi_square::cdf(degrees, x)).abs() < 1e-6, "{k}, {x}: {got}");
            let sigma = 1e-6;
            let n = 10_000_000_000_000;
            let expected = noncentral::cdf(degrees, f64::from(k * k) * 10.0, 10.0 * x);
            assert!((cdf(k, n, sigma, 10.0 * x) - expected).abs() < 1e-4, "{k}, {x}");
        }
    }

    /// By SciPy's quadrature over the part across.
    #[test]
    fn large_spreads_are_wider() {
        for (k, n, sigma, x, expected) in [
            (4, 2000, 0.01, 5.0, 0.474_717_07),
            (4, 2000, 0.05, 60.0, 0.115_537_69),
            (3, 500, 0.08, 9.0, 0.009_410_34),
            (6, 1000, 0.1, 300.0, 0.092_356_94),
        ] {
            let got = cdf(k, n, sigma, x);
            assert!((got - expected).abs() < 1e-6, "{k}, {sigma}: {got}");
        }
    }

    /// The probability falls with sigma, and rises with the statistic.
    #[test]
    fn the_distribution_is_monotone() {
        for k in [2, 3, 4, 7] {
            let most = libm::sqrt(f64::from(k) - 1.0) / f64::from(k);
            let sigmas = (0..=40_u32).map(|step| most * f64::from(step) / 40.0);
            let of_sigma: Vec<_> = sigmas.map(|sigma| cdf(k, 300, sigma, 40.0)).collect();
            assert!(of_sigma.is_sorted_by(|a, b| b <= a), "{k}: {of_sigma:?}");
            let of_x: Vec<_> = (0..60).map(|x| cdf(k, 300, 0.1 * most, f64::from(x))).collect();
            assert!(of_x.is_sorted() && of_x.iter().all(|p| (0.0..=1.0).contains(p)), "{of_x:?}");
        }
    }
}
