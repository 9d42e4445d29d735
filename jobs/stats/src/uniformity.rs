//! Tests that all outcomes are equally likely.

use crate::chi_square;
use crate::count::to_f64;
use crate::multinomial::OutcomeCounts;

/// The result of a chi-square test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquareResult {
    /// The statistic, at least 0.
    pub statistic: f64,
    /// The degrees of freedom of the statistic's chi-square distribution if outcomes are equally
    /// likely.
    pub degrees: u32,
    /// The probability of a statistic at least as large if outcomes are equally likely.
    pub p_value: f64,
}

/// Performs Pearson's chi-square test (Pearson 1900): the sum of (observed - expected)^2 /
/// expected.
///
/// With k outcomes and n trials the statistic is k^2 n times the variance of the shares. The
/// p-value is accurate from 5 expected trials per outcome on (Cochran, "Some methods for
/// strengthening the common chi-square tests", Biometrics 10, 1954).
#[must_use]
pub fn pearson_test(counts: OutcomeCounts<'_>) -> ChiSquareResult {
    let (statistic, degrees) = (counts.scaled_variance() / to_f64(counts.n()), counts.k() - 1);
    ChiSquareResult {
        statistic,
        degrees,
        p_value: chi_square::survival(f64::from(degrees), statistic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seats of Szita, Chaslot & Spronck, "Monte-Carlo tree search in Settlers of Catan", table 1:
    /// the win rates are 122, 92, 93, 94 of 401 and 80, 106, 107, 97 of 390 games.
    #[test]
    fn published_seat_tables_are_not_significant() {
        for (counts, statistic, p) in
            [([122, 92, 93, 94], 6.31, 0.097), ([80, 106, 107, 97], 4.81, 0.19)]
        {
            let counts = OutcomeCounts::new(&counts).unwrap();
            let got = pearson_test(counts);
            assert!((got.statistic - statistic).abs() < 5e-3, "{got:?}");
            assert!((got.p_value - p).abs() < 5e-3, "{got:?}");
            assert_eq!(got.degrees, 3);
        }
    }

    #[test]
    fn equal_counts_are_as_even_as_can_be() {
        let got = pearson_test(OutcomeCounts::new(&[7; 5]).unwrap());
        assert!(got.statistic <= 0.0 && 1.0 <= got.p_value, "{got:?}");
    }
}
