//! The gamma distribution.

use crate::bisection::bisect_upwards;
use crate::normal;

/// Shapes above this use a normal approximation of the cube root: it is accurate there, and the
/// sums would be slow.
const LARGE_SHAPE: f64 = 1e6;

/// Returns the probability that a gamma variable of `shape` and scale 1 is at most `x`: the
/// regularized incomplete gamma function P, by its series and its continued fraction (Abramowitz &
/// Stegun, 6.5.29 and 6.5.31).
#[must_use]
pub fn cdf(shape: f64, x: f64) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return x.clamp(0.0, 1.0);
    }
    let scale = scale(shape, x);
    if x < shape + 1.0 {
        scale * series(shape, x)
    } else {
        1.0 - scale * continued_fraction(shape, x)
    }
}

/// Returns the probability that a gamma variable of `shape` and scale 1 is above `x`: Q = 1 - P,
/// accurate also where it is tiny.
#[must_use]
pub fn survival(shape: f64, x: f64) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return 1.0 - x.clamp(0.0, 1.0);
    }
    let scale = scale(shape, x);
    if x < shape + 1.0 {
        1.0 - scale * series(shape, x)
    } else {
        scale * continued_fraction(shape, x)
    }
}

/// Returns the common factor of the series and the continued fraction: x^shape e^-x / Gamma(shape).
fn scale(shape: f64, x: f64) -> f64 {
    libm::exp(shape * libm::log(x) - x - libm::lgamma(shape))
}

fn series(shape: f64, x: f64) -> f64 {
    let mut term = 1.0 / shape;
    let mut sum = term;
    let mut k = shape;
    while 1e-16 * sum < term {
        k += 1.0;
        term *= x / k;
        sum += term;
    }
    sum
}

/// Evaluates the continued fraction by the modified method of Lentz (Thompson & Barnett, 1986).
fn continued_fraction(shape: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - shape;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut value = d;
    let mut k = 0.0;
    loop {
        k += 1.0;
        let a = k * (shape - k);
        b += 2.0;
        d = 1.0 / at_least_tiny(a * d + b, TINY);
        c = at_least_tiny(b + a / c, TINY);
        value *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            return value;
        }
    }
}

fn at_least_tiny(value: f64, tiny: f64) -> f64 {
    if value.abs() < tiny { tiny } else { value }
}

/// Returns the `x` with `cdf(shape, x) = p`.
///
/// # Panics
/// If `shape` is not positive or `p` is not between 0 and 1.
#[must_use]
pub fn quantile(shape: f64, p: f64) -> f64 {
    assert!(0.0 < shape && 0.0 < p && p < 1.0, "no quantile {p} of shape {shape}");
    if LARGE_SHAPE < shape {
        // Wilson & Hilferty, 1931: the cube root of a gamma variable is nearly normal.
        let root = 1.0 - 1.0 / (9.0 * shape) + normal::quantile(p) / (3.0 * libm::sqrt(shape));
        return shape * root * root * root;
    }
    bisect_upwards(0.0, shape + 1.0, |x| p <= cdf(shape, x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chi-square quantiles of the usual tables: twice a gamma quantile of half the degrees of
    /// freedom.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        let tables = [
            (1.0, 0.95, 3.841),
            (2.0, 0.975, 7.378),
            (10.0, 0.025, 3.247),
            (10.0, 0.975, 20.483),
            (30.0, 0.05, 18.493),
            (100.0, 0.025, 74.222),
            (100.0, 0.975, 129.561),
        ];
        for (degrees, p, expected) in tables {
            let got = 2.0 * quantile(degrees / 2.0, p);
            assert!((got - expected).abs() < 5.1e-4, "chi-square {p} of {degrees}: {got}");
        }
    }

    #[test]
    fn quantile_inverts_cdf() {
        for shape in [0.3, 1.0, 7.5, 1e4, 9e5] {
            for p in [0.025, 0.5, 0.975] {
                assert!((cdf(shape, quantile(shape, p)) - p).abs() < 1e-8, "{shape} {p}");
            }
        }
    }

    #[test]
    fn large_shapes_join_smoothly() {
        let ends = [LARGE_SHAPE * 0.999_999, LARGE_SHAPE * 1.000_001];
        let [below, above] = ends.map(|shape| quantile(shape, 0.975) / shape);
        assert!((below - above).abs() < 1e-7, "{below} {above}");
    }
}
