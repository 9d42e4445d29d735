//! Student's t distribution with a whole number of degrees of freedom.

use core::f64::consts::FRAC_2_PI;

use hatchery_core::IntervalEstimate;

use crate::bisection::bisect_upwards;
use crate::count::to_f64;
use crate::error::CONFIDENCE;
use crate::normal;

/// The most degrees of freedom for which the series is summed; the approximation of more is right
/// to a relative error of 10^-5 of the probability beyond four standard deviations.
const MOST_SUMMED: u64 = 1_000;

/// Returns the probability that Student's t of `degrees` degrees of freedom, at least 1, is at most
/// `t`.
///
/// Abramowitz & Stegun 26.7.3 and 26.7.4, and 26.7.8 above 1,000 degrees of freedom.
#[must_use]
pub fn cdf(t: f64, degrees: u64) -> f64 {
    let degrees = degrees.max(1);
    if MOST_SUMMED < degrees {
        let n = to_f64(degrees);
        return normal::cdf(t * (1.0 - 0.25 / n) / libm::sqrt(1.0 + t * t / (2.0 * n)));
    }
    let central = central_probability(t.abs(), degrees).clamp(0.0, 1.0);
    if t < 0.0 { (1.0 - central) / 2.0 } else { f64::midpoint(1.0, central) }
}

/// Returns the `t` with `cdf(t, degrees) = p`.
#[must_use]
pub fn quantile(p: f64, degrees: u64) -> f64 {
    if p < 0.5 {
        return -quantile(1.0 - p, degrees);
    }
    bisect_upwards(0.0, 1.0, |t| p <= cdf(t, degrees))
}

/// Returns the variance of a sample, with n - 1 in the denominator; `None` of fewer than two.
#[must_use]
pub fn sample_variance(values: &[f64]) -> Option<f64> {
    let n = values.len() as u64;
    if n < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / to_f64(n);
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some(squares / to_f64(n - 1))
}

/// Returns the mean of `values`, which are independent, with Student's interval: mean -+ t s /
/// sqrt(n). With fewer than two values the interval is as wide as possible; equal values, whose
/// spread says nothing, have one without width.
#[must_use]
pub fn student_estimate(values: &[f64]) -> IntervalEstimate {
    let n = values.len() as u64;
    let mean = values.iter().sum::<f64>() / to_f64(n.max(1));
    let half = sample_variance(values).map_or(f64::INFINITY, |variance| {
        quantile((1.0 + CONFIDENCE) / 2.0, n - 1) * libm::sqrt(variance / to_f64(n))
    });
    let (low, high) = (mean - half, mean + half);
    IntervalEstimate { mean, low, high, n, confidence: CONFIDENCE }
}

/// Returns the probability that t is between `-t` and `t`.
fn central_probability(t: f64, degrees: u64) -> f64 {
    let n = to_f64(degrees);
    let root = libm::sqrt(n + t * t);
    let (sine, cosine) = (t / root, libm::sqrt(n) / root);
    let is_odd = degrees % 2 == 1;
    let n_terms = degrees / 2;
    let (mut term, mut sum) = (if is_odd { cosine } else { 1.0 }, 0.0);
    for number in 1..=n_terms {
        sum += term;
        let even = 2.0 * to_f64(number);
        let factor = if is_odd { even / (even + 1.0) } else { (even - 1.0) / even };
        term *= factor * cosine * cosine;
    }
    match is_odd {
        true => FRAC_2_PI * (libm::atan2(t, libm::sqrt(n)) + sine * sum),
        false => sine * sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_have_one_less_in_the_denominator() {
        assert_eq!([&[][..], &[3.0]].map(sample_variance), [None, None]);
        // 2, 4, 4, 4, 5, 5, 7, 9: a mean of 5, and squares that add up to 32.
        let variance = sample_variance(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert!((variance - 32.0 / 7.0).abs() < 1e-12, "{variance}");
    }

    #[test]
    fn the_interval_of_a_mean_is_students() {
        // Mean 3.5, s^2 = 3.5; t of 5 degrees of freedom is 2.570_6: 2.570_6 sqrt(3.5 / 6).
        let found = student_estimate(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!((found.high - found.mean - 1.963_3).abs() < 1e-3, "{found:?}");
        assert!((found.mean - 3.5).abs() < 1e-12 && (found.low + found.high - 7.0).abs() < 1e-9);
        // t of 1 degree of freedom is 12.706, and s of 1 and 3 is sqrt(2).
        assert!((student_estimate(&[1.0, 3.0]).high - 14.706).abs() < 1e-2);
        assert!(student_estimate(&[1.0]).low.is_infinite());
    }

    /// Abramowitz & Stegun, table 26.10, and 636.619 and 31.599 for 0.9995.
    #[test]
    fn quantiles_are_those_of_the_table() {
        for (p, degrees, t) in [
            (0.975, 1, 12.706),
            (0.975, 2, 4.303),
            (0.975, 5, 2.571),
            (0.975, 10, 2.228),
            (0.975, 24, 2.064),
            (0.975, 120, 1.980),
            (0.995, 3, 5.841),
            (0.9995, 1, 636.619),
            (0.9995, 2, 31.599),
            (0.9, 4, 1.533),
        ] {
            let got = quantile(p, degrees);
            assert!((got / t - 1.0).abs() < 5e-4, "{got} instead of {t}");
            assert!((quantile(1.0 - p, degrees) + got).abs() < 1e-6 * got);
            assert!((cdf(got, degrees) - p).abs() < 1e-9);
        }
    }

    #[test]
    fn many_degrees_of_freedom_are_nearly_normal() {
        for t in [0.5, 1.96, 4.0] {
            let [summed, approximate] = [1_000, 1_001].map(|degrees| 1.0 - cdf(t, degrees));
            assert!((summed / approximate - 1.0).abs() < 2e-4, "{summed} and {approximate}");
        }
        assert!((quantile(0.975, 1 << 40) - 1.959_964).abs() < 1e-6);
        assert!((cdf(0.0, 7) - 0.5).abs() < 1e-15);
    }
}
