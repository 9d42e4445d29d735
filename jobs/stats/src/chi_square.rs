//! The chi-square distribution: a gamma distribution of half the degrees of freedom, at scale 2.

pub mod noncentral;

use crate::gamma;

/// Returns the probability that a chi-square variable of `degrees` is at most `x`.
#[must_use]
pub fn cdf(degrees: f64, x: f64) -> f64 {
    gamma::cdf(degrees / 2.0, x / 2.0)
}

/// Returns the probability that a chi-square variable of `degrees` is above `x`: the p-value of a
/// test.
#[must_use]
pub fn survival(degrees: f64, x: f64) -> f64 {
    gamma::survival(degrees / 2.0, x / 2.0)
}

/// Returns the `x` with `cdf(degrees, x) = p`.
#[must_use]
pub fn quantile(degrees: f64, p: f64) -> f64 {
    2.0 * gamma::quantile(degrees / 2.0, p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz & Stegun, table 26.8, and a far tail: with 2 degrees, Q(x) = exp(-x / 2).
    #[test]
    fn values_are_those_of_the_tables() {
        for (degrees, p, x) in [(3.0, 0.95, 7.814_73), (3.0, 0.05, 0.351_846), (10.0, 0.5, 9.34182)]
        {
            assert!((quantile(degrees, p) - x).abs() < 1e-5, "{degrees} {p}");
            assert!((survival(degrees, x) - (1.0 - p)).abs() < 1e-6);
        }
        assert!((survival(2.0, 200.0) / libm::exp(-100.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_argument_hangs() {
        assert!(cdf(3.0, f64::NAN).is_nan() && survival(3.0, f64::NAN).is_nan());
        assert!(survival(3.0, f64::INFINITY) <= 0.0 && survival(3.0, -1.0) >= 1.0);
        assert!(survival(3.0, 1e9) <= 0.0);
    }
}
