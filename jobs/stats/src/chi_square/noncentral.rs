//! The noncentral chi-square distribution: the sum of squares of normal variables of variance 1,
//! with squared means that add up to the *noncentrality*.
//!
//! Pearson's statistic of counts that are not quite uniform has nearly this distribution.

use crate::bisection::{bisect, bisect_upwards};
use crate::{gamma, normal};

/// Noncentralities above this use a normal approximation: its error is below 1e-6 there, and the
/// sum would have thousands of terms.
const LARGE_NONCENTRALITY: f64 = 1e6;

/// Weights below this no longer change a sum that is at most 1.
const NEGLIGIBLE: f64 = 1e-18;

/// Returns the probability that a variable of `degrees` and `noncentrality` is at most `x`; NaN if
/// an argument is NaN.
///
/// This is the mean of central probabilities of `degrees + 2 j` degrees, where j has a Poisson
/// distribution of mean noncentrality / 2, summed from its mode to both sides (Benton &
/// Krishnamoorthy, "Computing discrete mixtures of continuous distributions", CSDA 43, 2003, §3).
/// Above a noncentrality of 10^6, sqrt(x - (degrees - 1) / 2) is approximated by a normal variable
/// with mean sqrt(noncentrality + (degrees - 1) / 2) and variance 1 (Sankaran, "Approximations to
/// the non-central chi-square distribution", Biometrika 50, 1963).
#[must_use]
pub fn cdf(degrees: f64, noncentrality: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x.is_nan() || noncentrality.is_nan() || degrees.is_nan() {
        return f64::NAN;
    }
    if noncentrality <= 0.0 {
        return gamma::cdf(degrees / 2.0, x / 2.0);
    }
    if LARGE_NONCENTRALITY < noncentrality {
        let shift = (degrees - 1.0) / 2.0;
        let root = libm::sqrt((x - shift).max(0.0));
        return normal::cdf(root - libm::sqrt(noncentrality + shift));
    }
    poisson_mixture(degrees / 2.0, noncentrality / 2.0, x / 2.0).clamp(0.0, 1.0)
}

fn poisson_mixture(shape: f64, mean: f64, y: f64) -> f64 {
    let mode = libm::floor(mean);
    let weight = libm::exp(mode * libm::log(mean) - mean - libm::lgamma(mode + 1.0));
    let probability = gamma::cdf(shape + mode, y);
    // P(a, y) - P(a + 1, y) = y^a e^-y / Gamma(a + 1): Abramowitz & Stegun, 6.5.21.
    let at_mode = shape + mode;
    let step = libm::exp(at_mode * libm::log(y) - y - libm::lgamma(at_mode + 1.0));
    let mut sum = weight * probability;

    let (mut w, mut p, mut s, mut j) = (weight, probability, step, mode);
    while 0.0 < p && NEGLIGIBLE < w {
        j += 1.0;
        w *= mean / j;
        p -= s;
        s *= y / (shape + j);
        sum += w * p.max(0.0);
    }
    let (mut w, mut p, mut s, mut j) = (weight, probability, step, mode);
    while 0.0 < j && NEGLIGIBLE < w {
        s *= (shape + j) / y;
        p += s;
        w *= j / mean;
        j -= 1.0;
        sum += w * p.min(1.0);
    }
    sum
}

/// Returns the `x` with `cdf(degrees, noncentrality, x) = p`.
///
/// # Panics
/// If `degrees` is not positive, `noncentrality` negative or not finite, or `p` not between 0 and
/// 1.
#[must_use]
pub fn quantile(degrees: f64, noncentrality: f64, p: f64) -> f64 {
    let valid = 0.0 < degrees && 0.0 <= noncentrality && noncentrality.is_finite();
    assert!(valid && 0.0 < p && p < 1.0, "no quantile {p} of {degrees} and {noncentrality}");
    bisect_upwards(0.0, degrees + noncentrality + 1.0, |x| p <= cdf(degrees, noncentrality, x))
}

/// Returns the largest noncentrality for which a variable with `degrees` is still at most `x` with
/// probability `tail`: the upper end of a one-sided interval of the noncentrality, given `x`, that
/// is too low with probability `tail`. 0 if `x` is too small for any noncentrality.
#[must_use]
pub fn noncentrality_upper_bound(degrees: f64, x: f64, tail: f64) -> f64 {
    let below = |noncentrality| cdf(degrees, noncentrality, x) <= tail;
    if below(0.0) {
        return 0.0;
    }
    let mut high = x + 4.0;
    while !below(high) && high < f64::MAX / 4.0 {
        high *= 2.0;
    }
    bisect(0.0, high, below)
}

/// Returns the smallest noncentrality for which a variable with `degrees` is at least `x` with
/// probability `tail`: the lower end of the interval. 0 if the central distribution already reaches
/// `tail`.
#[must_use]
pub fn noncentrality_lower_bound(degrees: f64, x: f64, tail: f64) -> f64 {
    noncentrality_upper_bound(degrees, x, 1.0 - tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distribution with 1 degree is the distribution of the square of a normal variable with
    /// mean sqrt(noncentrality). That of 3 degrees is the same minus a difference of densities
    /// (both follow from the definition by integration).
    fn closed_form(degrees: u8, noncentrality: f64, x: f64) -> f64 {
        let (root, mean) = (libm::sqrt(x), libm::sqrt(noncentrality));
        let one = normal::cdf(root - mean) - normal::cdf(-root - mean);
        if degrees == 1 {
            return one;
        }
        let density = |z: f64| libm::exp(-z * z / 2.0) / libm::sqrt(core::f64::consts::TAU);
        one - (density(root - mean) - density(root + mean)) / mean
    }

    #[test]
    fn values_are_those_of_the_closed_forms() {
        for degrees in [1, 3] {
            for noncentrality in [0.01, 1.0, 7.3, 50.0, 1234.5, 60_000.0, 999_999.0] {
                for deviation in [-2.5, -1.0, 0.0, 0.7, 3.0] {
                    let root: f64 = libm::sqrt(noncentrality) + deviation;
                    if root <= 0.0 {
                        continue;
                    }
                    let x = root * root;
                    let got = cdf(f64::from(degrees), noncentrality, x);
                    let expected = closed_form(degrees, noncentrality, x);
                    let allowed = 1e-12 + 1e-14 * noncentrality;
                    assert!(
                        (got - expected).abs() < allowed,
                        "{degrees} {noncentrality} {x}: {got} instead of {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn large_noncentralities_join_smoothly() {
        for deviation in [-2.0, 0.0, 2.0] {
            let root = libm::sqrt(LARGE_NONCENTRALITY) + deviation;
            let values = [0.999_999, 1.000_001]
                .map(|ratio| cdf(3.0, LARGE_NONCENTRALITY * ratio, root * root));
            // The argument itself moves by 0.001 standard deviations.
            assert!((values[0] - values[1]).abs() < 5e-4, "{values:?}");
            let far = 4.0 * LARGE_NONCENTRALITY;
            let root = libm::sqrt(far) + deviation;
            let got = cdf(3.0, far, root * root);
            assert!((got - closed_form(3, far, root * root)).abs() < 1e-6, "{got}");
        }
    }

    #[test]
    fn bounds_invert_the_distribution() {
        for x in [0.5, 3.0, 40.0, 3000.0] {
            for tail in [0.001, 0.05] {
                let high = noncentrality_upper_bound(3.0, x, tail);
                let low = noncentrality_lower_bound(3.0, x, tail);
                assert!(high <= 0.0 || (cdf(3.0, high, x) - tail).abs() < 1e-9, "{x} {tail}");
                assert!(low <= 0.0 || (cdf(3.0, low, x) - 1.0 + tail).abs() < 1e-9, "{x} {tail}");
                let back = quantile(3.0, high, tail);
                assert!(high <= 0.0 || (back / x - 1.0).abs() < 1e-9, "{back} instead of {x}");
            }
        }
        // P(chi-square of 3 <= 0.3518) = 0.05: below that, the noncentrality is 0.
        assert!(noncentrality_upper_bound(3.0, 0.35, 0.05) <= 0.0);
        assert!(noncentrality_upper_bound(3.0, 0.36, 0.05) > 0.0);
    }
}
