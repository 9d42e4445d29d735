//! Linear models of several quantities, by ordinary least squares.
//!
//! Each y is b0 + b1 x1 + ... + bp xp and a normal deviation of mean 0, independent of the others
//! and of the same variance for all (Draper & Smith, *Applied Regression Analysis*, 1998, ch. 5).
//! With the columns X, n rows, p columns and s^2 = (sum of squared residuals) / (n - p - 1),
//! coefficient bj has the variance s^2 ((X'X)^-1)jj, and (bj - its true value) / its standard error
//! has Student's t distribution with n - p - 1 degrees of freedom.
//!
//! Columns are moved to a mean of 0 and scaled to the same length, then made orthogonal one after
//! the other: X'X, which has half of the digits, is never computed.

use crate::count::to_f64;
use crate::error::StatsError;
use crate::orthogonal_basis::{OrthogonalBasis, add_multiple, dot};
use crate::student;
use crate::welch::StandardError;

/// The largest magnitude of numbers: their products stay finite.
const MAX_VALUE: f64 = 1e50;
/// A column counts as a sum of multiples of the columns before it if this part or less remains: the
/// remainder is mainly rounding errors.
const MIN_INDEPENDENCE: f64 = 1e-8;
/// A column is constant if no deviation from its mean is larger than this part of the mean, or than
/// this: quotients of the largest numbers by it stay finite, and so do their squares.
const MIN_RELATIVE_DEVIATION: f64 = 1e-12;
const MIN_DEVIATION: f64 = 1e-50;

/// The linear model of y with the least sum of squared residuals.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearModel {
    /// The y where all columns are 0.
    pub intercept: LinearCoefficient,
    /// The coefficients of the columns, in order.
    pub slopes: Vec<LinearCoefficient>,
    /// The estimated variance of y about the model, s^2.
    pub residual_variance: f64,
    /// The degrees of freedom of that estimate: rows minus coefficients, at least 1.
    pub degrees: u64,
}

/// A coefficient of a linear model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearCoefficient {
    /// The estimate.
    pub value: f64,
    /// Its standard error, with the degrees of freedom of the model.
    pub error: StandardError,
}

impl LinearModel {
    /// Fits the model to the numbers `y` and to `columns`, which each have a number for each y.
    ///
    /// # Errors
    /// If there are not at least two more numbers than columns, a column has more or fewer numbers,
    /// a number is not of magnitude 1e50 at most, or a column is constant or a sum of multiples of
    /// earlier columns and of a constant.
    pub fn fit(y: &[f64], columns: &[Vec<f64>]) -> Result<Self, StatsError> {
        check_input(y, columns)?;
        let mut basis = OrthogonalBasis::default();
        let mut centered = Vec::with_capacity(columns.len());
        for (idx, values) in columns.iter().enumerate() {
            let collinear = || StatsError::CollinearColumn { column: idx };
            let column = CenteredColumn::of(values).ok_or_else(collinear)?;
            let split = basis.split(&column.unit);
            if dot(&split.rest, &split.rest) <= MIN_INDEPENDENCE * MIN_INDEPENDENCE {
                return Err(collinear());
            }
            basis.push(split);
            centered.push(column);
        }
        let (mean, deviations) = center(y);
        let split = basis.split(&deviations);
        let factors = basis.solve(&split.along);
        let degrees = (y.len() - columns.len() - 1) as u64;
        let residual_variance = dot(&split.rest, &split.rest) / to_f64(degrees);
        let coefficient = |value, variance| LinearCoefficient {
            value,
            error: StandardError { value: libm::sqrt(residual_variance * variance), degrees },
        };
        let variances = Variances::of(&basis, &centered, y.len());
        let slopes = factors.iter().zip(&centered).zip(variances.slopes);
        let slopes =
            slopes.map(|((factor, it), variance)| coefficient(factor / it.scale, variance));
        let slopes: Vec<LinearCoefficient> = slopes.collect();
        let at_means: f64 = slopes.iter().zip(&centered).map(|(it, of)| it.value * of.mean).sum();
        let intercept = coefficient(mean - at_means, variances.intercept);
        Ok(Self { intercept, slopes, residual_variance, degrees })
    }
}

impl LinearCoefficient {
    /// Returns Student's t of the hypothesis that the coefficient is `margin`: its distance from it
    /// in standard errors; 0 if nothing varies.
    #[must_use]
    pub fn t_statistic(&self, margin: f64) -> f64 {
        if self.error.value <= 0.0 { 0.0 } else { (self.value - margin) / self.error.value }
    }

    /// Returns the probability of an estimate at least as large if the coefficient is at most
    /// `margin`, whatever it is then: small if it is larger. 1 if nothing varies.
    #[must_use]
    pub fn p_value_above(&self, margin: f64) -> f64 {
        if self.error.value <= 0.0 {
            return 1.0;
        }
        student::cdf(-self.t_statistic(margin), self.error.degrees).clamp(0.0, 1.0)
    }
}

/// Variances of coefficients, in units of the variance of y about the model.
struct Variances {
    intercept: f64,
    slopes: Vec<f64>,
}

impl Variances {
    /// Computes the variances from the inverse of R: with X = Q R, (X'X)^-1 is the product of that
    /// inverse and its transpose.
    fn of(basis: &OrthogonalBasis, columns: &[CenteredColumn], n: usize) -> Self {
        let p = columns.len();
        let (mut slopes, mut intercept) = (vec![0.0; p], 1.0 / to_f64(n as u64));
        for idx in 0..p {
            let mut unit = vec![0.0; p];
            unit[idx] = 1.0;
            let mut at_means = 0.0;
            let inverse = basis.solve(&unit);
            for ((sum, factor), column) in slopes.iter_mut().zip(inverse).zip(columns) {
                let slope = factor / column.scale;
                *sum += slope * slope;
                at_means += slope * column.mean;
            }
            intercept += at_means * at_means;
        }
        Self { intercept, slopes }
    }
}

/// A column that has been moved to a mean of 0 and scaled to length 1.
struct CenteredColumn {
    unit: Vec<f64>,
    mean: f64,
    /// The correction factor for `unit`, which is too small.
    scale: f64,
}

impl CenteredColumn {
    /// Returns `None` if the values are all the same.
    fn of(values: &[f64]) -> Option<Self> {
        let (mean, mut unit) = center(values);
        let largest = unit.iter().fold(0.0_f64, |most, it| it.abs().max(most));
        if largest <= MIN_DEVIATION.max(MIN_RELATIVE_DEVIATION * mean.abs()) {
            return None;
        }
        // Squares of parts of the largest number are neither too large nor too small for floats.
        unit.iter_mut().for_each(|value| *value /= largest);
        let length = libm::sqrt(dot(&unit, &unit));
        unit.iter_mut().for_each(|value| *value /= length);
        Some(Self { unit, mean, scale: length * largest })
    }
}

/// Returns the mean and the deviations from it.
fn center(values: &[f64]) -> (f64, Vec<f64>) {
    let (mut mean, mut deviations) = (0.0, values.to_vec());
    // The second pass finds what rounding left in the first.
    for _ in 0..2 {
        let left = deviations.iter().sum::<f64>() / to_f64(values.len() as u64);
        mean += left;
        add_multiple(&mut deviations, -left, &vec![1.0; values.len()]);
    }
    (mean, deviations)
}

fn check_input(y: &[f64], columns: &[Vec<f64>]) -> Result<(), StatsError> {
    let (n, needed) = (y.len(), columns.len() + 2);
    if n < needed {
        return Err(StatsError::TooFewRows { n, needed });
    }
    for (column, length) in columns.iter().map(Vec::len).enumerate() {
        if length != n {
            return Err(StatsError::ColumnMismatch { column, length, expected: n });
        }
    }
    let is_invalid = |value: &&f64| MAX_VALUE < value.abs() || value.is_nan();
    let named =
        [("y", y)].into_iter().chain(columns.iter().map(|it| ("a column's number", &it[..])));
    for (name, values) in named {
        if let Some(&value) = values.iter().find(is_invalid) {
            return Err(StatsError::OutOfRange {
                name,
                value,
                range: "a number from -1e50 to 1e50",
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
