//! Sequential probability ratio tests of the difference between two players.
//!
//! The test compares two hypotheses, an Elo difference of `elo0` and a difference of `elo1`, by
//! their generalized log-likelihood ratio: the ratio for the distributions of results that are most
//! likely under each hypothesis (Van den Bergh, `GSPRT_approximation.pdf` and
//! `normalized_elo_practical.pdf` at cantate.be/Fishtest; fishtest, `LLRcalc.py`). Wald's bounds on
//! the ratio end the match (*Sequential Analysis*, 1947, §3.2).
//!
//! Wald's error rates hold where the ratio ends near its bound, and the ratio of generalized
//! likelihoods behaves like a simple one after many results only (Cox, "Large sample sequential
//! tests for composite hypotheses", Sankhya A 25, 1963). Look after batches of some 50 results, in
//! a *fixed order*: a look at n results sees exactly the first n. Batches let the ratio go beyond
//! its bound, and so make errors rarer than stated.

mod constrained;

use constrained::{mean_divisors, t_divisors};

use crate::elo::score_of_elo;
use crate::error::{ErrorRate, StatsError};
use crate::match_counts::{MatchCounts, ScoreDistribution};
use crate::match_elo::{NORMALIZED_ELO, root_of_games};

/// The largest hypothesis in logistic Elo: a score of 0.997.
const MAX_LOGISTIC: f64 = 1000.0;

/// The largest hypothesis in normalized Elo; above some 250 points, the iteration for the most
/// likely distribution need not converge.
const MAX_NORMALIZED: f64 = 200.0;

/// The unit of the hypotheses of an [`EloSprt`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EloModel {
    /// Elo points, a function of the mean score: from -1,000 to 1,000.
    Logistic,
    /// Normalized Elo points, a function of mean score over standard deviation: from -200 to 200.
    /// The number of games that a test takes hardly depends on the share of draws.
    Normalized,
}

/// The conclusion of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtDecision {
    /// The difference is `elo0` rather than `elo1`.
    AcceptH0,
    /// The difference is `elo1` rather than `elo0`.
    AcceptH1,
    /// More games are needed.
    Continue,
}

/// The conclusion of a look, with its reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtVerdict {
    /// The conclusion. The first that is not [`SprtDecision::Continue`] is final.
    pub decision: SprtDecision,
    /// The log-likelihood ratio of `elo1` to `elo0`, a finite number.
    pub llr: f64,
}

/// A sequential probability ratio test of two Elo differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloSprt {
    model: EloModel,
    elo0: f64,
    elo1: f64,
    lower: f64,
    upper: f64,
}

impl EloSprt {
    /// Creates a test of `elo0` against `elo1`, the two of `hypotheses` in the unit of `model`.
    ///
    /// It accepts `elo1` at a difference of `elo0` or less with a probability of about `alpha`, and
    /// `elo0` at a difference of `elo1` or more with about `beta`.
    ///
    /// # Errors
    /// If a hypothesis is outside the range of `model`, `elo1` is not above `elo0`, or `alpha` and
    /// `beta` add up to 1.
    pub fn new(
        model: EloModel,
        hypotheses: [f64; 2],
        alpha: ErrorRate,
        beta: ErrorRate,
    ) -> Result<Self, StatsError> {
        let [elo0, elo1] = hypotheses;
        let (largest, range) = match model {
            EloModel::Logistic => (MAX_LOGISTIC, "from -1,000 to 1,000"),
            EloModel::Normalized => (MAX_NORMALIZED, "from -200 to 200"),
        };
        for (name, value) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-largest..=largest).contains(&value) {
                return Err(StatsError::OutOfRange { name, value, range });
            }
        }
        if elo1 <= elo0 {
            return Err(StatsError::HypothesesNotIncreasing { elo0, elo1 });
        }
        let (alpha, beta) = (alpha.get(), beta.get());
        if 1.0 <= alpha + beta {
            let (name, value) = ("the sum of alpha and beta", alpha + beta);
            return Err(StatsError::OutOfRange { name, value, range: "below 1" });
        }
        let (lower, upper) = (libm::log(beta / (1.0 - alpha)), libm::log((1.0 - beta) / alpha));
        Ok(Self { model, elo0, elo1, lower, upper })
    }

    /// Returns the two bounds of the log-likelihood ratio: ln(beta / (1 - alpha)), at which `elo0`
    /// is accepted, and ln((1 - beta) / alpha), at which `elo1` is.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// Returns the verdict of the results `counts`, with 1e-3 in place of counts of 0.
    #[must_use]
    pub fn verdict(&self, counts: &MatchCounts) -> SprtVerdict {
        let llr = self.log_likelihood_ratio(counts);
        let decision = if llr <= self.lower {
            SprtDecision::AcceptH0
        } else if self.upper <= llr {
            SprtDecision::AcceptH1
        } else {
            SprtDecision::Continue
        };
        SprtVerdict { decision, llr }
    }

    /// Returns n times the mean of ln(p1 / p0) over the observed distribution, where p0 and p1 are
    /// the most likely distributions under each hypothesis.
    fn log_likelihood_ratio(&self, counts: &MatchCounts) -> f64 {
        let observed = counts.distribution();
        let [under0, under1] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => mean_divisors(&observed, expected_score(elo)),
            EloModel::Normalized => {
                t_divisors(&observed, elo / NORMALIZED_ELO * root_of_games(counts))
            }
        });
        let ScoreDistribution { samples, shares, .. } = &observed;
        // p is the observed share over the divisor.
        let terms = shares.iter().zip(under0.iter().zip(&under1));
        samples * terms.map(|(share, (d0, d1))| share * libm::log(d0 / d1)).sum::<f64>()
    }
}

fn expected_score(elo: f64) -> f64 {
    score_of_elo(elo).expect("hypotheses are finite")
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

    fn test(model: EloModel) -> EloSprt {
        EloSprt::new(model, [0.0, 10.0], RATE, RATE).unwrap()
    }

    /// Values printed by fishtest, `LLR_logistic` and `LLR_normalized`.
    #[test]
    fn ratios_are_those_of_fishtest() {
        let pairs = MatchCounts::of_pairs([10, 20, 40, 25, 5]).unwrap();
        let games = |bins| MatchCounts::of_games(bins).unwrap();
        for (model, counts, expected) in [
            (EloModel::Logistic, pairs, -0.437_486),
            (EloModel::Normalized, pairs, -0.282_113),
            (EloModel::Logistic, games([40, 20, 60]), 0.631_484),
            (EloModel::Logistic, games([20, 5, 25]), 0.136_916),
        ] {
            let SprtVerdict { decision, llr } = test(model).verdict(&counts);
            assert!((llr - expected).abs() < 1e-6, "{llr} instead of {expected}");
            assert_eq!(decision, SprtDecision::Continue);
        }
    }

    /// The usual bounds for 5 %: 2.944.
    #[test]
    fn bounds_end_the_test() {
        let sprt = test(EloModel::Logistic);
        let (lower, upper) = sprt.bounds();
        assert!((upper - 2.944_439).abs() < 1e-6 && (lower + upper).abs() < 1e-12);
        let says = |bins| sprt.verdict(&MatchCounts::of_pairs(bins).unwrap()).decision;
        assert_eq!(says([100, 200, 400, 300, 150]), SprtDecision::AcceptH1);
        assert_eq!(says([150, 300, 400, 200, 100]), SprtDecision::AcceptH0);
        let strict = ErrorRate::new(0.001).unwrap();
        let sprt = EloSprt::new(EloModel::Logistic, [0.0, 10.0], strict, RATE).unwrap();
        // ln(0.05 / 0.999) and ln(0.95 / 0.001)
        let (lower, upper) = sprt.bounds();
        assert!((lower + 2.994_732).abs() < 1e-6 && (upper - 6.856_462).abs() < 1e-6);
    }

    /// Draws only: the mean is known well, and is H0's mean. Wins only: H1's mean.
    #[test]
    fn equal_results_have_verdicts() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let says = |counts: MatchCounts| test(model).verdict(&counts);
            for n in [1, 10, 1000, 1 << 53] {
                let wins = says(MatchCounts::of_games([0, 0, n]).unwrap());
                let pair_wins = says(MatchCounts::of_pairs([0, 0, 0, 0, n]).unwrap());
                let losses = says(MatchCounts::of_games([n, 0, 0]).unwrap());
                assert!(0.0 < wins.llr && 0.0 < pair_wins.llr, "{wins:?} {pair_wins:?}");
                assert!(losses.llr < 0.0, "{losses:?}");
                for counts in [
                    MatchCounts::of_games([0, n, 0]).unwrap(),
                    MatchCounts::of_pairs([0, 0, n, 0, 0]).unwrap(),
                ] {
                    assert!(says(counts).llr.is_finite() && says(counts).llr < 0.0, "{n}");
                }
            }
        }
        let draws = MatchCounts::of_games([0, 10_000, 0]).unwrap();
        let verdict = test(EloModel::Logistic).verdict(&draws);
        assert_eq!(verdict.decision, SprtDecision::AcceptH0, "{verdict:?}");
    }

    #[test]
    fn invalid_tests_are_refused() {
        let new = |model, hypotheses| EloSprt::new(model, hypotheses, RATE, RATE).unwrap_err();
        assert_eq!(
            new(EloModel::Logistic, [5.0, 5.0]).to_string(),
            "elo1 is 5, expected more than elo0, which is 5"
        );
        let down = StatsError::HypothesesNotIncreasing { elo0: 10.0, elo1: 0.0 };
        assert_eq!(new(EloModel::Normalized, [10.0, 0.0]), down);
        for hypotheses in [[f64::NAN, 1.0], [0.0, f64::INFINITY], [0.0, 1000.1]] {
            let error = new(EloModel::Logistic, hypotheses);
            assert!(matches!(error, StatsError::OutOfRange { .. }), "{error}");
        }
        assert!(matches!(
            new(EloModel::Normalized, [0.0, 201.0]),
            StatsError::OutOfRange { name: "elo1", .. }
        ));
        let half = ErrorRate::new(0.5).unwrap();
        assert!(EloSprt::new(EloModel::Logistic, [0.0, 1.0], half, half).is_err());
    }
}
