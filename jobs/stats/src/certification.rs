//! Whether k outcomes are equally likely, up to a margin.

use crate::chi_square::noncentral;
use crate::error::{Error, ErrorRate};
use crate::multinomial::{Counts, to_f64};
use crate::spread::{resolution, sigma_at_least, sigma_at_most};
use crate::uniformity::pearson_test;

/// More trials than this are never asked for.
const MOST_TRIALS: u64 = 1 << 40;

/// What trials say of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Sigma is below the margin.
    Fair,
    /// Sigma is above the margin.
    Unfair,
    /// More trials are needed.
    Undecided,
}

/// What to certify: that sigma (see [`spread`](mod@crate::spread)) is below a margin.
///
/// Two one-sided tests (Schuirmann, "A comparison of the two one-sided tests procedure", J.
/// Pharmacokinetics and Biopharmaceutics 15, 1987; Wellek, *Testing Statistical Hypotheses of
/// Equivalence and Noninferiority*, §9.2, for the multinomial case):
///
/// - **fair** is said with at most the error rate if sigma is at least the margin,
/// - **unfair** is said with at most the error rate if sigma is at most the margin, and far more
///   rarely if sigma is 0.
///
/// The rates hold for one verdict on a number of trials fixed beforehand; [`crate::sequential`] has
/// verdicts on the way. They are those of many trials, as the distribution of Pearson's statistic is:
/// at a rate of 5 % for four outcomes, exact enumeration gives 5.6 % for 100 trials at a margin of 5
/// points, and 9 % for 28 at one of 15.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certification {
    margin: f64,
    error_rate: ErrorRate,
}

/// With what probability each verdict is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// Of fair.
    pub fair: f64,
    /// Of unfair.
    pub unfair: f64,
}

impl Certification {
    /// To certify that sigma is below `margin`, as a share: 0.005 is half a percent point.
    ///
    /// # Errors
    /// If `margin` isn't above 0 and below 0.5: no outcomes have a larger sigma.
    pub fn new(margin: f64, error_rate: ErrorRate) -> Result<Self, Error> {
        if 0.0 < margin && margin < 0.5 {
            return Ok(Self { margin, error_rate });
        }
        Err(Error::Range { name: "margin", value: margin, range: "above 0 and below 0.5" })
    }

    /// The margin, as a share.
    #[must_use]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// The error rate of each verdict.
    #[must_use]
    pub fn error_rate(&self) -> ErrorRate {
        self.error_rate
    }

    /// What `counts` say.
    #[must_use]
    pub fn verdict(&self, counts: Counts<'_>) -> Verdict {
        if sigma_at_most(counts, self.error_rate) < self.margin {
            return Verdict::Fair;
        }
        if self.margin < sigma_at_least(counts, self.error_rate) {
            return Verdict::Unfair;
        }
        Verdict::Undecided
    }

    /// With what probability each verdict is said of `k` outcomes after `n` decided trials if sigma
    /// is `sigma`.
    ///
    /// # Errors
    /// If there are fewer than two outcomes, no trials, or `sigma` is negative or not finite.
    pub fn chances(&self, k: u32, n: u64, sigma: f64) -> Result<Chances, Error> {
        check(k, n, sigma)?;
        let degrees = f64::from(k) - 1.0;
        let truth = noncentrality(k, n, sigma);
        let rate = self.error_rate.get();
        let below = |p| noncentral::cdf(degrees, truth, self.statistic_at_margin(k, n, p));
        let fair = if self.resolves(k, n) { below(rate) } else { 0.0 };
        Ok(Chances { fair, unfair: 1.0 - below(1.0 - rate) })
    }

    /// With what probability fair is said once `later` more trials are decided, by what `counts` tell
    /// of the shares.
    ///
    /// Predictive power (Spiegelhalter, Freedman & Blackburn, "Monitoring clinical trials: conditional
    /// or predictive power?", Controlled Clinical Trials 7, 1986), where the shares are believed to
    /// be normal about 1/k, as far apart as `counts` say after what chance adds is taken off
    /// (empirical Bayes).
    ///
    /// It decides nothing: whoever ends hopeless trials by it says fair less often, never more.
    #[must_use]
    pub fn prospect(&self, counts: Counts<'_>, later: u64) -> f64 {
        let (k, before) = (counts.k(), counts.n());
        let n = before.saturating_add(later);
        if later == 0 {
            return f64::from(u8::from(self.verdict(counts) == Verdict::Fair));
        }
        if !self.resolves(k, n) {
            return 0.0;
        }
        let degrees = f64::from(k) - 1.0;
        let seen = pearson_test(counts).statistic;
        // What of the shares seen is theirs, and not chance: their posterior mean is drawn to 1/k by
        // so much, and has so much of the variance of the trials until now.
        let theirs = (seen - degrees).max(0.0) / seen.max(degrees);
        let (past, future, all) = (to_f64(before), to_f64(later), to_f64(n));
        // At the end, in units in which the statistic is `all` times the squared length.
        let center = libm::sqrt(seen / past) * (past + future * theirs) / all;
        let weight = future / all;
        let variance = weight * weight * (1.0 / future + theirs / past);
        let bound = self.statistic_at_margin(k, n, self.error_rate.get()) / all;
        noncentral::cdf(degrees, center * center / variance, bound / variance)
    }

    /// Pearson's statistic that `n` trials stay below with probability `p` if sigma is the margin.
    fn statistic_at_margin(&self, k: u32, n: u64, p: f64) -> f64 {
        noncentral::quantile(f64::from(k) - 1.0, noncentrality(k, n, self.margin), p)
    }

    /// Whether so many trials can say fair at all.
    fn resolves(&self, k: u32, n: u64) -> bool {
        resolution(k, n) < self.margin
    }

    /// The least number of decided trials after which `k` outcomes with `sigma` are called fair
    /// with probability `power`.
    ///
    /// # Errors
    /// If there are fewer than two outcomes, `power` isn't between the error rate and 1, `sigma` is
    /// not below the margin or so close that 2^40 trials are not enough.
    pub fn trials_needed(&self, k: u32, sigma: f64, power: f64) -> Result<u64, Error> {
        check(k, 1, sigma)?;
        if !(self.error_rate.get() < power && power < 1.0) {
            let range = "above the error rate and below 1";
            return Err(Error::Range { name: "power", value: power, range });
        }
        let too_close =
            Error::Range { name: "sigma", value: sigma, range: "well below the margin" };
        if self.margin <= sigma {
            return Err(too_close);
        }
        let reached = |n| self.chances(k, n, sigma).map(|chances| power <= chances.fair);
        let mut high = u64::from(k);
        while !reached(high)? {
            high *= 2;
            if MOST_TRIALS < high {
                return Err(too_close);
            }
        }
        let mut low = high / 2;
        while 1 < high - low {
            let middle = low + (high - low) / 2;
            if reached(middle)? {
                high = middle;
            } else {
                low = middle;
            }
        }
        Ok(high)
    }
}

/// The probability that Pearson's test at `error_rate` finds `k` outcomes with `sigma` not equally
/// likely after `n` trials.
///
/// # Errors
/// If there are fewer than two outcomes, no trials, or `sigma` is negative or not finite.
pub fn power_of_pearson(k: u32, n: u64, sigma: f64, error_rate: ErrorRate) -> Result<f64, Error> {
    check(k, n, sigma)?;
    let degrees = f64::from(k) - 1.0;
    let critical = noncentral::quantile(degrees, 0.0, 1.0 - error_rate.get());
    Ok(1.0 - noncentral::cdf(degrees, noncentrality(k, n, sigma), critical))
}

/// The noncentrality of Pearson's statistic after `n` trials of `k` outcomes if sigma is `sigma`.
fn noncentrality(k: u32, n: u64, sigma: f64) -> f64 {
    f64::from(k) * f64::from(k) * to_f64(n) * sigma * sigma
}

fn check(k: u32, n: u64, sigma: f64) -> Result<(), Error> {
    if k < 2 {
        return Err(Error::Outcomes { k: k as usize });
    }
    if n == 0 {
        return Err(Error::NoTrials { k: k as usize });
    }
    if (0.0..=0.5).contains(&sigma) {
        return Ok(());
    }
    Err(Error::Range { name: "sigma", value: sigma, range: "from 0 to 0.5" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(margin: f64) -> Certification {
        Certification::new(margin, ErrorRate::FIVE_PERCENT).unwrap()
    }

    /// Numbers computed independently with SciPy's noncentral chi-square.
    #[test]
    fn trials_needed_for_a_margin() {
        for (margin, sigma, power, trials, allowed) in [
            (0.005, 0.0, 0.80, 29_323, 0),
            (0.005, 0.0, 0.90, 36_432, 0),
            (0.005, 0.0, 0.95, 42_925, 0),
            (0.005, 0.00125, 0.80, 35_000, 500),
            (0.005, 0.0025, 0.80, 66_700, 50),
            (0.005, 0.0025, 0.90, 90_000, 500),
            (0.01, 0.0, 0.80, 7_300, 50),
            (0.01, 0.005, 0.90, 22_600, 50),
            (0.02, 0.0, 0.95, 2_700, 50),
        ] {
            let got = within(margin).trials_needed(4, sigma, power).unwrap();
            assert!(got.abs_diff(trials) <= allowed, "{got} instead of {trials} for {sigma}");
        }
    }

    /// Means of 400,000 samples of shares from their posterior and of the trials to come, by NumPy.
    #[test]
    fn prospects_are_those_of_samples() {
        for (margin, counts, later, prospect) in [
            (0.005, [5000, 5000, 5000, 5000], 20_000, 0.9975),
            (0.005, [5200, 4900, 4950, 4950], 60_000, 0.1538),
            (0.005, [5300, 4900, 4900, 4900], 60_000, 0.0010),
            (0.01, [2110, 1920, 2030, 1940], 24_000, 0.4418),
        ] {
            let got = within(margin).prospect(Counts::new(&counts).unwrap(), later);
            assert!((got - prospect).abs() < 0.003, "{got} instead of {prospect} for {counts:?}");
        }
        let is_sure = |counts: &[u64], later| {
            let prospect = within(0.01).prospect(Counts::new(counts).unwrap(), later);
            assert!(prospect <= 0.0 || 1.0 <= prospect, "{prospect} for {counts:?}");
            1.0 <= prospect
        };
        assert!(is_sure(&[5000; 4], 0) && !is_sure(&[1; 4], 0) && !is_sure(&[1; 4], 100));
    }

    #[test]
    fn power_of_2000_games() {
        for (sigma, power) in [(0.005, 0.10), (0.0105, 0.32), (0.015, 0.60), (0.02, 0.87)] {
            let got = power_of_pearson(4, 2000, sigma, ErrorRate::FIVE_PERCENT).unwrap();
            assert!((got - power).abs() < 0.006, "{got} instead of {power}");
        }
    }

    #[test]
    fn verdicts_follow_the_bounds() {
        let check = |counts: &[u64], expected| {
            assert_eq!(within(0.01).verdict(Counts::new(counts).unwrap()), expected, "{counts:?}");
        };
        check(&[5000, 5000, 5000, 5000], Verdict::Fair);
        check(&[500, 500, 500, 500], Verdict::Fair);
        check(&[520, 480, 510, 490], Verdict::Undecided);
        check(&[1, 1, 1, 1], Verdict::Undecided);
        check(&[2200, 1800, 2100, 1900], Verdict::Unfair);
    }

    #[test]
    fn impossible_wishes_are_refused() {
        for margin in [0.0, -1.0, 0.5, f64::NAN] {
            assert!(Certification::new(margin, ErrorRate::FIVE_PERCENT).is_err());
        }
        let error = within(0.01).trials_needed(4, 0.01, 0.8).unwrap_err();
        assert_eq!(error.to_string(), "sigma is 0.01, it must be well below the margin");
        assert!(within(0.01).trials_needed(4, f64::NAN, 0.8).is_err());
        assert!(within(0.01).trials_needed(4, 0.0, 1.0).is_err());
        assert!(within(0.01).trials_needed(1, 0.0, 0.8).is_err());
        assert!(within(1e-7).trials_needed(4, 0.0, 0.8).is_err());
    }
}
