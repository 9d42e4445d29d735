//! Most likely distributions of results under a hypothesis.
//!
//! Among distributions q with the mean of b at 0, the one that makes the observed shares p most
//! likely is q = p / (1 + x b), with the x at which the mean is 0 (Van den Bergh,
//! `support_MLE_multinomial.pdf` at cantate.be/Fishtest, proposition 1.1; Owen, *Empirical
//! Likelihood*, 2001, chapter 2). Functions here return the divisors 1 + x b, one per bin, all
//! above 0.

use crate::bisection::bisect;
use crate::match_counts::ScoreDistribution;

/// Iterations for a hypothesis in normalized Elo. Some ten are enough; the last digits of
/// distributions with very small shares may not settle.
const MAX_ITERATIONS: u32 = 40;

/// The largest change of a share at which the iteration ends.
const TOLERANCE: f64 = 1e-13;

/// Returns the divisors of the most likely distribution whose mean is `score`, above 0 and below 1.
pub(super) fn mean_divisors(observed: &ScoreDistribution, score: f64) -> Vec<f64> {
    let deviations: Vec<f64> = observed.scores.iter().map(|value| value - score).collect();
    divisors(&observed.shares, &deviations).expect("scores are on both sides of the mean")
}

/// Returns the divisors of the most likely distribution for which (mean - 1/2) / (standard
/// deviation) is `t`, from -0.82 to 0.82.
///
/// At a distribution of mean m and standard deviation s, that condition has the same gradient as
/// the mean of b = a - 1/2 - t s (1 + ((a - m) / s)^2) / 2 being 0, for scores a. The solution is
/// the fixed point of solving for m and s of the solution before, from equal shares on (Van den
/// Bergh, `normalized_elo_practical.pdf`, §4.1).
pub(super) fn t_divisors(observed: &ScoreDistribution, t: f64) -> Vec<f64> {
    let shares = &observed.shares;
    let mut solution = vec![1.0; shares.len()];
    let mut current = observed.clone();
    current.shares.fill(1.0 / bins(shares));
    for _ in 0..MAX_ITERATIONS {
        let advantage = current.advantage();
        let sigma = libm::sqrt(current.central_moment(0.5 + advantage, 2));
        let deviation = |score: &f64| {
            let distance = (score - 0.5 - advantage) / sigma;
            score - 0.5 - t * sigma * (1.0 + distance * distance) / 2.0
        };
        let deviations: Vec<f64> = observed.scores.iter().map(deviation).collect();
        // Within the range of t, no observed distribution is known that leads to `None`.
        let Some(next) = divisors(shares, &deviations) else { break };
        let next_shares: Vec<f64> = shares.iter().zip(&next).map(|(p, d)| p / d).collect();
        let changes = next_shares.iter().zip(&current.shares).map(|(a, b)| (a - b).abs());
        let change = changes.fold(0.0, f64::max);
        solution = next;
        current.shares = next_shares;
        if change < TOLERANCE {
            break;
        }
    }
    solution
}

/// Returns the divisors 1 + x b for which the mean of the `deviations` b is 0; `None` if they are
/// all on one side of 0.
///
/// If the observed mean is negative, x is too, and the largest deviation has the smallest divisor.
/// It is the unknown here, because it may be many orders of magnitude below 1. No share is above
/// 1, so it is at least the observed share.
fn divisors(shares: &[f64], deviations: &[f64]) -> Option<Vec<f64>> {
    let observed: f64 = shares.iter().zip(deviations).map(|(p, b)| p * b).sum();
    let sign = if observed <= 0.0 { 1.0 } else { -1.0 };
    let pairs = || shares.iter().zip(deviations).map(|(&share, b)| (share, sign * b));
    let (least, largest) = pairs().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let smallest = pairs().map(|(_, b)| b).fold(f64::INFINITY, f64::min);
    if !(smallest < 0.0 && 0.0 < largest) {
        return None;
    }
    let divisor = |b: f64, unknown: f64| ((largest - b) + unknown * b) / largest;
    let mean = |unknown| pairs().map(|(p, b)| p * b / divisor(b, unknown)).sum::<f64>();
    let unknown = bisect(least, 1.0, |unknown| mean(unknown) <= 0.0);
    Some(pairs().map(|(_, b)| divisor(b, unknown)).collect())
}

#[expect(clippy::cast_precision_loss, reason = "three or five bins")]
fn bins(shares: &[f64]) -> f64 {
    shares.len() as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::match_counts::MatchCounts;

    /// Returns the distribution with these divisors.
    fn solved(observed: &ScoreDistribution, divisors: &[f64]) -> ScoreDistribution {
        let shares = observed.shares.iter().zip(divisors).map(|(p, d)| p / d).collect();
        ScoreDistribution { shares, ..observed.clone() }
    }

    /// Three results w, d, l with mean 1/2 + t sigma: (w - l) / 2 = a with a^2 (1 + 1 / t^2) = (1 -
    /// d) / 4 leaves one unknown, which is searched on a grid.
    #[test]
    fn normalized_hypotheses_have_their_most_likely_distribution() {
        for (bins, t) in [([40, 20, 60], 0.05), ([5, 100, 3], -0.3), ([0, 10, 0], 0.1)] {
            let observed = MatchCounts::of_games(bins).unwrap().distribution();
            let likelihood = |shares: &[f64]| -> f64 {
                observed.shares.iter().zip(shares).map(|(p, q)| p * libm::log(*q)).sum()
            };
            let found = likelihood(&solved(&observed, &t_divisors(&observed, t)).shares);
            let best = (1..100_000_u32)
                .map(|step| {
                    let draws = f64::from(step) / 1e5;
                    let half = libm::sqrt((1.0 - draws) / 4.0 / (1.0 + 1.0 / (t * t)));
                    let advantage = if t < 0.0 { -half } else { half };
                    let decided = (1.0 - draws) / 2.0;
                    likelihood(&[decided - advantage, draws, decided + advantage])
                })
                .fold(f64::NEG_INFINITY, f64::max);
            assert!((found - best).abs() < 1e-5, "{found} instead of {best} for {bins:?}");
        }
    }

    fn counts() -> impl Strategy<Value = [u64; 5]> {
        let count = prop_oneof![Just(0), 0_u64..5, 0_u64..1000, 0_u64..10_000_000];
        prop::array::uniform5(count).prop_filter("a pair", |bins| bins.iter().any(|&n| 0 < n))
    }

    proptest! {
        /// Shares add up to 1, and the hypothesis holds to the precision of the smallest share.
        #[test]
        fn solutions_are_distributions(bins in counts(), score in 0.003..0.997, t in -0.8..0.8) {
            let observed = MatchCounts::of_pairs(bins).unwrap().distribution();
            let mean = solved(&observed, &mean_divisors(&observed, score));
            prop_assert!((mean.shares.iter().sum::<f64>() - 1.0).abs() < 1e-5);
            prop_assert!((mean.advantage() + 0.5 - score).abs() < 1e-5);
            let ratio = solved(&observed, &t_divisors(&observed, t));
            prop_assert!((ratio.shares.iter().sum::<f64>() - 1.0).abs() < 1e-5);
            let advantage = ratio.advantage();
            let sigma = libm::sqrt(ratio.central_moment(0.5 + advantage, 2));
            prop_assert!((advantage / sigma - t).abs() < 1e-4, "{}", advantage / sigma);
        }
    }
}
