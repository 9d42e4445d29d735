//! Verdicts while trials go on.
//!
//! To look at every trial and stop at the first good one is wrong far more often than a verdict on
//! a number of trials fixed beforehand. Two ways keep the error rate: [`GroupSequential`] looks at
//! a few numbers of trials fixed beforehand, [`anytime_verdict`] at any time, at a price. Both are to be
//! asked about a *fixed order* of trials: a look sees exactly the first so many.

mod anytime;

pub use anytime::{anytime_sigma_interval, anytime_verdict, log_e_value};

use crate::certification::{Certification, Verdict};
use crate::error::{Error, ErrorRate};
use crate::multinomial::{Counts, to_f64};
use crate::normal;

/// Looks that may spend less than this see nothing: no sum is that exact.
const LEAST_RATE: f64 = 1e-12;

/// How the error rate is spent on the way (Lan & DeMets, "Discrete sequential boundaries for
/// clinical trials", Biometrika 70, 1983).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spending {
    /// Almost all at the end, like O'Brien & Fleming's boundaries: few trials more than without
    /// looks, but early ones decide only the clearest cases.
    OBrienFleming,
    /// Much at early looks, like Pocock's boundaries.
    Pocock,
    /// The share of all trials to this power (Kim & DeMets, Biometrika 74, 1987): 1 is in
    /// proportion.
    Power(f64),
}

impl Spending {
    /// How much of `rate` is spent when `share` of all trials are done.
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

/// Verdicts at a few looks; see [`Certification`] for what they mean.
///
/// Each look has a share of the error rate, and shares add up to it: whatever looks have in common,
/// and wherever one stops, each verdict is wrong at most with the error rate (union bound). It is
/// conservative, as looks share trials.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupSequential {
    looks: Vec<Look>,
}

#[derive(Clone, Debug, PartialEq)]
struct Look {
    trials: u64,
    /// None if too little may be spent here.
    certification: Option<Certification>,
}

impl GroupSequential {
    /// Looks after each of `looks` trials, counted with undecided ones, to certify that sigma is
    /// below `margin`.
    ///
    /// # Errors
    /// If there are no looks, they don't grow, the margin isn't above 0 and below 0.5, or a power
    /// isn't above 0.
    pub fn new(
        margin: f64,
        error_rate: ErrorRate,
        looks: &[u64],
        spending: Spending,
    ) -> Result<Self, Error> {
        if let Spending::Power(power) = spending
            && !(0.0 < power && power.is_finite())
        {
            return Err(Error::Range { name: "power", value: power, range: "above 0" });
        }
        let end = *looks.last().ok_or(Error::NoLooks)?;
        let (mut before, mut spent) = (0, 0.0);
        let mut checked = Vec::with_capacity(looks.len());
        for (look, &trials) in looks.iter().enumerate() {
            if trials <= before {
                return Err(Error::Looks { look, trials, before });
            }
            let until = spending.spent(error_rate.get(), to_f64(trials) / to_f64(end));
            let rate = ErrorRate::new((until - spent).clamp(f64::MIN_POSITIVE, 0.5))?;
            let certification = Certification::new(margin, rate)?;
            let enough = LEAST_RATE <= rate.get();
            checked.push(Look { trials, certification: enough.then_some(certification) });
            (before, spent) = (trials, until);
        }
        Ok(Self { looks: checked })
    }

    /// Looks after `first` trials, twice that, and so on: `n` looks.
    ///
    /// # Errors
    /// As [`GroupSequential::new`]; if the last look is beyond 2^64 trials, looks don't grow.
    pub fn doubling(
        margin: f64,
        error_rate: ErrorRate,
        (first, n): (u64, u32),
        spending: Spending,
    ) -> Result<Self, Error> {
        let looks: Vec<u64> =
            (0..n).map(|look| first.saturating_mul(1_u64.checked_shl(look).unwrap_or(0))).collect();
        Self::new(margin, error_rate, &looks, spending)
    }

    /// After how many trials the looks are.
    pub fn looks(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.looks.iter().map(|look| look.trials)
    }

    /// What the decided ones of exactly the first so many trials say at `look`, counted from 0. The
    /// first verdict that isn't undecided is final.
    ///
    /// # Errors
    /// If there is no such look, or more trials are decided than it has.
    pub fn verdict(&self, look: usize, counts: Counts<'_>) -> Result<Verdict, Error> {
        let looks = self.looks.len();
        let Look { trials, certification } =
            self.looks.get(look).ok_or(Error::NoSuchLook { look, looks })?;
        if *trials < counts.n() {
            return Err(Error::Decided { decided: counts.n(), trials: *trials });
        }
        Ok(certification.map_or(Verdict::Undecided, |certification| certification.verdict(counts)))
    }

    /// With what probability the last look says fair by what the trials until `look` tell (see
    /// [`Certification::prospect`]), as if all later ones were decided.
    ///
    /// # Errors
    /// As [`GroupSequential::verdict`].
    pub fn prospect(&self, look: usize, counts: Counts<'_>) -> Result<f64, Error> {
        self.verdict(look, counts)?;
        let prospect = |last: &Look| {
            let later = last.trials - self.looks[look].trials;
            Some(last.certification?.prospect(counts, later))
        };
        Ok(self.looks.last().and_then(prospect).unwrap_or(0.0))
    }

    /// The error rate of each verdict at `look`; 0 if it sees nothing.
    #[must_use]
    pub fn rate(&self, look: usize) -> f64 {
        let certification = self.looks.get(look).and_then(|look| look.certification);
        certification.map_or(0.0, |certification| certification.error_rate().get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubling(n: u32, spending: Spending) -> Result<GroupSequential, Error> {
        GroupSequential::doubling(0.01, ErrorRate::FIVE_PERCENT, (2000, n), spending)
    }

    #[test]
    fn the_whole_rate_is_spent() {
        for spending in [Spending::OBrienFleming, Spending::Pocock, Spending::Power(0.5)] {
            let plan = doubling(7, spending).unwrap();
            let rates: Vec<f64> = (0..7).map(|look| plan.rate(look)).collect();
            assert!((rates.iter().sum::<f64>() - 0.05).abs() < 1e-10, "{rates:?}");
        }
        // At half of 5 %: 2 (1 - Phi(1.960 / sqrt(1/2))), z = 2.772.
        let halves = doubling(2, Spending::OBrienFleming).unwrap();
        assert!((halves.rate(0) - 0.005_57).abs() < 5e-5, "{}", halves.rate(0));
        assert!(doubling(12, Spending::OBrienFleming).unwrap().rate(0) <= 0.0);
    }

    #[test]
    fn looks_decide_on_their_own_trials() {
        let plan = doubling(3, Spending::Pocock).unwrap();
        assert_eq!(plan.looks().collect::<Vec<_>>(), [2000, 4000, 8000]);
        let verdict = |look, counts: &[u64]| plan.verdict(look, Counts::new(counts).unwrap());
        assert_eq!(verdict(2, &[2000; 4]), Ok(Verdict::Fair));
        assert_eq!(verdict(0, &[700, 300, 600, 390]), Ok(Verdict::Unfair));
        assert_eq!(verdict(0, &[501; 4]), Err(Error::Decided { decided: 2004, trials: 2000 }));
        assert_eq!(verdict(3, &[500; 4]), Err(Error::NoSuchLook { look: 3, looks: 3 }));
    }

    #[test]
    fn prospects_are_of_the_last_look() {
        let plan = doubling(3, Spending::Pocock).unwrap();
        let last = Certification::new(0.01, ErrorRate::new(plan.rate(2)).unwrap()).unwrap();
        let counts = Counts::new(&[1010, 990, 1030, 960]).unwrap();
        assert_eq!(plan.prospect(1, counts), Ok(last.prospect(counts, 4000)));
        assert_eq!(plan.prospect(3, counts), Err(Error::NoSuchLook { look: 3, looks: 3 }));
    }

    #[test]
    fn wrong_schedules_are_refused() {
        let new = |looks: &[u64], spending| {
            GroupSequential::new(0.01, ErrorRate::FIVE_PERCENT, looks, spending).unwrap_err()
        };
        assert_eq!(new(&[], Spending::Pocock), Error::NoLooks);
        assert_eq!(
            new(&[10, 10], Spending::Pocock).to_string(),
            "look 1 is at 10 trials, it must come after that at 10"
        );
        assert!(matches!(new(&[10], Spending::Power(f64::NAN)), Error::Range { .. }));
        assert!(doubling(80, Spending::Pocock).is_err());
    }
}
