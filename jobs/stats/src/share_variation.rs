//! The variation of a true share from series to series, without what chance adds.

use hatchery_core::IntervalEstimate;

use crate::chi_square;
use crate::count::to_f64;
use crate::error::{ErrorRate, StatsError};
use crate::student::sample_variance;

/// Returns the standard deviation of the **true** shares of several series, each given as its
/// successes and its trials, with an interval; 0 where chance explains all.
///
/// The variance of the true shares is the variance of the observed shares less the mean
/// contribution of chance, p (1 - p) / (n - 1) in each series: the estimate by moments with equal
/// weights (Kleinman, "Proportions with extraneous variance", Journal of the American Statistical
/// Association 68, 1973). Its interval is the interval of the observed variance by the chi-square
/// distribution, which is exact for normal shares, less the same contribution.
///
/// # Errors
/// If there are fewer than two series, or one has fewer than two trials or more successes.
pub fn share_variation(
    series: &[(u64, u64)],
    error_rate: ErrorRate,
) -> Result<IntervalEstimate, StatsError> {
    if let Some(&(successes, trials)) = series.iter().find(|it| it.1 < 2 || it.1 < it.0) {
        let (name, value) = match trials < 2 {
            true => ("trials", trials),
            false => ("successes", successes),
        };
        let range = "at least two trials, and no more successes than trials";
        return Err(StatsError::OutOfRange { name, value: to_f64(value), range });
    }
    let share = |&(successes, trials): &(u64, u64)| to_f64(successes) / to_f64(trials);
    let shares: Vec<f64> = series.iter().map(share).collect();
    let observed = sample_variance(&shares).ok_or(StatsError::TooFewSeries { n: series.len() })?;
    let by_chance = series.iter().map(|counts| {
        let share = share(counts);
        share * (1.0 - share) / (to_f64(counts.1) - 1.0)
    });
    let n = series.len() as u64;
    let by_chance = by_chance.sum::<f64>() / to_f64(n);
    let sd = |total: f64| {
        let variance = total - by_chance;
        // Rounding alone is no variation.
        if variance <= 1e-9 * total { 0.0 } else { libm::sqrt(variance) }
    };
    let degrees = to_f64(n - 1);
    let bound = |p: f64| degrees * observed / chi_square::quantile(degrees, p);
    let tail = error_rate.get() / 2.0;
    Ok(IntervalEstimate {
        mean: sd(observed),
        low: sd(bound(1.0 - tail)),
        high: sd(bound(tail)),
        n,
        confidence: 1.0 - error_rate.get(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: ErrorRate = ErrorRate::FIVE_PERCENT;

    fn is_close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// Ten series of two kinds: 30 % or 20 % of a thousand trials.
    #[test]
    fn what_chance_adds_is_left_out() {
        let series = [(300, 1000), (200, 1000)].repeat(5);
        let sd = share_variation(&series, RATE).unwrap();
        // Variance 0.05^2 * 10 / 9; chance adds the mean of 0.3 * 0.7 and 0.2 * 0.8, by 999.
        let (observed, by_chance) = (0.0025 * 10.0 / 9.0, 0.185 / 999.0);
        assert!(is_close(sd.mean, f64::sqrt(observed - by_chance)) && sd.n == 10, "{sd:?}");
        // Chi-square with 9 degrees: 2.700 and 19.023 (Abramowitz & Stegun, table 26.8).
        let bound = |quantile: f64| f64::sqrt(9.0 * observed / quantile - by_chance);
        assert!((sd.low - bound(19.0228)).abs() < 1e-6, "{sd:?}");
        assert!((sd.high - bound(2.70039)).abs() < 1e-6, "{sd:?}");
    }

    #[test]
    fn equal_shares_do_not_vary() {
        let sd = share_variation(&[(250, 1000); 6], RATE).unwrap();
        assert!(is_close(sd.mean, 0.0) && is_close(sd.high, 0.0), "{sd:?}");
        // The observed variance is exactly what chance adds.
        let sd = share_variation(&[(0, 2), (1, 2), (1, 2), (2, 2)], RATE).unwrap();
        assert!(sd.low <= 0.0 && sd.mean < sd.high, "{sd:?}");
    }

    #[test]
    fn series_without_a_variance_are_refused() {
        for series in [&[(1, 2), (1, 1)][..], &[(1, 2), (3, 2)], &[(1, 2)], &[]] {
            assert!(share_variation(series, RATE).is_err(), "{series:?}");
        }
    }
}
