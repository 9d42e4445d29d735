//! The mean of nearly exponential scores, with an interval.

use hatchery_core::IntervalEstimate;

use crate::error::CONFIDENCE;
use crate::gamma::quantile;
use crate::summary::ScoreSummary;

/// With fewer scores than this, their own spread is too uncertain, and at least the spread of an
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
    gamma_interval(summary.n(), summary.mean(), spread(summary))
}

/// Returns `mean`, the mean of `n` scores, with a gamma interval as for [`mean_estimate`]. Only
/// some of the scores are known, `sample`: all are taken to spread as they do.
#[must_use]
pub fn sampled_mean_estimate(mean: f64, n: u64, sample: &ScoreSummary) -> IntervalEstimate {
    gamma_interval(n, mean, spread(sample))
}

/// Returns the mean of the scores over the `strata`, such as the individuals of a population, with
/// a gamma interval as for [`mean_estimate`].
///
/// The strata are complete, not a sample: only chance inside each makes the mean uncertain, and
/// differences between them do not. With n_i scores of standard deviation s_i in stratum i, the
/// variance of the mean over the n scores is the sum of n_i s_i^2 / n^2 (Cochran, "Sampling
/// Techniques", 1977, eq. 5.7). If less than 30 scores are beyond the first of their stratum, each
/// has at least the spread of an exponential distribution.
pub fn stratified_mean_estimate<'a>(
    strata: impl IntoIterator<Item = &'a ScoreSummary>,
) -> IntervalEstimate {
    let (mut n, mut n_repeated, mut sum, mut within, mut exponential) = (0, 0, 0.0, 0.0, 0.0);
    for stratum in strata {
        let (count, mean, sd) = (number(stratum.n()), stratum.mean(), stratum.sd());
        n += stratum.n();
        n_repeated += stratum.n().saturating_sub(1);
        sum += count * mean;
        within += count * sd * sd;
        exponential += count * mean * mean;
    }
    if n == 0 || sum <= 0.0 {
        return gamma_interval(n, 0.0, 0.0);
    }
    let squares = if n_repeated < FEW { f64::max(within, exponential) } else { within };
    let mean = sum / number(n);
    gamma_interval(n, mean, libm::sqrt(squares / number(n)) / mean)
}

/// Returns the coefficient of variation to assume for scores like these.
fn spread(summary: &ScoreSummary) -> f64 {
    if summary.n() < FEW { summary.cv().max(1.0) } else { summary.cv() }
}

/// Returns the gamma interval of the mean of `n` scores with this coefficient of variation.
fn gamma_interval(n: u64, mean: f64, cv: f64) -> IntervalEstimate {
    const TAIL: f64 = (1.0 - CONFIDENCE) / 2.0;
    let estimate = |low, high| IntervalEstimate { mean, low, high, n, confidence: CONFIDENCE };
    if n == 0 {
        return estimate(0.0, 0.0);
    }
    if mean <= 0.0 {
        // (1 - exp(-1 / m))^n = TAIL
        let below_one = libm::pow(TAIL, 1.0 / number(n));
        return estimate(0.0, -1.0 / libm::log(1.0 - below_one));
    }
    if cv <= 0.0 {
        return estimate(mean, mean);
    }
    let shape = number(n) / (cv * cv);
    let bound = |p| mean * shape / quantile(shape, p);
    estimate(bound(1.0 - TAIL), bound(TAIL))
}

#[expect(clippy::cast_precision_loss, reason = "numbers of games are far below 2^53")]
fn number(n: u64) -> f64 {
    n as f64
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

    #[test]
    fn a_sample_tells_the_spread_of_all() {
        let sample = ScoreSummary::of([10, 20, 60]);
        let (whole, of_sample) = (sampled_mean_estimate(30.0, 3, &sample), mean_estimate(&sample));
        assert_eq!(whole, of_sample);
        let more = sampled_mean_estimate(25.0, 300, &sample);
        assert!(22.0 < more.low && more.high < 28.5 && more.n == 300, "{more:?}");
    }

    #[test]
    fn one_stratum_is_a_sample() {
        let scores = ScoreSummary::of((1..=40).map(|score| score * score));
        let (one, plain) = (stratified_mean_estimate([&scores]), mean_estimate(&scores));
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b;
        assert!((one.n, one.mean) == (plain.n, plain.mean));
        assert!(close(one.low, plain.low) && close(one.high, plain.high), "{one:?} {plain:?}");
    }

    #[test]
    fn differences_between_strata_are_no_uncertainty() {
        let strata = [1, 1000].map(|score| ScoreSummary::of([score; 40]));
        let estimate = stratified_mean_estimate(&strata);
        assert_eq!((estimate.low, estimate.mean, estimate.high), (500.5, 500.5, 500.5));
        // One score each says nothing of chance: it is taken as exponential.
        let singles = [1, 1000].map(|score| ScoreSummary::of([score]));
        let single = stratified_mean_estimate(&singles);
        assert!(single.low < 250.0 && 2000.0 < single.high, "{single:?}");
        assert_eq!(stratified_mean_estimate([]).n, 0);
        let zeros = stratified_mean_estimate([&ScoreSummary::of([0; 100])]);
        assert!(zeros.low == 0.0 && 0.3 < zeros.high && zeros.high < 0.31);
    }
}
