//! Verdicts while trials go on.
//!
//! Looking at every trial and stopping at the first favorable one is wrong far more often than a
//! verdict on a number of trials fixed beforehand. Two ways keep the error rate:
//! [`GroupSequential`] looks at a few numbers of trials fixed beforehand, [`anytime_verdict`] at
//! any time, at a price. Both require a *fixed order* of trials: a look at n trials sees exactly
//! the first n.

mod anytime;

pub use anytime::{anytime_sigma_bounds, anytime_verdict};

use crate::count::to_f64;
use crate::equivalence::{EquivalenceTest, FairnessVerdict};
use crate::error::{ErrorRate, StatsError};
use crate::multinomial::OutcomeCounts;
use crate::normal;

/// Looks with a smaller error rate than this are skipped: floating-point sums are not that exact.
const LEAST_RATE: f64 = 1e-12;

/// An alpha-spending function: the part of the error rate that is spent by a given share of the
/// trials (Lan & DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70,
/// 1983).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AlphaSpending {
    /// Almost all at the end, like O'Brien & Fleming's boundaries: few more trials than without
    /// looks, but early looks decide only the clearest cases.
    OBrienFleming,
    /// Much at early looks, like Pocock's boundaries.
    Pocock,
    /// The share of the trials to this power (Kim & DeMets, Biometrika 74, 1987): 1 spends in
    /// proportion.
    Power(f64),
}

impl AlphaSpending {
    /// Returns the part of `rate` that is spent when `share` of the trials are done.
    fn spent(self, rate: f64, share: f64) -> f64 {
        match self {
            Self::OBrienFleming => {
                let z = normal::quantile(1.0 - rate / 2.0);
                2.0 * normal::cdf(-z / libm::sqrt(share))
            }
            Self::Pocock => rate * libm::log(1.0 + (core::f64::consts::E - 1.0) * share),
            Self::Power(power) => rate * libm::pow(share, power),
        }
    }
}

/// A schedule of a few looks at growing numbers of trials; see [`EquivalenceTest`] for the meaning
/// of verdicts.
///
/// Each look has a share of the error rate, and the shares add up to it: however the looks are
/// correlated, and whichever look ends the trials, each verdict is wrong with at most the error
/// rate (union bound). The bound is conservative, because looks share trials.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupSequential {
    looks: Vec<InterimLook>,
}

#[derive(Clone, Debug, PartialEq)]
struct InterimLook {
    trials: u64,
    /// `None` if the look may spend too little.
    test: Option<EquivalenceTest>,
}

impl GroupSequential {
    /// Creates a schedule that tests sigma against `margin` after each of `looks` trials, including
    /// undecided trials.
    ///
    /// # Errors
    /// If there are no looks, they do not increase, the margin is not above 0 and below 0.5, or a
    /// power is not above 0.
    pub fn new(
        margin: f64,
        error_rate: ErrorRate,
        looks: &[u64],
        spending: AlphaSpending,
    ) -> Result<Self, StatsError> {
        if let AlphaSpending::Power(power) = spending
            && !(0.0 < power && power.is_finite())
        {
            return Err(StatsError::OutOfRange { name: "power", value: power, range: "above 0" });
        }
        let end = *looks.last().ok_or(StatsError::NoLooks)?;
        let (mut before, mut spent) = (0, 0.0);
        let mut checked = Vec::with_capacity(looks.len());
        for (look, &trials) in looks.iter().enumerate() {
            if trials <= before {
                return Err(StatsError::LooksNotIncreasing { look, trials, before });
            }
            let until = spending.spent(error_rate.get(), to_f64(trials) / to_f64(end));
            let rate = ErrorRate::new((until - spent).clamp(f64::MIN_POSITIVE, 0.5))?;
            let test = EquivalenceTest::new(margin, rate)?;
            let enough = LEAST_RATE <= rate.get();
            checked.push(InterimLook { trials, test: enough.then_some(test) });
            (before, spent) = (trials, until);
        }
        Ok(Self { looks: checked })
    }

    /// Iterates over the numbers of trials at which the looks are.
    pub fn looks(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.looks.iter().map(|look| look.trials)
    }

    /// Returns the verdict of look number `look`, counted from 0. `counts` are the decided trials
    /// among exactly the look's first trials. The first verdict that is not undecided is final.
    ///
    /// # Errors
    /// If there is no such look, or more trials are decided than it has.
    pub fn verdict(
        &self,
        look: usize,
        counts: OutcomeCounts<'_>,
    ) -> Result<FairnessVerdict, StatsError> {
        let looks = self.looks.len();
        let InterimLook { trials, test } =
            self.looks.get(look).ok_or(StatsError::UnknownLook { look, looks })?;
        if *trials < counts.n() {
            return Err(StatsError::TooManyDecided { decided: counts.n(), trials: *trials });
        }
        Ok(test.map_or(FairnessVerdict::Undecided, |test| test.verdict(counts)))
    }

    /// Returns the bounds of sigma that the verdict of look number `look` goes by, each wrong with
    /// at most the look's [`rate`](Self::rate); none if the look is skipped or unknown.
    #[must_use]
    pub fn sigma_bounds(&self, look: usize, counts: OutcomeCounts<'_>) -> Option<(f64, f64)> {
        Some(self.looks.get(look)?.test?.sigma_bounds(counts))
    }

    /// Returns the probability that the last look says fair, given the `counts` at `look` (see
    /// [`EquivalenceTest::predictive_power`]), as if all later trials were decided.
    ///
    /// # Errors
    /// As [`GroupSequential::verdict`].
    pub fn predictive_power(
        &self,
        look: usize,
        counts: OutcomeCounts<'_>,
    ) -> Result<f64, StatsError> {
        self.verdict(look, counts)?;
        let predictive_power = |last: &InterimLook| {
            let later = last.trials - self.looks[look].trials;
            Some(last.test?.predictive_power(counts, later))
        };
        Ok(self.looks.last().and_then(predictive_power).unwrap_or(0.0))
    }

    /// Returns the error rates by verdict at `look`; 0 if the look is skipped or unknown.
    #[must_use]
    pub fn rate(&self, look: usize) -> f64 {
        let test = self.looks.get(look).and_then(|look| look.test);
        test.map_or(0.0, |test| test.error_rate().get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a schedule of `n` looks: after 2,000 trials, twice that, and so on.
    fn doubling(n: u32, spending: AlphaSpending) -> GroupSequential {
        let looks: Vec<u64> = (0..n).map(|look| 2000 << look).collect();
        GroupSequential::new(0.01, ErrorRate::FIVE_PERCENT, &looks, spending).unwrap()
    }

    #[test]
    fn the_whole_rate_is_spent() {
        for spending in
            [AlphaSpending::OBrienFleming, AlphaSpending::Pocock, AlphaSpending::Power(0.5)]
        {
            let plan = doubling(7, spending);
            let rates: Vec<f64> = (0..7).map(|look| plan.rate(look)).collect();
            assert!((rates.iter().sum::<f64>() - 0.05).abs() < 1e-10, "{rates:?}");
        }
        // At half of 5 %: 2 (1 - Phi(1.960 / sqrt(1/2))), z = 2.772.
        let halves = doubling(2, AlphaSpending::OBrienFleming);
        assert!((halves.rate(0) - 0.005_57).abs() < 5e-5, "{}", halves.rate(0));
        assert!(doubling(12, AlphaSpending::OBrienFleming).rate(0) <= 0.0);
    }

    #[test]
    fn looks_decide_on_their_own_trials() {
        let plan = doubling(3, AlphaSpending::Pocock);
        assert_eq!(plan.looks().collect::<Vec<_>>(), [2000, 4000, 8000]);
        let verdict =
            |look, counts: &[u64]| plan.verdict(look, OutcomeCounts::new(counts).unwrap());
        assert_eq!(verdict(2, &[2000; 4]), Ok(FairnessVerdict::Fair));
        assert_eq!(verdict(0, &[700, 300, 600, 390]), Ok(FairnessVerdict::Unfair));
        assert_eq!(
            verdict(0, &[501; 4]),
            Err(StatsError::TooManyDecided { decided: 2004, trials: 2000 })
        );
        assert_eq!(verdict(3, &[500; 4]), Err(StatsError::UnknownLook { look: 3, looks: 3 }));
    }

    #[test]
    fn predictive_power_is_that_of_the_last_look() {
        let plan = doubling(3, AlphaSpending::Pocock);
        let last = EquivalenceTest::new(0.01, ErrorRate::new(plan.rate(2)).unwrap()).unwrap();
        let counts = OutcomeCounts::new(&[1010, 990, 1030, 960]).unwrap();
        assert_eq!(plan.predictive_power(1, counts), Ok(last.predictive_power(counts, 4000)));
        assert_eq!(
            plan.predictive_power(3, counts),
            Err(StatsError::UnknownLook { look: 3, looks: 3 })
        );
    }

    #[test]
    fn invalid_schedules_are_refused() {
        let new = |looks: &[u64], spending| {
            GroupSequential::new(0.01, ErrorRate::FIVE_PERCENT, looks, spending).unwrap_err()
        };
        assert_eq!(new(&[], AlphaSpending::Pocock), StatsError::NoLooks);
        assert_eq!(
            new(&[10, 10], AlphaSpending::Pocock).to_string(),
            "look 1 is at 10 trials, expected more than 10"
        );
        assert!(matches!(
            new(&[10], AlphaSpending::Power(f64::NAN)),
            StatsError::OutOfRange { .. }
        ));
    }
}
