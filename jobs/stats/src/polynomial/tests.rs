//! Fits with known results: exact curves, examples worked by hand, and examples of a paper.

use proptest::prelude::*;

use super::*;
use PolynomialDegree::{Linear, Quadratic};

fn check_close(got: &[f64], expected: &[f64], tolerance: f64) {
    let close = |(got, expected): (&f64, &f64)| (got - expected).abs() <= tolerance;
    assert_eq!(got.len(), expected.len());
    assert!(got.iter().zip(expected).all(close), "{got:?} is not {expected:?}");
}

/// Checks coefficients and R^2, and that values follow from the coefficients.
fn check(fit: &PolynomialFit, coefficients: &[f64], r_squared: f64, tolerance: f64) {
    check_close(&fit.coefficients(), coefficients, tolerance);
    check_close(&[fit.r_squared().unwrap()], &[r_squared], tolerance);
    for x in [-3.0, 0.0, 2.5, 20.0] {
        let horner = |value: f64, coefficient: &f64| value * x + coefficient;
        let value = fit.coefficients().iter().rev().fold(0.0, horner);
        check_close(&[fit.value_at(x)], &[value], 1e-9);
    }
}

#[test]
fn exact_curves_are_found() {
    let places = [-2.0, 4.0, 0.0, 1.0, 7.0];
    let parabola = places.map(|x| (x, 2.0 - 3.0 * x + 0.5 * x * x));
    check(&PolynomialFit::new(&parabola, Quadratic).unwrap(), &[2.0, -3.0, 0.5], 1.0, 1e-12);
    let line = places.map(|x| (x, 4.0 - 0.25 * x));
    check(&PolynomialFit::new(&line, Linear).unwrap(), &[4.0, -0.25], 1.0, 1e-12);
    check(&PolynomialFit::new(&line, Quadratic).unwrap(), &[4.0, -0.25, 0.0], 1.0, 1e-12);
}

/// With u = x - 3 and v = y - 4, both of mean 0: sums of u^2, u v and v^2 are 10, 9 and 10. The
/// line has the slope 9 / 10, passes through (3, 4), and explains 9^2 / (10 x 10).
///
/// The orthogonal parabola on five even places is u^2 - 2 = 2, -1, -2, -1, 2 with the sum of
/// squares 14. Its sum of products with v is -1, which makes its factor -1/14 and adds 1/14 of the
/// 10 to the explained sum: y = 4 + 0.9 u - (u^2 - 2) / 14.
#[test]
fn an_example_worked_by_hand() {
    let points = [(1.0, 2.0), (2.0, 3.0), (3.0, 5.0), (4.0, 4.0), (5.0, 6.0)];
    check(&PolynomialFit::new(&points, Linear).unwrap(), &[1.3, 0.9], 0.81, 1e-12);
    let coefficients = [1.3 - 7.0 / 14.0, 0.9 + 6.0 / 14.0, -1.0 / 14.0];
    let explained = 0.81 + 0.1 / 14.0;
    check(&PolynomialFit::new(&points, Quadratic).unwrap(), &coefficients, explained, 1e-12);
}

/// Anscombe, "Graphs in Statistical Analysis", The American Statistician 27, 1973: the line of the
/// four data sets is y = 3 + 0.5 x with R^2 = 0.667. The second set is on a parabola; its
/// coefficients here come from numpy.polyfit.
#[test]
fn the_line_of_the_quartet() {
    let places = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
    let first = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
    let second = [9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74];
    for values in [first, second] {
        let points: Vec<_> = places.into_iter().zip(values).collect();
        check(&PolynomialFit::new(&points, Linear).unwrap(), &[3.0, 0.5], 0.667, 1e-3);
    }
    let points: Vec<_> = places.into_iter().zip(second).collect();
    let parabola = PolynomialFit::new(&points, Quadratic).unwrap();
    check_close(&parabola.coefficients(), &[-5.995_734_27, 2.780_839_16, -0.126_713_29], 1e-8);
    check_close(&[parabola.r_squared().unwrap()], &[0.999_999_457_857_722], 1e-12);
}

/// The mean of n observations has 1/sqrt(n) of their standard error, and the weight of n.
#[test]
fn weights_count_like_repeated_points() {
    let once = [(0.0, 1.0, 4), (1.0, 3.0, 1), (3.0, 2.0, 9), (4.0, 7.0, 1), (6.0, -1.0, 16)];
    let weighted = once.map(|(x, y, n)| {
        let standard_error = 0.3 / libm::sqrt(f64::from(n));
        WeightedPoint { x, y, standard_error }
    });
    let repeated: Vec<_> = once
        .iter()
        .flat_map(|&(x, y, n)| std::iter::repeat_n((x, y), usize::try_from(n).unwrap()))
        .collect();
    for degree in [Linear, Quadratic] {
        let expected = PolynomialFit::new(&repeated, degree).unwrap();
        let got = PolynomialFit::weighted(&weighted, degree).unwrap();
        check(&got, &expected.coefficients(), expected.r_squared().unwrap(), 1e-12);
    }
}

/// The point that counts most is not the first.
#[test]
fn very_unequal_weights_lose_little() {
    let points = [(0.0, 3.0, 1e6), (1.0, 700.0, 1.0), (5.0, -4.0, 1e6), (6.0, 8.0, 1e3)];
    let points = points.map(|(x, y, standard_error)| WeightedPoint { x, y, standard_error });
    let parabola = PolynomialFit::weighted(&points[..3], Quadratic).unwrap();
    for WeightedPoint { x, y, .. } in &points[..3] {
        check_close(&[parabola.value_at(*x)], &[*y], 1e-9);
    }
    let line = PolynomialFit::weighted(&points[1..=3], Linear).unwrap();
    // Almost the line through (1, 700) and (6, 8); the other point has next to no weight.
    check_close(&[line.value_at(1.0), line.value_at(6.0)], &[700.0, 8.0], 1e-2);
}

#[test]
fn a_curve_passes_through_as_few_points_as_it_needs() {
    let points = [(1.0, 5.0), (2.0, -1.0), (4.0, 3.0)];
    let parabola = PolynomialFit::new(&points, Quadratic).unwrap();
    for (x, y) in points {
        check_close(&[parabola.value_at(x)], &[y], 1e-12);
    }
    check_close(&[parabola.r_squared().unwrap()], &[1.0], 1e-12);
}

#[test]
fn equal_values_leave_nothing_to_explain() {
    let points = [1.0, 2.0, 3.0, 5.0].map(|x| (x, 0.1));
    for (degree, coefficients) in [(Linear, &[0.1, 0.0][..]), (Quadratic, &[0.1, 0.0, 0.0])] {
        let level = PolynomialFit::new(&points, degree).unwrap();
        check_close(&level.coefficients(), coefficients, 0.0);
        assert_eq!(level.r_squared(), None);
    }
}

/// Years and seconds since 1970 are far from 0, and close together.
#[test]
fn places_far_from_zero_lose_little() {
    let points = [0.0, 1.0, 2.0, 3.0].map(|t| (1.7e9 + t, t * t));
    let parabola = PolynomialFit::new(&points, Quadratic).unwrap();
    check_close(&[parabola.value_at(1.7e9 + 5.0)], &[25.0], 1e-9);
    let huge = [(-1e50, 1e50), (0.0, -1e50), (1e50, 1e50)];
    let parabola = PolynomialFit::new(&huge, Quadratic).unwrap();
    assert!(parabola.coefficients().iter().all(|coefficient| coefficient.is_finite()));
    let narrow = PolynomialFit::new(&[(0.0, 1e50), (1e-49, -1e50)], Linear).unwrap();
    assert!(narrow.coefficients().iter().all(|coefficient| coefficient.is_finite()));
}

#[test]
fn points_without_a_curve_are_refused() {
    let check = |points: &[(f64, f64)], degree, expected| {
        assert_eq!(PolynomialFit::new(points, degree).unwrap_err(), expected);
    };
    check(&[], Linear, StatsError::TooFewPoints { n: 0, needed: 2 });
    check(&[(1.0, 1.0)], Linear, StatsError::TooFewPoints { n: 1, needed: 2 });
    check(&[(1.0, 1.0), (2.0, 1.0)], Quadratic, StatsError::TooFewPoints { n: 2, needed: 3 });
    let equal = [(7.0, 1.0), (7.0, 2.0), (7.0, 3.0)];
    check(&equal, Linear, StatsError::TooFewPlaces { places: 1, needed: 2 });
    let two = [(7.0, 1.0), (8.0, 2.0), (7.0 + 1e-9, 3.0)];
    check(&two, Quadratic, StatsError::TooFewPlaces { places: 2, needed: 3 });
    let denormal = [(0.0, 1.0), (f64::from_bits(1), 2.0)];
    check(&denormal, Linear, StatsError::TooFewPlaces { places: 1, needed: 2 });
    for value in [f64::NAN, f64::INFINITY, -1e51] {
        for points in [[(0.0, 1.0), (value, 1.0)], [(0.0, value), (1.0, 1.0)]] {
            let error = PolynomialFit::new(&points, Linear).unwrap_err();
            assert!(matches!(error, StatsError::OutOfRange { .. }), "{error}");
        }
    }
    let error = PolynomialFit::new(&[(0.0, 1.0), (1e51, 1.0)], Linear).unwrap_err();
    let message = format!("x is 1{}, expected a number from -1e50 to 1e50", "0".repeat(51));
    assert_eq!(error.to_string(), message);
}

#[test]
fn standard_errors_without_a_weight_are_refused() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 2e6] {
        let points = [1.0, value].map(|it| WeightedPoint { x: it, y: 0.0, standard_error: it });
        let error = PolynomialFit::weighted(&points, Linear).unwrap_err();
        let is_expected = matches!(error, StatsError::OutOfRange { name: "standard error", .. });
        assert!(is_expected, "{value}: {error}");
    }
}

proptest! {
    /// The deviations of the best curve are orthogonal to 1, x and x^2, and a parabola explains at
    /// least as much as a line.
    #[test]
    fn deviations_are_orthogonal_to_what_is_fitted(
        values in prop::collection::vec((-10.0..10.0_f64, 0.1..5.0_f64), 3..12),
    ) {
        let points: Vec<_> = (0_i32..)
            .zip(values)
            .map(|(idx, (y, standard_error))| {
                let x = f64::from(idx);
                WeightedPoint { x, y, standard_error }
            })
            .collect();
        let line = PolynomialFit::weighted(&points, Linear).unwrap();
        let parabola = PolynomialFit::weighted(&points, Quadratic).unwrap();
        for (fit, powers) in [(&line, 2), (&parabola, 3)] {
            for power in 0..powers {
                let term = |point: &WeightedPoint| {
                    let power = (0..power).fold(1.0, |value, _| value * point.x);
                    let weight = 1.0 / (point.standard_error * point.standard_error);
                    weight * power * (point.y - fit.value_at(point.x))
                };
                let sum: f64 = points.iter().map(term).sum();
                prop_assert!(sum.abs() < 1e-7, "{sum} for x^{power}");
            }
        }
        let [line, parabola] = [line, parabola].map(|fit| fit.r_squared().unwrap());
        prop_assert!(line <= parabola + 1e-12);
    }
}
