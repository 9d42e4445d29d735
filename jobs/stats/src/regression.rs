//! A straight line through points, from sums.

/// Exact sums over points (x, y) with whole, non-negative coordinates, from which a line is fitted.
/// The slope does not depend on where the coordinates are counted from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegressionSums {
    /// The number of points.
    pub n: u64,
    /// The sum of x.
    pub x: u64,
    /// The sum of y.
    pub y: u64,
    /// The sum of x squared.
    pub xx: u64,
    /// The sum of x times y.
    pub xy: u64,
}

impl RegressionSums {
    /// Returns the slope of y on x by least squares, (n Sxy - Sx Sy) / (n Sxx - Sx^2) (Draper &
    /// Smith, *Applied Regression Analysis*, 1998, §1.2), computed exactly up to the division.
    /// `None` if fewer than two values of x differ, or there are no points.
    #[must_use]
    pub fn slope(&self) -> Option<f64> {
        let [n, x, y, xx, xy] = [self.n, self.x, self.y, self.xx, self.xy].map(u128::from);
        let spread = (n * xx).checked_sub(x * x).filter(|&spread| spread != 0)?;
        let (both, means) = (n * xy, x * y);
        let size = ratio(both.abs_diff(means), spread);
        Some(if both < means { -size } else { size })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a relative error of 2^-53 is meant")]
fn ratio(numerator: u128, denominator: u128) -> f64 {
    numerator as f64 / denominator as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(points: &[(u64, u64)]) -> RegressionSums {
        let sum = |term: fn(u64, u64) -> u64| points.iter().map(|&(x, y)| term(x, y)).sum();
        RegressionSums {
            n: points.len() as u64,
            x: sum(|x, _| x),
            y: sum(|_, y| y),
            xx: sum(|x, _| x * x),
            xy: sum(|x, y| x * y),
        }
    }

    fn check(points: &[(u64, u64)], expected: Option<f64>) {
        assert_eq!(sums(points).slope(), expected, "{points:?}");
    }

    #[test]
    fn slopes_are_those_of_the_closed_form() {
        check(&[(0, 3), (1, 5), (2, 7)], Some(2.0));
        check(&[(10, 7), (11, 5), (12, 3)], Some(-2.0));
        check(&[(0, 4), (9, 4)], Some(0.0));
        // The products of the deviations from 2.5 and 4.25 add up to 6.5, the squares to 5.
        check(&[(1, 2), (2, 4), (3, 5), (4, 6)], Some(1.3));
        let large = 1 << 31;
        check(&[(large, large), (large + 1, large + 3)], Some(3.0));
    }

    #[test]
    fn equal_points_have_no_slope() {
        check(&[], None);
        check(&[(3, 1)], None);
        check(&[(3, 1), (3, 9)], None);
        // No points have these sums.
        assert_eq!(RegressionSums { n: 1, x: 9, y: 0, xx: 80, xy: 0 }.slope(), None);
    }
}
