//! Tests that k outcomes are equally likely up to a margin (equivalence tests).

use crate::bisection::{bisect, bisect_upwards};
use crate::chi_square::noncentral;
use crate::count::to_f64;
use crate::error::{ErrorRate, StatsError};
use crate::multinomial::OutcomeCounts;
use crate::spread::{one_above, resolution};
use crate::uniformity::pearson_test;

/// The conclusion of an [`EquivalenceTest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FairnessVerdict {
    /// Sigma is below the margin.
    Fair,
    /// Sigma is above the margin.
    Unfair,
    /// More trials are needed.
    Undecided,
}

/// A test that sigma (see [`spread`](mod@crate::spread)) is below a margin.
///
/// Two one-sided tests (Schuirmann, "A comparison of the two one-sided tests procedure", J.
/// Pharmacokinetics and Biopharmaceutics 15, 1987; Wellek, *Testing Statistical Hypotheses of
/// Equivalence and Noninferiority*, §9.2, for the multinomial case):
///
/// - if sigma is at least the margin, the verdict is **fair** with at most the error rate, once
///   there are enough trials for counts to be nearly normal,
/// - if sigma is at most the margin, the verdict is **unfair** with at most the error rate, and far
///   more rarely if sigma is 0.
///
/// The rates hold whichever outcomes are above others: the distribution assumes a single outcome
/// above the rest, for which Pearson's statistic varies most. They hold for one verdict on a number
/// of trials fixed beforehand; [`crate::sequential`] gives verdicts while trials go on. They hold
/// for many trials, because counts are normal only then: at a rate of 5 % for four outcomes, exact
/// enumeration gives at most 4.9 % for 100 trials at a margin of 5 points, 5.5 % for 28 trials at a
/// margin of 15 points, and 5.6 % for 40 trials at a margin of 30 points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EquivalenceTest {
    margin: f64,
    error_rate: ErrorRate,
}

/// The probabilities of the decisive verdicts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VerdictProbabilities {
    /// The probability of [`FairnessVerdict::Fair`].
    pub fair: f64,
    /// The probability of [`FairnessVerdict::Unfair`].
    pub unfair: f64,
}

impl EquivalenceTest {
    /// Creates a test that sigma is below `margin`, a share: 0.005 is half a percentage point.
    ///
    /// # Errors
    /// If `margin` is not above 0 and below 0.5: no outcomes have a larger sigma.
    pub fn new(margin: f64, error_rate: ErrorRate) -> Result<Self, StatsError> {
        if 0.0 < margin && margin < 0.5 {
            return Ok(Self { margin, error_rate });
        }
        Err(StatsError::OutOfRange {
            name: "margin",
            value: margin,
            range: "above 0 and below 0.5",
        })
    }

    /// Returns the margin, as a share.
    #[must_use]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Returns the error rates by verdict.
    #[must_use]
    pub fn error_rate(&self) -> ErrorRate {
        self.error_rate
    }

    /// Returns the verdict on `counts`.
    #[must_use]
    pub fn verdict(&self, counts: OutcomeCounts<'_>) -> FairnessVerdict {
        let (k, n) = (counts.k(), counts.n());
        let rate = self.error_rate.get();
        let at_most = one_above::cdf(k, n, self.margin, pearson_test(counts).statistic);
        if at_most < rate && self.resolves(k, n) {
            return FairnessVerdict::Fair;
        }
        if 1.0 - at_most < rate {
            return FairnessVerdict::Unfair;
        }
        FairnessVerdict::Undecided
    }

    /// Returns the bounds of sigma that verdicts go by, each wrong with at most the error rate: the
    /// margins that the test on `counts` would call neither fair nor unfair are between them.
    #[must_use]
    pub fn sigma_bounds(&self, counts: OutcomeCounts<'_>) -> (f64, f64) {
        let (k, n) = (counts.k(), counts.n());
        let (rate, most) = (self.error_rate.get(), resolution(k, 1));
        let statistic = pearson_test(counts).statistic;
        let at_most = |sigma| one_above::cdf(k, n, sigma, statistic);
        let from = |tail: f64| match at_most(0.0) < tail {
            true => 0.0,
            false => bisect(0.0, most, |sigma| at_most(sigma) < tail),
        };
        (from(1.0 - rate), from(rate).max(resolution(k, n)).min(most))
    }

    /// Returns the probabilities of the verdicts on `k` outcomes after `n` decided trials if the
    /// true sigma is `sigma`, by the noncentral chi-square distribution, which is right for small
    /// sigma and for outcomes that are as much above as below.
    ///
    /// # Errors
    /// If there are fewer than two outcomes, no trials, or `sigma` is negative or not finite.
    pub fn verdict_probabilities(
        &self,
        k: u32,
        n: u64,
        sigma: f64,
    ) -> Result<VerdictProbabilities, StatsError> {
        check(k, n, sigma)?;
        let degrees = f64::from(k) - 1.0;
        let truth = noncentrality(k, n, sigma);
        let rate = self.error_rate.get();
        let below = |p| noncentral::cdf(degrees, truth, self.statistic_at_margin(k, n, p));
        let fair = if self.resolves(k, n) { below(rate) } else { 0.0 };
        Ok(VerdictProbabilities { fair, unfair: 1.0 - below(1.0 - rate) })
    }

    /// Returns the probability that the verdict is fair once `later` more trials are decided, given
    /// `counts`.
    ///
    /// Predictive power (Spiegelhalter, Freedman & Blackburn, "Monitoring clinical trials:
    /// conditional or predictive power?", Controlled Clinical Trials 7, 1986). The shares are
    /// assumed to be normal about 1/k, with the variance of `counts` minus the part that chance
    /// explains (empirical Bayes).
    ///
    /// The predictive power decides nothing: a procedure that uses it to stop hopeless trials early
    /// concludes fair less often, never more.
    #[must_use]
    pub fn predictive_power(&self, counts: OutcomeCounts<'_>, later: u64) -> f64 {
        let (k, before) = (counts.k(), counts.n());
        let n = before.saturating_add(later);
        if later == 0 {
            return f64::from(u8::from(self.verdict(counts) == FairnessVerdict::Fair));
        }
        if !self.resolves(k, n) {
            return 0.0;
        }
        let degrees = f64::from(k) - 1.0;
        let seen = pearson_test(counts).statistic;
        // The part of the observed deviation that is real and not chance: the posterior mean of the
        // shares is shrunk towards 1/k by this factor, and has this fraction of the variance of the
        // trials so far.
        let theirs = (seen - degrees).max(0.0) / seen.max(degrees);
        let (past, future, all) = (to_f64(before), to_f64(later), to_f64(n));
        // At the end, in units in which the statistic is `all` times the squared length.
        let center = libm::sqrt(seen / past) * (past + future * theirs) / all;
        let weight = future / all;
        let variance = weight * weight * (1.0 / future + theirs / past);
        let bound = self.statistic_at_margin(k, n, self.error_rate.get()) / all;
        noncentral::cdf(degrees, center * center / variance, bound / variance)
    }

    /// Returns the value that Pearson's statistic of `n` trials stays below with probability `p` if
    /// sigma is the margin.
    fn statistic_at_margin(&self, k: u32, n: u64, p: f64) -> f64 {
        let likely = f64::from(k) + noncentrality(k, n, self.margin);
        bisect_upwards(0.0, likely, |x| p <= one_above::cdf(k, n, self.margin, x))
    }

    /// Returns true if `n` trials can lead to the verdict fair at all.
    fn resolves(&self, k: u32, n: u64) -> bool {
        resolution(k, n) < self.margin
    }
}

/// Returns the noncentrality of Pearson's statistic after `n` trials of `k` outcomes if the true
/// sigma is `sigma`.
fn noncentrality(k: u32, n: u64, sigma: f64) -> f64 {
    f64::from(k) * f64::from(k) * to_f64(n) * sigma * sigma
}

fn check(k: u32, n: u64, sigma: f64) -> Result<(), StatsError> {
    if k < 2 {
        return Err(StatsError::TooFewOutcomes { k: k as usize });
    }
    if n == 0 {
        return Err(StatsError::NoTrials { k: k as usize });
    }
    if (0.0..=0.5).contains(&sigma) {
        return Ok(());
    }
    Err(StatsError::OutOfRange { name: "sigma", value: sigma, range: "from 0 to 0.5" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(margin: f64) -> EquivalenceTest {
        EquivalenceTest::new(margin, ErrorRate::FIVE_PERCENT).unwrap()
    }

    /// The numbers were computed independently with SciPy, by quadrature over the part across.
    #[test]
    fn power_is_reached_after_the_trials_that_it_takes() {
        for (margin, sigma, power, trials) in [
            (0.005, 0.0, 0.80, 29_676),
            (0.005, 0.0, 0.90, 36_825),
            (0.005, 0.0, 0.95, 43_351),
            (0.005, 0.00125, 0.80, 35_853),
            (0.005, 0.0025, 0.80, 67_703),
            (0.005, 0.0025, 0.90, 91_526),
            (0.01, 0.0, 0.80, 7_505),
            (0.01, 0.005, 0.90, 23_165),
            (0.02, 0.0, 0.95, 2_785),
        ] {
            let fair = |n| within(margin).verdict_probabilities(4, n, sigma).unwrap().fair;
            let [before, after] = [trials - 1, trials].map(fair);
            assert!(before < power && power <= after, "{before} to {after} for {sigma}");
        }
    }

    /// Means over 400,000 samples of shares from their posterior and of the trials to come, by
    /// NumPy.
    #[test]
    fn predictive_power_is_that_of_samples() {
        for (margin, counts, later, expected) in [
            (0.005, [5000, 5000, 5000, 5000], 20_000, 0.9973),
            (0.005, [5200, 4900, 4950, 4950], 60_000, 0.1516),
            (0.005, [5300, 4900, 4900, 4900], 60_000, 0.0009),
            (0.01, [2110, 1920, 2030, 1940], 24_000, 0.4313),
        ] {
            let got = within(margin).predictive_power(OutcomeCounts::new(&counts).unwrap(), later);
            assert!((got - expected).abs() < 0.003, "{got} instead of {expected} for {counts:?}");
        }
        let is_sure = |counts: &[u64], later| {
            let power = within(0.01).predictive_power(OutcomeCounts::new(counts).unwrap(), later);
            assert!(power <= 0.0 || 1.0 <= power, "{power} for {counts:?}");
            1.0 <= power
        };
        assert!(is_sure(&[5000; 4], 0) && !is_sure(&[1; 4], 0) && !is_sure(&[1; 4], 100));
    }

    /// Pearson's test at 5 % finds unequal outcomes with this probability.
    #[test]
    fn power_of_2000_games() {
        for (sigma, power) in [(0.005, 0.10), (0.0105, 0.32), (0.015, 0.60), (0.02, 0.87)] {
            let critical = noncentral::quantile(3.0, 0.0, 0.95);
            let got = 1.0 - noncentral::cdf(3.0, noncentrality(4, 2000, sigma), critical);
            assert!((got - power).abs() < 0.006, "{got} instead of {power}");
        }
    }

    #[test]
    fn verdicts_follow_the_bounds() {
        let check = |counts: &[u64], expected| {
            let counts = OutcomeCounts::new(counts).unwrap();
            assert_eq!(within(0.01).verdict(counts), expected, "{counts:?}");
            let (low, high) = within(0.01).sigma_bounds(counts);
            let side = match expected {
                FairnessVerdict::Fair => high < 0.01,
                FairnessVerdict::Unfair => 0.01 < low,
                FairnessVerdict::Undecided => low <= 0.01 && 0.01 <= high,
            };
            assert!(side && low <= high, "{low} to {high} for {counts:?}");
        };
        check(&[5000, 5000, 5000, 5000], FairnessVerdict::Fair);
        check(&[500, 500, 500, 500], FairnessVerdict::Fair);
        check(&[520, 480, 510, 490], FairnessVerdict::Undecided);
        check(&[1, 1, 1, 1], FairnessVerdict::Undecided);
        check(&[2200, 1800, 2100, 1900], FairnessVerdict::Unfair);
    }

    /// Returns the logarithm of n!.
    fn log_factorial(n: u64) -> f64 {
        libm::lgamma(to_f64(n) + 1.0)
    }

    /// Returns the exact probabilities of the verdicts on `n` trials with these shares.
    fn enumerated(margin: f64, n: u64, shares: [f64; 4]) -> [f64; 2] {
        let mut said = [0.0; 2];
        // The verdict depends on the sum of squares alone.
        let mut verdicts = std::collections::BTreeMap::new();
        for a in 0..=n {
            for b in 0..=n - a {
                for c in 0..=n - a - b {
                    let counts = [a, b, c, n - a - b - c];
                    let of_each = counts.iter().zip(shares);
                    let log: f64 = of_each
                        .map(|(&count, share)| {
                            to_f64(count) * libm::log(share) - log_factorial(count)
                        })
                        .sum();
                    let squares = counts.iter().map(|count| count * count).sum::<u64>();
                    let verdict = *verdicts.entry(squares).or_insert_with(|| {
                        within(margin).verdict(OutcomeCounts::new(&counts).unwrap())
                    });
                    let probability = libm::exp(log_factorial(n) + log);
                    match verdict {
                        FairnessVerdict::Fair => said[0] += probability,
                        FairnessVerdict::Unfair => said[1] += probability,
                        FairnessVerdict::Undecided => {}
                    }
                }
            }
        }
        said
    }

    /// Exact error rates at the margin where one outcome is above the rest, one is below, or two
    /// are above two, and the same by NumPy.
    #[test]
    fn error_rates_hold_whichever_outcomes_are_above() {
        let check = |margin: f64, n: u64, expected: [[f64; 2]; 3]| {
            let third = margin / libm::sqrt(3.0);
            let shapes = [
                [3.0 * third, -third, -third, -third],
                [-3.0 * third, third, third, third],
                [margin, margin, -margin, -margin],
            ];
            for (shape, expected) in shapes.into_iter().zip(expected) {
                let got = enumerated(margin, n, shape.map(|above| 0.25 + above));
                let differs = got.iter().zip(expected).any(|(a, b)| 1e-5 < (a - b).abs());
                assert!(!differs && got.iter().all(|rate| *rate <= 0.05), "{got:?}");
            }
        };
        check(0.05, 100, [[0.043_37, 0.048_53], [0.026_34, 0.026_18], [0.035_11, 0.038_23]]);
    }

    #[test]
    fn impossible_tests_are_refused() {
        for margin in [0.0, -1.0, 0.5, f64::NAN] {
            assert!(EquivalenceTest::new(margin, ErrorRate::FIVE_PERCENT).is_err());
        }
        let refused =
            |k, n, sigma| within(0.01).verdict_probabilities(k, n, sigma).unwrap_err().to_string();
        assert_eq!(refused(4, 100, 0.51), "sigma is 0.51, expected from 0 to 0.5");
        assert_eq!(refused(4, 100, f64::NAN), "sigma is NaN, expected from 0 to 0.5");
        assert!(within(0.01).verdict_probabilities(1, 100, 0.0).is_err());
        assert!(within(0.01).verdict_probabilities(4, 0, 0.0).is_err());
    }
}
