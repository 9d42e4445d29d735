//! Straight lines and parabolas through points, by least squares.
//!
//! Sums run over polynomials that are orthogonal on the points (Forsythe, "Generation and use of
//! orthogonal polynomials for data-fitting with a digital computer", Journal of the SIAM 5, 1957):
//! with t for x moved and scaled to the range from -1 to 1, w for the weight of a point, and
//! <f, g> for the sum of w f(t) g(t) over the points,
//!
//! ```text
//! p0 = 1,  p1 = t - a0,  p2 = (t - a1) p1 - b p0
//! a0 = <t p0, p0> / <p0, p0>,  a1 = <t p1, p1> / <p1, p1>,  b = <p1, p1> / <p0, p0>
//! ```
//!
//! and the best curve is the sum of ck pk with ck = <y, pk> / <pk, pk>, where y may be the
//! remainder of y after the polynomials before pk. No system of equations has to be solved, and far
//! less is lost to rounding than with powers of x.

use crate::error::StatsError;

/// The largest magnitude of x and y: their products stay finite.
const MAX_VALUE: f64 = 1e50;
/// Points have equal x if all lie within twice this.
const MIN_HALF_RANGE: f64 = 1e-50;
/// Two x that are closer than this share of the range of x count as equal.
const MIN_GAP: f64 = 1e-6;
/// Standard errors may differ by this factor: weights beyond it lose the points to rounding.
const MAX_ERROR_RATIO: f64 = 1e6;

/// The degree of a fitted polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolynomialDegree {
    /// A straight line.
    Linear,
    /// A parabola.
    Quadratic,
}

impl PolynomialDegree {
    /// Returns the number of coefficients: the degree plus one.
    const fn coefficients(self) -> usize {
        match self {
            Self::Linear => 2,
            Self::Quadratic => 3,
        }
    }
}

/// A point with the uncertainty of its y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedPoint {
    /// The place, known exactly.
    pub x: f64,
    /// The value observed there.
    pub y: f64,
    /// The standard error of `y`, above 0.
    pub standard_error: f64,
}

/// The polynomial of a degree with the least sum of squared deviations from points.
#[derive(Clone, Debug, PartialEq)]
pub struct PolynomialFit {
    scale: UnitScale,
    basis: OrthogonalBasis,
    /// The factors of the basis, one per coefficient of the polynomial.
    factors: Vec<f64>,
    r_squared: Option<f64>,
}

impl PolynomialFit {
    /// Fits a polynomial of `degree` to `points`, each (x, y), all with the same weight: ordinary
    /// least squares.
    ///
    /// If the number of different x equals the number of coefficients, 2 or 3, the curve passes
    /// through the mean at each x.
    ///
    /// # Errors
    /// If there are fewer points than coefficients, or fewer different x among them (two x that are
    /// closer than a millionth of the range count as equal), or a value is not a number of
    /// magnitude 1e50 at most.
    pub fn new(points: &[(f64, f64)], degree: PolynomialDegree) -> Result<Self, StatsError> {
        Self::of(points.iter().map(|&(x, y)| Observation { x, y, weight: 1.0 }).collect(), degree)
    }

    /// Fits a polynomial of `degree` to `points`, each weighted with 1 / standard error squared:
    /// the most likely one, if deviations are normal (Draper & Smith, *Applied Regression
    /// Analysis*, 3rd edition, 1998, §9.2).
    ///
    /// # Errors
    /// As [`PolynomialFit::new`], or if a standard error is not positive, not finite, or more than
    /// a million times the smallest.
    pub fn weighted(
        points: &[WeightedPoint],
        degree: PolynomialDegree,
    ) -> Result<Self, StatsError> {
        let least = least_error(points)?;
        let weighted = points.iter().map(|&WeightedPoint { x, y, standard_error }| {
            let precision = least / standard_error;
            Observation { x, y, weight: precision * precision }
        });
        Self::of(weighted.collect(), degree)
    }

    fn of(mut points: Vec<Observation>, degree: PolynomialDegree) -> Result<Self, StatsError> {
        let needed = degree.coefficients();
        let Some(&Observation { y: origin, .. }) =
            points.first().filter(|_| needed <= points.len())
        else {
            return Err(StatsError::TooFewPoints { n: points.len(), needed });
        };
        for &Observation { x, y, .. } in &points {
            check_value("x", x)?;
            check_value("y", y)?;
        }
        let scale = UnitScale::around(&points);
        for point in &mut points {
            point.x = scale.position(point.x);
            // Equal y become exactly 0, and so do all deviations.
            point.y -= origin;
        }
        let places = if scale.half < MIN_HALF_RANGE { 1 } else { count_places(&points) };
        if places < needed {
            return Err(StatsError::TooFewPlaces { places, needed });
        }
        let basis = OrthogonalBasis::on(&points);
        let (mut factors, mut squares) = (Vec::new(), Vec::new());
        for k in 0..needed {
            let polynomial = |point: &Observation| basis.at(point.x)[k];
            let factor = sum(&points, |point| point.y * polynomial(point))
                / sum(&points, |point| polynomial(point) * polynomial(point));
            // The next factor is that of what is left, which rounding spoils less.
            points.iter_mut().for_each(|point| point.y -= factor * polynomial(point));
            factors.push(factor);
            squares.push(sum(&points, |point| point.y * point.y));
        }
        factors[0] += origin;
        let r_squared = match squares[..] {
            // The first polynomial is the mean.
            [total, .., rest] if 0.0 < total => Some((1.0 - rest / total).clamp(0.0, 1.0)),
            _ => None,
        };
        Ok(Self { scale, basis, factors, r_squared })
    }

    /// Returns the coefficients of 1, x and, for a parabola, x^2.
    #[must_use]
    pub fn coefficients(&self) -> Vec<f64> {
        let UnitScale { middle, half } = self.scale;
        let OrthogonalBasis { a0, a1, b } = self.basis;
        // p1 = (x - u) / half and p2 = (x - v) (x - u) / half^2 - b
        let [u, v] = [a0, a1].map(|zero| middle + half * zero);
        match self.factors[..] {
            [c0, c1, c2] => {
                let [c1, square] = [c1 / half, c2 / half / half];
                vec![c0 - c1 * u + square * u * v - c2 * b, c1 - square * (u + v), square]
            }
            [c0, c1] => vec![c0 - c1 / half * u, c1 / half],
            _ => Vec::new(),
        }
    }

    /// Returns the curve's value at `x`. It is not finite if `x` is not, or so far from the points
    /// that the value exceeds the range of a float.
    #[must_use]
    pub fn value_at(&self, x: f64) -> f64 {
        let values = self.basis.at(self.scale.position(x));
        values.iter().zip(&self.factors).map(|(value, factor)| value * factor).sum()
    }

    /// Returns R^2, the share of the (weighted) squared deviations of y from its (weighted) mean
    /// that the curve explains, from 0 to 1 (Draper & Smith, §1.3); `None` if all y are equal.
    #[must_use]
    pub fn r_squared(&self) -> Option<f64> {
        self.r_squared
    }
}

/// A point and its weight, above 0 and at most 1.
#[derive(Clone, Copy, Debug)]
struct Observation {
    x: f64,
    y: f64,
    weight: f64,
}

/// The map of the range of x to -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct UnitScale {
    middle: f64,
    half: f64,
}

impl UnitScale {
    fn around(points: &[Observation]) -> Self {
        let low = points.iter().map(|point| point.x).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(|point| point.x).fold(f64::NEG_INFINITY, f64::max);
        Self { middle: f64::midpoint(low, high), half: (high - low) / 2.0 }
    }

    fn position(self, x: f64) -> f64 {
        (x - self.middle) / self.half
    }
}

/// The polynomials p0, p1 and p2 of the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OrthogonalBasis {
    a0: f64,
    a1: f64,
    b: f64,
}

impl OrthogonalBasis {
    /// Returns the basis that is orthogonal on `points`, whose x are from -1 to 1 and differ.
    fn on(points: &[Observation]) -> Self {
        let weight = sum(points, |_| 1.0);
        let a0 = sum(points, |point| point.x) / weight;
        let square = |point: &Observation| (point.x - a0) * (point.x - a0);
        let norm = sum(points, square);
        let a1 = sum(points, |point| point.x * square(point)) / norm;
        Self { a0, a1, b: norm / weight }
    }

    /// Returns the values of the three polynomials.
    fn at(self, t: f64) -> [f64; 3] {
        let first = t - self.a0;
        [1.0, first, (t - self.a1) * first - self.b]
    }
}

/// Returns the smallest standard error of `points`, if all are valid.
fn least_error(points: &[WeightedPoint]) -> Result<f64, StatsError> {
    let errors = || points.iter().map(|point| point.standard_error);
    let least = errors().fold(f64::INFINITY, f64::min);
    let is_number = |error: f64| 0.0 < error && error.is_finite();
    let is_alike = |error: f64| error / MAX_ERROR_RATIO <= least;
    let invalid = errors()
        .find(|&error| !is_number(error))
        .or_else(|| errors().find(|&error| !is_alike(error)));
    match invalid {
        None => Ok(least),
        Some(value) => Err(StatsError::OutOfRange {
            name: "standard error",
            value,
            range: "positive and at most a million times the smallest",
        }),
    }
}

fn check_value(name: &'static str, value: f64) -> Result<(), StatsError> {
    if value.abs() <= MAX_VALUE {
        return Ok(());
    }
    Err(StatsError::OutOfRange { name, value, range: "a number from -1e50 to 1e50" })
}

/// Returns the weighted sum of `term` over `points`.
fn sum(points: &[Observation], term: impl Fn(&Observation) -> f64) -> f64 {
    points.iter().map(|point| point.weight * term(point)).sum()
}

/// Returns the number of different x, which are from -1 to 1.
fn count_places(points: &[Observation]) -> usize {
    let mut places: Vec<f64> = points.iter().map(|point| point.x).collect();
    places.sort_by(f64::total_cmp);
    1 + places.windows(2).filter(|pair| 2.0 * MIN_GAP <= pair[1] - pair[0]).count()
}

#[cfg(test)]
mod tests;
