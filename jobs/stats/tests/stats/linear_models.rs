//! P-values of coefficients of linear models: how often they are small, by simulation with fixed
//! seeds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use hatchery_core::{RunSeed, StreamRng};
use hatchery_stats::LinearModel;

const SAMPLES: u32 = 4000;
/// The margin that coefficients are tested against.
const MARGIN: f64 = 0.5;

/// The sum of twelve uniform numbers is nearly normal.
fn normal(rng: &mut StreamRng) -> f64 {
    (0..12).map(|_| rng.unit_f64()).sum::<f64>() - 6.0
}

/// Returns the p-values of a slope that is `slope` in truth, in samples of `n` rows with two more
/// columns, one correlated with its own.
fn p_values(label: &str, n: u32, slope: f64) -> Vec<f64> {
    let mut rng = RunSeed::new("linear models", 1).generation(0).stream(label);
    let mut sample = || {
        let mut columns = vec![Vec::new(); 3];
        let mut y = Vec::new();
        for idx in 0..n {
            let first = normal(&mut rng);
            let row = [first, first + normal(&mut rng), f64::from(idx % 2)];
            y.push(7.0 + slope * row[0] - 2.0 * row[1] + row[2] + normal(&mut rng));
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
        LinearModel::fit(&y, &columns).unwrap().slopes[0].p_value_above(MARGIN)
    };
    (0..SAMPLES).map(|_| sample()).collect()
}

/// Returns the share of `p_values` that are at most `p`.
fn share(p_values: &[f64], p: f64) -> f64 {
    let below: u32 = p_values.iter().map(|it| u32::from(*it <= p)).sum();
    f64::from(below) / f64::from(SAMPLES)
}

/// At the margin p-values are uniform: shares of 4,000 samples are within 3.5 standard errors but
/// for once in 2,000 cases. Below it, fewer are small.
#[test]
fn p_values_at_the_margin_are_uniform() {
    for n in [8, 20, 100] {
        let at_margin = p_values("null", n, MARGIN);
        for p in [0.01, 0.05, 0.1, 0.5, 0.9] {
            let found = share(&at_margin, p);
            let limit = 3.5 * libm::sqrt(p * (1.0 - p) / f64::from(SAMPLES));
            assert!((found - p).abs() < limit, "{found} instead of {p} for n = {n}");
        }
        assert!(share(&p_values("below", n, MARGIN - 0.3), 0.05) < 0.05, "n = {n}");
    }
}

/// A slope half above the margin is found in 100 rows nine times of ten or more: its standard
/// error is sqrt(2 / 100) = 0.14, so that it is 3.5 standard errors away.
#[test]
fn slopes_above_the_margin_are_found() {
    let found = share(&p_values("above", 100, MARGIN + 0.5), 0.05);
    assert!(0.9 < found, "{found}");
}
