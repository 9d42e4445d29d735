//! The share of successes, with an interval.

use hatchery_core::IntervalEstimate;

use crate::count::to_f64;
use crate::error::{ErrorRate, StatsError};
use crate::normal;

/// Returns the share of `successes` in `n` trials with its score interval (Wilson, "Probable
/// inference, the law of succession, and statistical inference", JASA 22, 1927): the shares that
/// differ from the observed one by at most a normal quantile of standard errors, taken at that
/// share.
///
/// The coverage is close to the nominal one on average over shares, also for few trials (Brown, Cai
/// & DasGupta, "Interval estimation for a binomial proportion", Statistical Science 16, 2001).
/// Without trials the interval is from 0 to 1.
///
/// # Errors
/// If there are more successes than trials.
pub fn wilson_interval(
    successes: u64,
    n: u64,
    error_rate: ErrorRate,
) -> Result<IntervalEstimate, StatsError> {
    if n < successes {
        return Err(StatsError::TooManySuccesses { successes, n });
    }
    if n == 0 {
        let confidence = 1.0 - error_rate.get();
        return Ok(IntervalEstimate { mean: 0.0, low: 0.0, high: 1.0, n, confidence });
    }
    Ok(score_interval(successes, n, error_rate))
}

/// Returns the [`wilson_interval`] of at least one trial.
pub(crate) fn score_interval(successes: u64, n: u64, error_rate: ErrorRate) -> IntervalEstimate {
    let (count, trials) = (to_f64(successes), to_f64(n));
    let z = normal::quantile(1.0 - error_rate.per_side().get());
    let center = count + z * z / 2.0;
    let half = z * libm::sqrt(count * (trials - count) / trials + z * z / 4.0);
    let bound = |value: f64| (value / (trials + z * z)).clamp(0.0, 1.0);
    let mean = count / trials;
    let (low, high) = (bound(center - half).min(mean), bound(center + half).max(mean));
    IntervalEstimate { mean, low, high, n, confidence: 1.0 - error_rate.get() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine
    /// 17, 1998, table I, method 3.
    #[test]
    fn intervals_are_those_of_the_literature() {
        for (successes, n, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let got = wilson_interval(successes, n, ErrorRate::FIVE_PERCENT).unwrap();
            let close = (got.low - low).abs() < 5.1e-5 && (got.high - high).abs() < 5.1e-5;
            assert!(close, "{successes} of {n}: {got:?}");
        }
    }

    /// Half of 50 games is from 37 to 63 %; the formula by hand, to four digits.
    #[test]
    fn intervals_of_fifty_games() {
        for (successes, low, high) in
            [(25, 0.3664, 0.6336), (30, 0.4618, 0.7239), (31, 0.4815, 0.7414)]
        {
            let got = wilson_interval(successes, 50, ErrorRate::FIVE_PERCENT).unwrap();
            let close = (got.low - low).abs() < 5.1e-5 && (got.high - high).abs() < 5.1e-5;
            assert!(close, "{successes} of 50: {got:?}");
        }
        for (n, half_width) in [(200, 0.069), (400, 0.049), (1000, 0.031)] {
            let got = wilson_interval(n / 2, n, ErrorRate::FIVE_PERCENT).unwrap();
            assert!(((got.high - got.low) / 2.0 - half_width).abs() < 5.1e-4, "{got:?}");
        }
    }

    #[test]
    fn degenerate_shares_are_sensible_or_refused() {
        let none = wilson_interval(0, 0, ErrorRate::FIVE_PERCENT).unwrap();
        assert!(none.low <= 0.0 && 1.0 <= none.high);
        let refused = wilson_interval(3, 2, ErrorRate::FIVE_PERCENT).unwrap_err();
        assert_eq!(refused.to_string(), "3 successes in 2 trials, at most 2 are possible");
    }
}
