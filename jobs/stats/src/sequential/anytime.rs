//! Evidence that may be evaluated after every trial.
//!
//! The likelihood ratio of two sigmas (see [`spread`](mod@crate::spread)), given Pearson's
//! statistic alone, is a nonnegative martingale that starts at 1, an *e-process*, because the
//! statistic is the part of normal counts that remains when directions do not matter (Hall, Wijsman
//! & Ghosh, "The relationship between sufficiency and invariance with applications in sequential
//! analysis", Annals of Mathematical Statistics 36, 1965). The probability that a mixture of such
//! ratios ever reaches 1 / a is at most a (Ville 1939). So statements hold at all times
//! simultaneously, whatever the rule for stopping, from where counts are nearly normal: some
//! hundreds of trials.

use core::f64::consts::TAU;

use crate::bisection::bisect;
use crate::count::to_f64;
use crate::equivalence::FairnessVerdict;
use crate::error::ErrorRate;
use crate::multinomial::OutcomeCounts;
use crate::spread::{one_above, resolution};
use crate::uniformity::pearson_test;

/// The alternatives below a sigma, as shares of this sigma: evidence that sigma is smaller.
const SMALLER: [f64; 3] = [0.0, 0.5, 0.8];

/// The alternatives above a sigma: its square plus these numbers' squares, as shares of the largest
/// possible sigma. Evidence that sigma is larger.
const LARGER: [f64; 4] = [0.02, 0.05, 0.15, 0.45];

/// Returns bounds of sigma that hold at all times simultaneously, each wrong with at most
/// `error_rate`; [`anytime_verdict`] uses these bounds.
#[must_use]
pub fn anytime_sigma_bounds(counts: OutcomeCounts<'_>, error_rate: ErrorRate) -> (f64, f64) {
    let most = resolution(counts.k(), 1);
    let needed = -libm::log(error_rate.get());
    let low = match log_evidence_of_larger(counts, 0.0) < needed {
        true => 0.0,
        false => bisect(0.0, most, |sigma| log_evidence_of_larger(counts, sigma) < needed),
    };
    let high = match needed <= log_evidence_of_smaller(counts, most) {
        true => bisect(low, most, |sigma| needed <= log_evidence_of_smaller(counts, sigma)),
        false => most,
    };
    (low, high)
}

/// Returns the verdict of `counts` on a `margin` of sigma at any time: among all verdicts ever made
/// on a series, a wrong one occurs with at most `error_rate`.
#[must_use]
pub fn anytime_verdict(
    counts: OutcomeCounts<'_>,
    margin: f64,
    error_rate: ErrorRate,
) -> FairnessVerdict {
    let needed = -libm::log(error_rate.get());
    if needed <= log_evidence_of_smaller(counts, margin) {
        return FairnessVerdict::Fair;
    }
    if needed <= log_evidence_of_larger(counts, margin) {
        return FairnessVerdict::Unfair;
    }
    FairnessVerdict::Undecided
}

/// Returns the logarithm of the evidence that sigma is below `sigma`.
fn log_evidence_of_smaller(counts: OutcomeCounts<'_>, sigma: f64) -> f64 {
    log_mean_ratio(counts, sigma, SMALLER.map(|share| share * sigma))
}

/// Returns the logarithm of the evidence that sigma is above `sigma`.
fn log_evidence_of_larger(counts: OutcomeCounts<'_>, sigma: f64) -> f64 {
    let most = resolution(counts.k(), 1);
    log_mean_ratio(counts, sigma, LARGER.map(|share| libm::hypot(sigma, share * most)))
}

/// Returns the logarithm of the mean of the likelihoods of `alternatives` over the likelihood of
/// `sigma`.
///
/// All use the largest variance that the statistic can have at `sigma`. If the true variance is
/// smaller, the expected ratio is below 1: the evidence is conservative.
fn log_mean_ratio<const N: usize>(
    counts: OutcomeCounts<'_>,
    sigma: f64,
    alternatives: [f64; N],
) -> f64 {
    let k = counts.k();
    let variance = one_above::variance_along(k, sigma).max(1.0);
    let statistic = pearson_test(counts).statistic / variance;
    let scale = f64::from(k) * f64::from(k) * to_f64(counts.n()) / variance;
    let of = |sigma: f64| log_likelihood(k, scale * sigma * sigma, statistic);
    let null = of(sigma);
    let ratios = alternatives.map(|alternative| of(alternative) - null);
    let largest = ratios.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = ratios.iter().map(|ratio| libm::exp(ratio - largest)).sum();
    largest + libm::log(sum / to_f64(N as u64))
}

/// Returns the logarithm of the noncentral chi-square density of k - 1 degrees at `x`, over that
/// without noncentrality: -noncentrality / 2 + log 0F1((k - 1) / 2; noncentrality x / 4).
fn log_likelihood(k: u32, noncentrality: f64, x: f64) -> f64 {
    let order = (f64::from(k) - 3.0) / 2.0;
    log_bessel_ratio(order, libm::sqrt(noncentrality * x)) - noncentrality / 2.0
}

/// Returns log(Gamma(v + 1) (2 / y)^v I_v(y)), where I is the modified Bessel function: 0 at y = 0.
///
/// Its power series or, where that has many terms, its asymptotic expansion (Abramowitz & Stegun,
/// 9.6.10 and 9.7.1).
fn log_bessel_ratio(order: f64, y: f64) -> f64 {
    let square = order * order;
    if y < 30.0 + 4.0 * square {
        let quarter = y * y / 4.0;
        let (mut term, mut sum, mut j) = (1.0, 1.0, 0.0);
        while f64::EPSILON * sum < term {
            j += 1.0;
            term *= quarter / (j * (j + order));
            sum += term;
        }
        return libm::log(sum);
    }
    let (mut term, mut sum) = (1.0, 1.0);
    for j in 1..=12_u32 {
        let odd = f64::from(2 * j - 1);
        term *= -(4.0 * square - odd * odd) / (8.0 * f64::from(j) * y);
        sum += term;
    }
    y - libm::log(TAU * y) / 2.0
        + libm::log(sum)
        + libm::lgamma(order + 1.0)
        + order * libm::log(2.0 / y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For four outcomes the Bessel function is a hyperbolic sine: sinh(y) / y.
    #[test]
    fn likelihoods_of_four_outcomes_are_elementary() {
        for y in [1e-6, 0.1, 1.0, 5.0, 30.9, 31.1, 300.0, 1e5] {
            let expected = y - libm::log(2.0 * y) + libm::log1p(-libm::exp(-2.0 * y));
            let got = log_bessel_ratio(0.5, y);
            assert!((got - expected).abs() < 1e-9, "{y}: {got} instead of {expected}");
        }
        // Both ways agree where they meet; I_0(31) and I_2(46), of which SciPy gives logarithms.
        for (order, y, log) in [(0.0, 31.0, 28.368_167_46), (2.0, 46.0, 43.125_533_32)] {
            let bessel =
                log_bessel_ratio(order, y) - libm::lgamma(order + 1.0) + order * libm::log(y / 2.0);
            assert!((bessel - log).abs() < 1e-6, "{order}, {y}: {bessel}");
        }
    }

    /// The mean of the ratio over the statistic at the null is 1.
    #[test]
    fn ratios_are_fair_bets() {
        for (null, alternative) in [(12.0, 0.0), (12.0, 5.0), (3.0, 20.0)] {
            let step = 0.01;
            let of = |noncentrality: f64, x: f64| {
                let central = libm::sqrt(x) * libm::exp(-x / 2.0) / libm::sqrt(TAU);
                central * libm::exp(log_likelihood(4, noncentrality, x))
            };
            let steps = (1..20_000_u32).map(|idx| step * f64::from(idx));
            let mean: f64 = steps
                .map(|x| {
                    let ratio = log_likelihood(4, alternative, x) - log_likelihood(4, null, x);
                    of(null, x) * libm::exp(ratio) * step
                })
                .sum();
            assert!((mean - 1.0).abs() < 1e-3, "{mean} for {null} and {alternative}");
        }
    }

    #[test]
    fn verdicts_come_with_trials() {
        let check = |counts: &[u64], expected| {
            let counts = OutcomeCounts::new(counts).unwrap();
            let got = anytime_verdict(counts, 0.01, ErrorRate::FIVE_PERCENT);
            assert_eq!(got, expected, "{counts:?}");
            let (low, high) = anytime_sigma_bounds(counts, ErrorRate::FIVE_PERCENT);
            let side = match expected {
                FairnessVerdict::Fair => high <= 0.01,
                FairnessVerdict::Unfair => 0.01 <= low,
                FairnessVerdict::Undecided => low <= 0.01 && 0.01 <= high,
            };
            assert!(side && 0.0 <= low && low <= high, "{low} to {high} for {counts:?}");
        };
        check(&[500; 4], FairnessVerdict::Undecided);
        check(&[10_000; 4], FairnessVerdict::Fair);
        check(&[700, 300, 550, 450], FairnessVerdict::Unfair);
        check(&[1, 0, 0, 0], FairnessVerdict::Undecided);
        check(&[1_000_000, 0], FairnessVerdict::Unfair);
        check(&[250_000_000; 4], FairnessVerdict::Fair);
    }
}
