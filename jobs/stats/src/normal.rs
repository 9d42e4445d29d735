//! The normal distribution.

use core::f64::consts::SQRT_2;

use crate::bisection::bisect;

/// Returns the probability that a standard normal variable is at most `z`.
#[must_use]
pub fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// Returns the `z` with `cdf(z) = p`.
#[must_use]
pub fn quantile(p: f64) -> f64 {
    bisect(-40.0, 40.0, |z| p <= cdf(z))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz & Stegun, tables 26.1 and 26.5.
    #[test]
    fn values_are_those_of_the_tables() {
        for (p, expected) in [(0.5, 0.0), (0.975, 1.959_963_985), (0.001, -3.090_232_306)] {
            assert!((quantile(p) - expected).abs() < 1e-8);
            assert!((cdf(expected) - p).abs() < 1e-9);
        }
    }
}
