//! The mean spread of several series.

use hatchery_core::IntervalEstimate;

use super::resolution;
use crate::chi_square::noncentral;
use crate::count::to_f64;
use crate::error::{ErrorRate, StatsError};
use crate::multinomial::OutcomeCounts;
use crate::uniformity::pearson_test;

/// Returns the root of the mean of sigma^2 (see [`spread`](mod@crate::spread)) over `series`,
/// weighted by their numbers of trials, with its interval.
///
/// The sum of their Pearson statistics has nearly a noncentral chi-square distribution whose
/// degrees and noncentrality are the sums of theirs, because the series are independent. The
/// interval inverts that distribution; its upper end is never below the resolution of the trials.
///
/// # Errors
/// If there are no series, or they have different numbers of outcomes.
pub fn pooled_sigma(
    series: &[OutcomeCounts<'_>],
    error_rate: ErrorRate,
) -> Result<IntervalEstimate, StatsError> {
    let first = series.first().ok_or(StatsError::NoTrials { k: 0 })?;
    let k = first.k();
    let (mut degrees, mut statistic, mut trials) = (0.0, 0.0, 0);
    for (idx, counts) in series.iter().enumerate() {
        if counts.k() != k {
            let [k, expected] = [counts.iter().len(), first.iter().len()];
            return Err(StatsError::OutcomeMismatch { series: idx, k, expected });
        }
        let test = pearson_test(*counts);
        degrees += f64::from(test.degrees);
        statistic += test.statistic;
        trials += counts.n();
    }
    let scale = f64::from(k) * f64::from(k) * to_f64(trials);
    let sigma = |noncentrality: f64| libm::sqrt(noncentrality / scale).min(resolution(k, 1));
    let side = error_rate.per_side().get();
    let mean = sigma((statistic - degrees).max(0.0));
    let low = sigma(noncentral::noncentrality_lower_bound(degrees, statistic, side)).min(mean);
    let high = sigma(noncentral::noncentrality_upper_bound(degrees, statistic, side));
    let high = high.max(sigma(degrees)).max(mean);
    Ok(IntervalEstimate { mean, low, high, n: trials, confidence: 1.0 - error_rate.get() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spread::spread;

    fn pooled(series: &[[u64; 4]]) -> IntervalEstimate {
        let series: Vec<_> = series.iter().map(|wins| OutcomeCounts::new(wins).unwrap()).collect();
        pooled_sigma(&series, ErrorRate::FIVE_PERCENT).unwrap()
    }

    #[test]
    fn one_series_alone_has_its_own_interval() {
        for wins in [[467, 508, 482, 528], [600, 400, 550, 450], [500; 4]] {
            let alone = spread(OutcomeCounts::new(&wins).unwrap(), ErrorRate::FIVE_PERCENT).sigma;
            let pooled = pooled(&[wins]);
            for (a, b) in
                [(pooled.mean, alone.mean), (pooled.low, alone.low), (pooled.high, alone.high)]
            {
                assert!((a - b).abs() < 1e-9, "{pooled:?} instead of {alone:?}");
            }
        }
    }

    /// The rates 0.27, 0.25, 0.25, 0.23 have a variance of 0.0002: half of that when pooled with a
    /// fair series, minus the variance that 20,000 fair trials show.
    #[test]
    fn squares_are_averaged() {
        let series = [[5400, 5000, 5000, 4600], [5000; 4]];
        let one = pooled(&series);
        assert!((one.mean * one.mean - (0.0001 - 0.1875 / 20_000.0)).abs() < 1e-12, "{one:?}");
        let many = pooled(&series.repeat(10));
        assert!((many.mean - one.mean).abs() < 1e-12);
        assert!(one.low < many.low && many.high < one.high, "{one:?} {many:?}");
    }

    #[test]
    fn invalid_series_are_refused() {
        let rate = ErrorRate::FIVE_PERCENT;
        assert_eq!(pooled_sigma(&[], rate).unwrap_err(), StatsError::NoTrials { k: 0 });
        let [two, three] =
            [&[1, 2][..], &[1, 2, 3]].map(|counts| OutcomeCounts::new(counts).unwrap());
        let unlike = StatsError::OutcomeMismatch { series: 1, k: 3, expected: 2 };
        assert_eq!(pooled_sigma(&[two, three], rate).unwrap_err(), unlike);
    }
}
