//! Numbers for people, as figures, pages and terminals write them.

/// Magnitudes below this are written as powers of ten, unless they are 0.
const MIN_FIXED: f64 = 1e-4;

/// Returns a number with about four digits, such as `0.12`, `12.3` or `1,235`; a small one so that
/// it does not read as zero.
#[must_use]
pub fn short(value: f64) -> String {
    let magnitude = value.abs();
    match 0.0 < magnitude && magnitude < MIN_FIXED {
        true => format!("{value:.0e}"),
        false => fixed(value, decimals(value)),
    }
}

/// Returns the ends of the interval of an estimate, with at most as many decimal places as
/// [`short`] gives the estimate itself: `8.0` and `33.6` for 14.5.
#[must_use]
pub fn interval_ends(value: f64, interval: [f64; 2]) -> [String; 2] {
    let most = decimals(value);
    interval.map(|end| if most < decimals(end) { fixed(end, most) } else { short(end) })
}

/// Returns a number without a sign, given by its digits, with its thousands set apart: `1,234.5`.
#[must_use]
pub fn with_separators(number: &str) -> String {
    let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut separated = String::new();
    for (idx, digit) in whole.chars().enumerate() {
        if idx != 0 && (whole.len() - idx).is_multiple_of(3) {
            separated.push(',');
        }
        separated.push(digit);
    }
    separated + fraction
}

/// Returns the number of decimal places that a number is written with.
fn decimals(value: f64) -> usize {
    let magnitude = value.abs();
    if 0.0 < magnitude && magnitude < 0.01 {
        return 4;
    }
    [(10.0, 2), (1000.0, 1)].into_iter().find(|(below, _)| magnitude < *below).map_or(0, |it| it.1)
}

/// Returns a number with this number of decimal places; what rounds to zero has no sign.
fn fixed(value: f64, n_decimals: usize) -> String {
    let text = format!("{:.n_decimals$}", value.abs());
    let is_zero = text.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = if value < 0.0 && !is_zero { "-" } else { "" };
    format!("{sign}{}", with_separators(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let all = [0.123, 12.34, 999.9, 12_345_678.0, -1234.0].map(short);
        assert_eq!(all, ["0.12", "12.3", "999.9", "12,345,678", "-1,234"]);
        let small = [0.0, -0.0, 0.009, 0.000_7, -0.002, 0.000_03].map(short);
        assert_eq!(small, ["0.00", "0.00", "0.0090", "0.0007", "-0.0020", "3e-5"]);
        assert_eq!([f64::INFINITY, f64::NAN].map(short), ["inf", "NaN"]);
    }

    #[test]
    fn ends_are_as_exact_as_the_estimate() {
        assert_eq!(interval_ends(14.5, [8.04, 33.6]), ["8.0", "33.6"]);
        assert_eq!(interval_ends(981.2, [863.0, 1126.0]), ["863.0", "1,126"]);
        assert_eq!(interval_ends(-0.03, [-0.049, -0.0093]), ["-0.05", "-0.01"]);
        assert_eq!(interval_ends(0.5, [-0.000_01, 1.0]), ["0.00", "1.00"]);
        assert_eq!(interval_ends(0.0, [0.0, 9.67]), ["0.00", "9.67"]);
        assert_eq!(interval_ends(0.005, [0.000_03, 0.02]), ["3e-5", "0.02"]);
    }
}
