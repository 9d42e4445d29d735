//! Evidence that may be evaluated after every trial.
//!
//! The likelihood of a mixture of multinomial distributions over that of the true shares is a
//! nonnegative martingale that starts at 1, an *e-process*: the probability that it ever reaches 1
//! / a is at most a (Ville 1939; for Dirichlet mixtures: Lindon & Malek, "Anytime-valid inference
//! for multinomial count data", NeurIPS 2022). So statements hold at all times simultaneously,
//! whatever the rule for stopping. Logarithms are exact to 1e-6 up to 10^9 trials.

use crate::bisection::bisect;
use crate::count::to_f64;
use crate::equivalence::FairnessVerdict;
use crate::error::ErrorRate;
use crate::multinomial::OutcomeCounts;
use crate::spread::resolution;

/// The mixture is the mean of symmetric Dirichlet distributions with these parameters. Each is
/// sharp when there are about as many trials per outcome as its parameter; together they are sharp
/// at all times, at the price of a factor of 6 at most.
const CONCENTRATIONS: [f64; 6] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5];

/// Returns bounds of sigma (see [`spread`](mod@crate::spread)) that hold at all times
/// simultaneously but for `error_rate`.
///
/// The shares p that the e-process has not rejected are within a divergence KL(observed, p) of r =
/// log(observed likelihood / (mixture's x error rate)) / n. Each is then below a bound of its own,
/// and KL >= |observed - p|^2 / (2 u) with u the largest of these (Taylor's theorem): sigma is
/// within sqrt(2 r u / k) of the observed standard deviation.
#[must_use]
pub fn anytime_sigma_interval(counts: OutcomeCounts<'_>, error_rate: ErrorRate) -> (f64, f64) {
    let (n, k) = (to_f64(counts.n()), f64::from(counts.k()));
    let entropy: f64 = counts.shares().map(|share| share * log_or_zero(share)).sum();
    let slack = -libm::log(error_rate.get()) - log_likelihood(counts);
    let radius = (entropy + slack / n).max(0.0);
    let largest = counts.shares().map(|share| upper_share(share, radius)).fold(0.0, f64::max);
    let reach = libm::sqrt(2.0 * radius * largest / k);
    let observed = libm::sqrt(counts.scaled_variance()) / (k * n);
    ((observed - reach).max(0.0), (observed + reach).min(resolution(counts.k(), 1)))
}

/// Returns the verdict of `counts` on a `margin` of sigma at any time: among all verdicts ever made
/// on a series, a wrong one occurs with at most `error_rate`.
#[must_use]
pub fn anytime_verdict(
    counts: OutcomeCounts<'_>,
    margin: f64,
    error_rate: ErrorRate,
) -> FairnessVerdict {
    match anytime_sigma_interval(counts, error_rate) {
        (_, high) if high < margin => FairnessVerdict::Fair,
        (low, _) if margin < low => FairnessVerdict::Unfair,
        _ => FairnessVerdict::Undecided,
    }
}

/// Returns the log-likelihood of one order of the trials under the mixture.
fn log_likelihood(counts: OutcomeCounts<'_>) -> f64 {
    let each = CONCENTRATIONS.map(|concentration| dirichlet_log_likelihood(counts, concentration));
    let largest = each.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = each.iter().map(|value| libm::exp(value - largest)).sum();
    largest + libm::log(sum / 6.0)
}

fn dirichlet_log_likelihood(counts: OutcomeCounts<'_>, concentration: f64) -> f64 {
    let total = concentration * f64::from(counts.k());
    let of_outcome =
        |count| libm::lgamma(concentration + to_f64(count)) - libm::lgamma(concentration);
    let outcomes: f64 = counts.iter().map(of_outcome).sum();
    outcomes + libm::lgamma(total) - libm::lgamma(total + to_f64(counts.n()))
}

/// Returns the largest p whose binary divergence from `share` is at most `radius`.
fn upper_share(share: f64, radius: f64) -> f64 {
    let divergence = |p: f64| {
        let [yes, no] = [(share, p), (1.0 - share, 1.0 - p)]
            .map(|(a, b)| if a <= 0.0 { 0.0 } else { a * libm::log(a / b) });
        yes + no
    };
    bisect(share, 1.0, |p| 1.0 <= p || radius < divergence(p))
}

fn log_or_zero(share: f64) -> f64 {
    if share <= 0.0 { 0.0 } else { libm::log(share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the logarithm of the e-value against equally likely outcomes.
    fn log_e_value(counts: OutcomeCounts<'_>) -> f64 {
        log_likelihood(counts) + to_f64(counts.n()) * libm::log(f64::from(counts.k()))
    }

    /// Two outcomes, Dirichlet parameters of 1: a! b! / (n + 1)! for one order of a and b.
    #[test]
    fn likelihoods_by_hand() {
        let of =
            |counts: &[u64]| dirichlet_log_likelihood(OutcomeCounts::new(counts).unwrap(), 1.0);
        assert!((of(&[1, 0]) - libm::log(0.5)).abs() < 1e-12);
        assert!((of(&[3, 2]) - libm::log(12.0 / 720.0)).abs() < 1e-12);
        assert!(log_e_value(OutcomeCounts::new(&[0, 1]).unwrap()).abs() < 1e-9);
    }

    /// The mean of the e-value over the next outcome is its present value: a martingale.
    #[test]
    fn the_e_value_is_a_martingale() {
        for counts in [[3, 1, 4, 1], [500, 480, 530, 510], [0, 0, 90, 0]] {
            let now = log_e_value(OutcomeCounts::new(&counts).unwrap());
            let after = |outcome| {
                let mut more = counts;
                more[outcome] += 1;
                libm::exp(log_e_value(OutcomeCounts::new(&more).unwrap()) - now) / 4.0
            };
            let next: f64 = (0..4).map(after).sum();
            assert!((next - 1.0).abs() < 1e-9, "{next}");
        }
    }

    #[test]
    fn verdicts_come_with_trials() {
        let check = |counts: &[u64], expected| {
            let counts = OutcomeCounts::new(counts).unwrap();
            let got = anytime_verdict(counts, 0.01, ErrorRate::FIVE_PERCENT);
            assert_eq!(got, expected, "{counts:?}");
        };
        check(&[500; 4], FairnessVerdict::Undecided);
        check(&[10_000; 4], FairnessVerdict::Fair);
        check(&[700, 300, 550, 450], FairnessVerdict::Unfair);
        check(&[1, 0, 0, 0], FairnessVerdict::Undecided);
        check(&[1_000_000, 0], FairnessVerdict::Unfair);
    }
}
