//! How closely two quantities go together: Pearson's and Spearman's correlation.

use hatchery_core::IntervalEstimate;

use crate::count::to_f64;
use crate::error::{ErrorRate, StatsError};
use crate::normal;
use crate::ranks::doubled_ranks;

/// The fewest points that give an interval of Spearman's correlation.
pub const MIN_POINTS: usize = 4;

/// Returns Pearson's correlation of the coordinates of `points`, from -1 to 1; its square is the
/// share of a coordinate's variance that a straight line of the other coordinate explains. `None`
/// if either coordinate is the same everywhere, or a sum is not finite.
#[must_use]
pub fn pearson(points: &[[f64; 2]]) -> Option<f64> {
    #[expect(clippy::float_cmp, reason = "rounding may not make constant numbers vary")]
    let varies = |axis: usize| points.iter().any(|point| point[axis] != points[0][axis]);
    if !varies(0) || !varies(1) {
        return None;
    }
    let n = to_f64(points.len() as u64);
    let mean = [0, 1].map(|axis| points.iter().map(|point| point[axis]).sum::<f64>() / n);
    let product = |a: usize, b: usize| {
        points.iter().map(|point| (point[a] - mean[a]) * (point[b] - mean[b])).sum::<f64>()
    };
    let correlation = product(0, 1) / libm::sqrt(product(0, 0)) / libm::sqrt(product(1, 1));
    correlation.is_finite().then(|| correlation.clamp(-1.0, 1.0))
}

/// Returns Spearman's rank correlation of the coordinates of `points` with an interval: Pearson's
/// correlation of ranks, where equal values share the mean of their ranks (Kendall, *Rank
/// Correlation Methods*, 1948, §3.8).
///
/// The interval follows from Fisher's z, artanh(r), with the standard error sqrt((1 + r^2 / 2) /
/// (n - 3)) of Bonett & Wright ("Sample size requirements for estimating Pearson, Kendall and
/// Spearman correlations", Psychometrika 65, 2000), which holds for correlations up to .95 or so. A
/// perfect correlation has no finite z: its interval begins at the bound of the second highest
/// correlation that is possible without equal values, 1 - 12 / (n^3 - n), and ends at 1.
///
/// # Errors
/// If there are fewer than four points, a coordinate is not finite, or is the same everywhere.
pub fn spearman(
    points: &[[f64; 2]],
    error_rate: ErrorRate,
) -> Result<IntervalEstimate, StatsError> {
    if points.len() < MIN_POINTS {
        return Err(StatsError::TooFewPairs { n: points.len(), needed: MIN_POINTS });
    }
    if let Some(&value) = points.as_flattened().iter().find(|value| !value.is_finite()) {
        return Err(StatsError::OutOfRange {
            name: "a coordinate",
            value,
            range: "a finite number",
        });
    }
    let ranks = [0, 1].map(|axis| {
        let values: Vec<_> = points.iter().map(|point| point[axis]).collect();
        doubled_ranks(&values)
    });
    let n = points.len() as u64;
    let [x, y] = &ranks;
    let sum = |a: &[u64], b: &[u64]| -> i128 {
        // Twice each rank minus n + 1 adds up to 0.
        let centered = |rank: u64| i128::from(rank) - i128::from(n + 1);
        a.iter().zip(b).map(|(a, b)| centered(*a) * centered(*b)).sum()
    };
    let (spread_x, spread_y) = (sum(x, x), sum(y, y));
    if spread_x == 0 || spread_y == 0 {
        return Err(StatsError::ConstantCoordinate);
    }
    let correlation = ratio(sum(x, y), spread_x, spread_y);
    let (low, high) = spearman_bounds(correlation, n, error_rate);
    Ok(IntervalEstimate { mean: correlation, low, high, n, confidence: 1.0 - error_rate.get() })
}

/// Returns the interval of Spearman's correlation of `n` points.
fn spearman_bounds(correlation: f64, n: u64, error_rate: ErrorRate) -> (f64, f64) {
    let n = to_f64(n);
    let most = 1.0 - 12.0 / (n * n * n - n);
    let finite = correlation.clamp(-most, most);
    let error = libm::sqrt((1.0 + finite * finite / 2.0) / (n - 3.0));
    let half = error * normal::quantile(1.0 - error_rate.per_side().get());
    let bound = |z: f64| libm::tanh(z);
    let z = libm::atanh(finite);
    let low = if most < -correlation { -1.0 } else { bound(z - half) };
    let high = if most < correlation { 1.0 } else { bound(z + half) };
    (low.min(correlation), high.max(correlation))
}

/// Returns a / sqrt(b c) for |a| at most that root, exactly 1 if they are equal.
#[expect(clippy::cast_precision_loss, reason = "a relative error of 2^-53 is meant")]
fn ratio(a: i128, b: i128, c: i128) -> f64 {
    if a.abs() == b && b == c {
        return if a < 0 { -1.0 } else { 1.0 };
    }
    (a as f64 / (libm::sqrt(b as f64) * libm::sqrt(c as f64))).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(x: &[f64], y: &[f64]) -> Vec<[f64; 2]> {
        x.iter().zip(y).map(|(x, y)| [*x, *y]).collect()
    }

    fn rank_correlation(x: &[f64], y: &[f64]) -> f64 {
        spearman(&points(x, y), ErrorRate::FIVE_PERCENT).unwrap().mean
    }

    /// Without ties 1 - 6 sum(d^2) / (n^3 - n). Intelligence and hours of television of ten people:
    /// the squares of the differences of ranks add up to 194.
    #[test]
    fn rank_correlations_are_those_of_the_formula() {
        let iq = [106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0];
        let hours = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0];
        let expected = 1.0 - 6.0 * 194.0 / 990.0;
        assert!((rank_correlation(&iq, &hours) - expected).abs() < 1e-12);
        let up = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert!(rank_correlation(&up, &[1.0, 8.0, 27.0, 64.0, 125.0]) >= 1.0);
        assert!(rank_correlation(&up, &[5.0, 4.0, 3.0, 2.0, 1.0]) <= -1.0);
        // Ranks 1, 2.5, 2.5, 4 against 1, 3, 2, 4: 4.5 / sqrt(4.5 * 5).
        let tied = rank_correlation(&[1.0, 2.0, 2.0, 3.0], &[1.0, 3.0, 2.0, 4.0]);
        assert!((tied - 4.5 / libm::sqrt(22.5)).abs() < 1e-12, "{tied}");
    }

    /// r = .6 of 28 points: z = .693147, standard error sqrt(1.18 / 25) = .217256, so z from
    /// .267334 to 1.118960.
    #[test]
    fn intervals_are_those_of_fishers_z() {
        let (low, high) = spearman_bounds(0.6, 28, ErrorRate::FIVE_PERCENT);
        assert!((low - 0.261_141).abs() < 2e-6 && (high - 0.807_207).abs() < 2e-6, "{low} {high}");
        let (low, high) = spearman_bounds(1.0, 10, ErrorRate::FIVE_PERCENT);
        assert!(0.9 < low && low < 0.98 && 1.0 <= high, "{low} {high}");
        let (low, high) = spearman_bounds(-1.0, 10, ErrorRate::FIVE_PERCENT);
        assert!(low <= -1.0 && -0.98 < high && high < -0.9, "{low} {high}");
    }

    #[test]
    fn points_without_a_correlation_are_refused() {
        let check = |points: &[[f64; 2]], expected: &str| {
            let error = spearman(points, ErrorRate::FIVE_PERCENT).unwrap_err();
            assert_eq!(error.to_string(), expected);
        };
        check(&[[0.0, 1.0]; 3], "cannot correlate 3 pairs of numbers, at least 4 are needed");
        check(
            &[[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]],
            "one of two quantities is the same in all pairs: they have no correlation",
        );
        check(&[[0.0, f64::NAN]; 4], "a coordinate is NaN, expected a finite number");
    }

    /// Anscombe's first quartet: r = .81642.
    #[test]
    fn pearsons_correlation_of_a_published_table() {
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        let found = pearson(&points(&x, &y)).unwrap();
        assert!((found - 0.816_42).abs() < 5e-6, "{found}");
        assert_eq!(pearson(&points(&x, &[0.1; 11])), None);
        assert_eq!(pearson(&[]), None);
        assert_eq!(pearson(&[[1.0, 2.0]]), None);
        assert_eq!(pearson(&[[0.0, 0.0], [f64::INFINITY, 1.0]]), None);
    }
}
