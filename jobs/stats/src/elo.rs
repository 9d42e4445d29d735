//! Elo differences and expected scores.
//!
//! A *score* is the mean points of a game: 0 for a loss, 1/2 for a draw, 1 for a win. The logistic
//! model says that a player who is `elo` points above another scores 1 / (1 + 10^(-elo / 400)) on
//! average (Elo, *The Rating of Chessplayers*, 1978).

use core::f64::consts::LN_10;

use crate::bisection::bisect;
use crate::count::to_f64;
use crate::error::{ErrorRate, StatsError};

/// Elo points per unit of the natural logarithm of the odds.
pub(crate) const ELO_PER_NAT: f64 = 400.0 / LN_10;

/// The smallest distance from 0 and 1 that a score keeps, so that its Elo is finite: at most
/// 1,199.8 points (the constant of fishtest, `stat_util.py`).
const EXTREME_SCORE: f64 = 1e-3;

/// The Elo difference of a score of 0.999, the largest that is given: higher scores have it, too.
pub const ELO_LIMIT: f64 = 1_199.826;

/// Returns the Elo difference at which `score` is expected: -400 log10(1 / score - 1).
///
/// # Errors
/// If `score` is not above 0 and below 1: no finite difference has such a score.
pub fn elo_of_score(score: f64) -> Result<f64, StatsError> {
    if 0.0 < score && score < 1.0 {
        return Ok(ELO_PER_NAT * (libm::log(score) - libm::log1p(-score)));
    }
    Err(StatsError::OutOfRange { name: "score", value: score, range: "above 0 and below 1" })
}

/// Returns the expected score of a player who is `elo` points above the other:
/// 1 / (1 + 10^(-elo / 400)), from 0 to 1.
///
/// # Errors
/// If `elo` is not a finite number.
pub fn score_of_elo(elo: f64) -> Result<f64, StatsError> {
    if elo.is_finite() {
        return Ok(logistic(elo / ELO_PER_NAT));
    }
    Err(StatsError::OutOfRange { name: "Elo difference", value: elo, range: "a finite number" })
}

/// Returns 1 / (1 + exp(-x)), from 0 to 1.
pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// Returns the Elo difference of a score from 0 to 1, within 1,199.8 points.
pub(crate) fn limited_elo(score: f64) -> f64 {
    let score = score.clamp(EXTREME_SCORE, 1.0 - EXTREME_SCORE);
    ELO_PER_NAT * (libm::log(score) - libm::log1p(-score))
}

/// Returns the largest rating that a player with only wins need not have: at lower ratings, winning
/// all games is less likely than `error_rate`.
///
/// `opponents` are ratings with the number of wins against each, in Elo points. The bound follows
/// Clopper & Pearson (Biometrika 26, 1934) for the product of the expected scores. It is safe where
/// a win counts only with probability of at most the expected score, like a pair of two won games.
///
/// # Errors
/// If there are no wins, or a rating is not a finite number.
pub fn least_rating(opponents: &[(f64, u64)], error_rate: ErrorRate) -> Result<f64, StatsError> {
    let wins = opponents.iter().map(|(_, wins)| *wins).sum::<u64>();
    if wins == 0 {
        return Err(StatsError::OutOfRange { name: "wins", value: 0.0, range: "at least 1" });
    }
    let ratings = || opponents.iter().map(|(elo, _)| *elo);
    if let Some(elo) = ratings().find(|elo| !elo.is_finite()) {
        let range = "a finite number";
        return Err(StatsError::OutOfRange { name: "rating", value: elo, range });
    }
    let log_probability = |rating: f64| -> f64 {
        let of_one = |&(elo, wins): &(f64, u64)| {
            -to_f64(wins) * libm::log1p(libm::exp((elo - rating) / ELO_PER_NAT))
        };
        opponents.iter().map(of_one).sum()
    };
    let sought = libm::log(error_rate.get());
    // No number of wins and no error rate leads further.
    let least = ratings().fold(f64::INFINITY, f64::min) - REACH;
    let most = ratings().fold(f64::NEG_INFINITY, f64::max) + REACH;
    Ok(bisect(least, most, |rating| sought <= log_probability(rating)))
}

/// The distance from the opponents within which [`least_rating`] searches, in Elo points.
const REACH: f64 = 20_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// FIDE Handbook B.02, table 8.1.2 has 0.76 for 200 points; exact values of the formula are
    /// 10 / 11 for 400 points, and 190.85 points for 3 / 4.
    #[test]
    fn differences_and_scores_are_inverse() {
        for (score, elo) in [(0.5, 0.0), (0.75, 190.848_501_9), (10.0 / 11.0, 400.0)] {
            assert!((elo_of_score(score).unwrap() - elo).abs() < 1e-7);
            assert!((elo_of_score(1.0 - score).unwrap() + elo).abs() < 1e-7);
            assert!((score_of_elo(elo).unwrap() - score).abs() < 1e-9);
        }
        assert!((score_of_elo(200.0).unwrap() - 0.76).abs() < 0.005);
    }

    /// Winning 20 of 20 at even odds of 0.05^(1/20) = 0.8609 has a probability of 5 %.
    #[test]
    fn only_wins_have_a_least_rating() {
        let least = |opponents: &[(f64, u64)]| least_rating(opponents, ErrorRate::FIVE_PERCENT);
        let even = elo_of_score(libm::pow(0.05, 1.0 / 20.0)).unwrap();
        assert!((even - 316.6).abs() < 0.1, "{even}");
        assert!((least(&[(0.0, 20)]).unwrap() - even).abs() < 1e-6);
        assert!((least(&[(100.0, 15), (100.0, 5)]).unwrap() - even - 100.0).abs() < 1e-6);
        // Weak opponents prove less.
        let mixed = least(&[(0.0, 10), (-800.0, 10)]).unwrap();
        assert!(least(&[(0.0, 10)]).unwrap() < mixed && mixed < even, "{mixed}");
        assert!(least(&[(0.0, u64::MAX)]).unwrap().is_finite());
        for wrong in [&[][..], &[(0.0, 0)], &[(f64::NAN, 1)]] {
            assert!(least(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn extremes_are_finite_or_refused() {
        assert!((limited_elo(1.0) - 1_199.826_195).abs() < 1e-5 && limited_elo(0.0) < -1199.8);
        assert!(score_of_elo(1e300).unwrap() >= 1.0 && score_of_elo(-1e300).unwrap() <= 0.0);
        for score in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(elo_of_score(score).is_err());
        }
        for elo in [f64::NAN, f64::INFINITY] {
            assert!(score_of_elo(elo).is_err());
        }
        let error = elo_of_score(1.0).unwrap_err();
        assert_eq!(error.to_string(), "score is 1, expected above 0 and below 1");
        assert!(elo_of_score(f64::MIN_POSITIVE).unwrap().is_finite());
    }
}
