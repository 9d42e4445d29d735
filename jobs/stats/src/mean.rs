//! The mean of nearly exponential scores, with an interval.

use hatchery_core::IntervalEstimate;

use crate::error::CONFIDENCE;
use crate::gamma::quantile;
use crate::summary::ScoreSummary;

/// With fewer scores than this, their own spread is too uncertain, and at least that of an
/// exponential distribution is assumed.
const FEW: u64 = 30;

/// Returns the mean of the scores in `summary` with a *gamma interval*.
///
/// The sum of n scores with coefficient of variation cv is approximated by a gamma variable of
/// shape k = n / cv^2 (the first two moments match); then mean x k / q with q at 1 - a/2 and a/2 of
/// that distribution bounds the true mean. For cv = 1, exponential scores, this is the exact
/// interval of their mean (Epstein & Sobel, "Life Testing", JASA 48, 1953).
///
/// The interval suits scores of games that end by accident, such as Tetris, which are nearly
/// geometric (Miyazaki & Arakawa, §2.1), with cv between 0.93 and 1.03: it is never below 0, and
/// longer upwards than downwards, as the distribution is. With the sample's own cv it also holds
/// where scores are small and discrete, and for any distribution as n grows.
///
/// Fewer than 30 scores are given at least the spread of an exponential distribution. If all scores
/// are 0, the interval reaches from 0 to the mean at which n exponential scores would all be below
/// 1 with probability a/2. Without scores, the interval is all zeros and carries no information.
#[must_use]
pub fn mean_estimate(summary: &ScoreSummary) -> IntervalEstimate {
    const TAIL: f64 = (1.0 - CONFIDENCE) / 2.0;
    let (mean, n) = (summary.mean(), summary.n());
    let estimate = |low, high| IntervalEstimate { mean, low, high, n, confidence: CONFIDENCE };
    #[expect(clippy::cast_precision_loss, reason = "numbers of games are far below 2^53")]
    let count = n as f64;
    if n == 0 {
        return estimate(0.0, 0.0);
    }
    if mean <= 0.0 {
        // (1 - exp(-1 / m))^n = TAIL
        let below_one = libm::pow(TAIL, 1.0 / count);
        return estimate(0.0, -1.0 / libm::log(1.0 - below_one));
    }
    let cv = if n < FEW { summary.cv().max(1.0) } else { summary.cv() };
    if cv <= 0.0 {
        return estimate(mean, mean);
    }
    let shape = count / (cv * cv);
    let bound = |p| mean * shape / quantile(shape, p);
    estimate(bound(1.0 - TAIL), bound(TAIL))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scores: &[u64], (low, high): (f64, f64)) {
        let got = mean_estimate(&ScoreSummary::of(scores.iter().copied()));
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-3 * b.abs().max(1e-9);
        assert!(close(got.low, low) && close(got.high, high), "{got:?}");
    }

    #[test]
    fn degenerate_scores_have_honest_intervals() {
        check(&[], (0.0, 0.0));
        // One score: 2 x / chi-square of 2 degrees at 0.975 and 0.025: 7.378 and 0.0506.
        check(&[100], (200.0 / 7.3778, 200.0 / 0.050_636));
        check(&[7; 40], (7.0, 7.0));
        // 100 zeros: a mean m gives them with probability (1 - exp(-1/m))^100 = 0.025.
        check(&[0; 100], (0.0, 0.301_37));
    }
}
