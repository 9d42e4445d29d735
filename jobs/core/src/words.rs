//! Numbers in the words of findings: intervals, signs, shares, p-values, cells of tables.
//!
//! Numbers of things and lists are in [`text`](crate::text).

use hatchery_figures::Quantity;

use crate::measure::IntervalEstimate;
use crate::rich_text::RichText;
use crate::text::{grouped, rounded, without_zeros};

impl RichText {
    /// Returns an estimate with this number of decimal places and its interval:
    /// `6.53 (5.50 to 7.70)`.
    #[must_use]
    pub fn estimate(it: IntervalEstimate, digits: usize) -> Self {
        quantity(it.into(), |part| rounded(part, digits), "")
    }

    /// Returns the estimate of a share and its interval in percent: `38.7 % (36.6 to 40.9)`.
    #[must_use]
    pub fn percent(it: IntervalEstimate) -> Self {
        percent_quantity(it.into())
    }
}

/// Returns a cell of a table: a dash for none.
pub fn or_dash(text: Option<impl Into<RichText>>) -> RichText {
    text.map_or_else(|| "-".into(), Into::into)
}

/// Returns a quantity in `unit`, with the interval if the quantity has one:
/// `6.5 points (5.5 to 7.7)`. The unit follows the estimate. `text` writes the numbers.
#[must_use]
pub fn quantity(it: Quantity, text: impl Fn(f64) -> String, unit: &str) -> RichText {
    match it {
        Quantity::Exact(value) => RichText::new(text(value) + unit),
        Quantity::Estimate { value, interval: [low, high] } => {
            RichText::new(text(value) + unit).soft(format!(" ({} to {})", text(low), text(high)))
        }
    }
}

/// Returns a share from 0 to 1 in percent, and its interval, if it has one:
/// `38.7 % (36.6 to 40.9)`.
#[must_use]
pub fn percent_quantity(it: Quantity) -> RichText {
    quantity(it, |part| rounded(100.0 * part, 1), " %")
}

/// Returns a difference of shares in points with signs, and its interval, if it has one:
/// `+1.5 points (-2.0 to +5.0)`.
pub fn points(difference: impl Into<Quantity>) -> RichText {
    quantity(difference.into(), signed_points, " points")
}

/// Returns a difference of shares in points, such as `+1.5`.
#[must_use]
pub fn signed_points(difference: f64) -> String {
    signed(100.0 * difference, 1)
}

/// Returns a share from 0 to 1 in percent, such as `38.7 %`.
#[must_use]
pub fn percent(share: f64, digits: usize) -> String {
    format!("{} %", rounded(100.0 * share, digits))
}

/// Returns the ends of an interval, such as `-2.0 to +5.0`. `text` writes the numbers.
pub fn interval(it: &IntervalEstimate, text: impl Fn(f64) -> String) -> String {
    format!("{} to {}", text(it.low), text(it.high))
}

/// Returns the interval of a share from 0 to 1 in percent, such as `40.0 to 60.0`.
#[must_use]
pub fn percent_interval(it: &IntervalEstimate) -> String {
    interval(it, |part| rounded(100.0 * part, 1))
}

/// Returns a part of a number of things, such as `3 of 1,200`.
pub fn of_all(part: impl TryInto<u64>, all: impl TryInto<u64>) -> String {
    format!("{} of {}", grouped(part), grouped(all))
}

/// Returns a number with its sign, such as `+1.5`. A number that rounds to zero has no sign.
#[must_use]
pub fn signed(number: f64, digits: usize) -> String {
    let text = rounded(number, digits);
    let is_zero = text.chars().all(|c| matches!(c, '0' | '.'));
    if 0.0 < number && !is_zero { format!("+{text}") } else { text }
}

/// Returns a number with at most this number of decimal places, without zeros at the end: `0.25`,
/// `3`.
#[must_use]
pub fn trimmed(number: f64, most_digits: usize) -> String {
    without_zeros(&rounded(number, most_digits))
}

/// Returns a p-value with this number of decimal places, such as `0.036`, or that it is too small
/// for them, such as `< 0.001`.
#[must_use]
pub fn p_value(p: f64, digits: usize) -> String {
    match least_p(p, digits) {
        Some(least) => format!("< {least}"),
        None => rounded(p, digits),
    }
}

/// Returns a p-value in a sentence: `p = 0.036`, or `p < 0.001`.
#[must_use]
pub fn p_words(p: f64, digits: usize) -> String {
    match least_p(p, digits) {
        Some(least) => format!("p < {least}"),
        None => format!("p = {}", rounded(p, digits)),
    }
}

/// Returns the least p-value with this number of decimal places, if `p` is below it.
fn least_p(p: f64, digits: usize) -> Option<String> {
    let zeros = "0".repeat(digits.saturating_sub(1));
    let least = format!("0.{zeros}1");
    least.parse().is_ok_and(|least: f64| p < least).then_some(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGE: IntervalEstimate =
        IntervalEstimate { mean: 0.015, low: -0.02, high: 0.0004, n: 9, confidence: 0.95 };

    #[test]
    fn quantities_have_their_intervals() {
        assert_eq!(points(CHANGE).to_string(), "+1.5 points (-2.0 to 0.0)");
        assert_eq!(points(Quantity::Exact(-0.0004)).to_string(), "0.0 points");
        assert_eq!(percent_quantity(CHANGE.into()).to_string(), "1.5 % (-2.0 to 0.0)");
        assert_eq!(percent_interval(&CHANGE), "-2.0 to 0.0");
        assert_eq!(interval(&CHANGE, |part| rounded(part, 2)), "-0.02 to 0.00");
        assert_eq!(RichText::estimate(CHANGE, 2), RichText::new("0.01").soft(" (-0.02 to 0.00)"));
        assert_eq!([percent(0.387, 1), percent(1.0, 0)], ["38.7 %", "100 %"]);
    }

    #[test]
    fn what_rounds_to_zero_has_no_sign() {
        let signs = [0.0, -0.0, -0.04, 0.04, -10.0, 10.0, 0.06].map(|number| signed(number, 1));
        assert_eq!(signs, ["0.0", "0.0", "0.0", "0.0", "-10.0", "+10.0", "+0.1"]);
        assert_eq!([40.2, -0.4, -3.0].map(|number| signed(number, 0)), ["+40", "0", "-3"]);
    }

    #[test]
    fn zeros_at_the_end_are_left_out() {
        let trimmed = [0.25, 3.0, 0.123_46, 100.0, -0.000_01].map(|number| trimmed(number, 4));
        assert_eq!(trimmed, ["0.25", "3", "0.1235", "100", "0"]);
        assert_eq!(super::trimmed(100.0, 0), "100");
    }

    #[test]
    fn small_p_values_are_not_called_zero() {
        let texts = [0.0357, 0.000_1, 3e-9, 1.0].map(|p| p_value(p, 4));
        assert_eq!(texts, ["0.0357", "0.0001", "< 0.0001", "1.0000"]);
        assert_eq!([0.0357, 3e-9].map(|p| p_words(p, 3)), ["p = 0.036", "p < 0.001"]);
    }

    #[test]
    fn no_number_is_a_dash() {
        assert_eq!(or_dash(None::<String>), "-".into());
        assert_eq!(or_dash(Some(of_all(3_u32, 1_200_u64))), "3 of 1,200".into());
    }
}
