//! Words for numbers and names, for descriptions that screen readers read aloud.

use crate::number::with_separators;

/// The most names that a description lists, and the most letters per name.
const MAX_NAMES: usize = 12;
const MAX_LETTERS: usize = 60;

/// Returns the value with three digits or so, such as `0.125`, `61.5` or `1,234,567`; as a power of
/// ten if it is very large or small.
pub(crate) fn number(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude <= 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e9).contains(&magnitude) {
        return format!("{value:.2e}");
    }
    let digits = [(100.0, 0), (10.0, 1), (1.0, 2), (0.1, 3)];
    let digits = digits.into_iter().find(|(least, _)| *least <= magnitude);
    let sign = if value < 0.0 { "-" } else { "" };
    let text = format!("{magnitude:.*}", digits.map_or(6, |(_, digits)| digits));
    if !text.contains('.') {
        return format!("{sign}{}", with_separators(&text));
    }
    format!("{sign}{}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Returns the range of finite `values`, such as `5 to 25`; `no values` if there are none.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> String {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|value| value.is_finite()) {
        low = low.min(value);
        high = high.max(value);
    }
    if high < low {
        return "no values".to_owned();
    }
    if high <= low { number(low) } else { format!("{} to {}", number(low), number(high)) }
}

/// Returns texts in a row with `; ` between them, and the number of left-out items at the end.
pub(crate) fn list(items: impl ExactSizeIterator<Item = String>) -> String {
    let n_more = items.len().saturating_sub(MAX_NAMES);
    let mut listed: Vec<_> = items.take(MAX_NAMES).collect();
    if n_more != 0 {
        listed.push(format!("and {n_more} more"));
    }
    listed.join("; ")
}

/// Returns the beginning of a name that is too long to be read aloud.
pub(crate) fn short(name: &str) -> String {
    shortened(name, MAX_LETTERS)
}

/// Returns a name of `max_letters` at most, with an ellipsis if it is longer.
pub(crate) fn shortened(name: &str, max_letters: usize) -> String {
    if name.chars().count() <= max_letters {
        return name.to_owned();
    }
    let begin: String = name.chars().take(max_letters.saturating_sub(1)).collect();
    format!("{}\u{2026}", begin.trim_end())
}

/// Returns `1 curve`, `2 curves` and so on.
pub(crate) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let check = |value: f64, expected: &str| assert_eq!(number(value), expected);
        check(0.0, "0");
        check(-0.125, "-0.125");
        check(61.5, "61.5");
        check(61.26, "61.3");
        check(100.0, "100");
        check(1000.0, "1,000");
        check(-123_456.0, "-123,456");
        check(1_234_567.0, "1,234,567");
        check(1e100, "1.00e100");
        check(-2e-7, "-2.00e-7");
        check(0.000_5, "0.0005");
    }

    #[test]
    fn lists_and_names_have_a_limit() {
        assert_eq!(range([f64::NAN, 3.0, 1.0].into_iter()), "1 to 3");
        assert_eq!(range([2.0].into_iter()), "2");
        assert_eq!(range([].into_iter()), "no values");
        assert_eq!(list(vec!["a".to_owned(); 2].into_iter()), "a; a");
        assert!(list(vec!["a".to_owned(); 15].into_iter()).ends_with("; a; and 3 more"));
        assert_eq!(short(&"x".repeat(200)).chars().count(), MAX_LETTERS);
        assert_eq!([count(0, "row"), count(1, "row")], ["0 rows", "1 row"]);
    }
}
