//! Tests that all outcomes are equally likely.

use crate::chi_square;
use crate::multinomial::{OutcomeCounts, to_f64};

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
    test(counts, counts.scaled_variance() / to_f64(counts.n()))
}

/// Performs the likelihood ratio test (Wilks 1938), G: twice the sum of observed x log(observed /
/// expected).
#[must_use]
pub fn g_test(counts: OutcomeCounts<'_>) -> ChiSquareResult {
    let expected = to_f64(counts.n()) / f64::from(counts.k());
    let term = |count| match count {
        0 => 0.0,
        _ => to_f64(count) * libm::log(to_f64(count) / expected),
    };
    test(counts, (2.0 * counts.iter().map(term).sum::<f64>()).max(0.0))
}

fn test(counts: OutcomeCounts<'_>, statistic: f64) -> ChiSquareResult {
    let degrees = counts.k() - 1;
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
    /// the win rates are those of 122, 92, 93, 94 of 401 and 80, 106, 107, 97 of 390 games.
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
            assert!((g_test(counts).statistic - statistic).abs() < 0.3);
        }
    }

    /// G by hand: 2 (6 log(6/4) + 2 log(2/4)).
    #[test]
    fn g_by_hand() {
        let got = g_test(OutcomeCounts::new(&[6, 2]).unwrap());
        assert!((got.statistic - 2.092_992).abs() < 1e-6, "{got:?}");
        let all_one = g_test(OutcomeCounts::new(&[10, 0]).unwrap());
        assert!((all_one.statistic - 20.0 * core::f64::consts::LN_2).abs() < 1e-12);
    }

    #[test]
    fn equal_counts_are_as_even_as_can_be() {
        for test in [pearson_test, g_test] {
            let got = test(OutcomeCounts::new(&[7; 5]).unwrap());
            assert!(got.statistic <= 0.0 && 1.0 <= got.p_value, "{got:?}");
        }
    }
}
