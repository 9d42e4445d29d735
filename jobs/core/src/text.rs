//! Text for people: numbers of things, names in specs, excerpts of text from outside.

use hatchery_figures::number::with_separators;

/// The reason why writing to a string cannot fail.
pub const TAKES_ALL: &str = "a string takes all text";

/// Returns a number of things with its noun, such as `1 pig` or `24,000 games`.
#[must_use]
pub fn counted(n: impl TryInto<u64>, noun: &str) -> String {
    let n = count(n);
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(n))
}

/// Returns a whole number whose thousands are set apart, such as `24,000`.
#[must_use]
pub fn grouped(n: impl TryInto<u64>) -> String {
    with_separators(&count(n).to_string())
}

/// Returns a count as a number of 64 bits, which has room for every count of this program.
fn count(n: impl TryInto<u64>) -> u64 {
    n.try_into().unwrap_or(u64::MAX)
}

/// Returns a time span by its two largest units: `10s`, `4m`, `1h20m`, `3d4h`. A span below ten
/// seconds has a decimal place (`2.4s`); a span below a tenth of a second is in milliseconds.
#[must_use]
pub fn time_span(seconds: f64) -> String {
    const UNITS: [(u64, u64, [&str; 2]); 3] =
        [(86_400, 3_600, ["d", "h"]), (3_600, 60, ["h", "m"]), (60, 1, ["m", "s"])];
    let seconds = seconds.max(0.0);
    if seconds < 0.0995 {
        let ms = rounded(1000.0 * seconds, 0);
        return if ms == "0" { "0s".to_owned() } else { format!("{ms}ms") };
    }
    if seconds < 9.95 {
        return format!("{}s", rounded(seconds, 1).trim_end_matches(".0"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let seconds = libm::round(seconds) as u64;
    let Some((unit, part, names)) = UNITS.into_iter().find(|(unit, ..)| *unit <= seconds) else {
        return format!("{seconds}s");
    };
    match (seconds / unit, seconds % unit / part) {
        (n, 0) => format!("{n}{}", names[0]),
        (n, n_parts) => format!("{n}{}{n_parts}{}", names[0], names[1]),
    }
}

/// Returns a number rounded up to its two leading digits, such as 12,000 for 11,987: for estimates.
#[must_use]
pub const fn leading_digits(n: u64) -> u64 {
    let mut unit = 1;
    while 100 <= n / unit {
        unit *= 10;
    }
    n.div_ceil(unit).saturating_mul(unit)
}

/// Returns a list as text: `a`, `a and b`, or `a, b and c`.
#[must_use]
pub fn joined(items: impl IntoIterator<Item = impl Into<String>>) -> String {
    let mut items: Vec<String> = items.into_iter().map(Into::into).collect();
    match items.pop() {
        Some(last) if !items.is_empty() => format!("{} and {last}", items.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// Returns a number with this number of decimal places. A number that rounds to zero has no sign.
#[must_use]
pub fn rounded(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.chars().all(|c| matches!(c, '0' | '.')) => zero.to_owned(),
        _ => text,
    }
}

/// Returns a number without zeros at the end of its decimal places: `0.5`, `2`.
pub(crate) fn without_zeros(number: &str) -> String {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => number.to_owned(),
    }
}

/// Returns a text as a cell of a table of comma-separated values (RFC 4180).
#[must_use]
pub fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Returns true if `name` is plain: 1 to `longest` letters, digits, `-`, `_` and `.`. Plain names
/// in specs become names in tables, of measures and of files.
#[must_use]
pub fn is_plain_name(name: &str, longest: usize) -> bool {
    (1..=longest).contains(&name.len()) && name.chars().all(is_plain)
}

/// Returns true if a plain name may have `c`.
#[must_use]
pub fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Returns the name in `known` that a person may have meant by `found`: the most similar name, and
/// the first of equally similar names. Returns `None` if no name is similar.
#[must_use]
pub fn closest_name<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// One wrong letter of four leaves 0.75; two of five leave 0.6, as of `games` and `takes`.
    const LEAST_SIMILARITY: f64 = 0.7;
    // Names are short: what is longer is none, and takes time.
    const LONGEST: usize = 200;
    if LONGEST < found.len() {
        return None;
    }
    let similarity = |name| strsim::normalized_damerau_levenshtein(found, name);
    let similar = known.into_iter().map(|name| (name, similarity(name)));
    let mut best: Option<(&str, f64)> = None;
    for (name, similarity) in similar.filter(|it| LEAST_SIMILARITY <= it.1) {
        if best.is_none_or(|(_, other)| other < similarity) {
            best = Some((name, similarity));
        }
    }
    best.map(|(name, _)| name)
}

/// Returns the beginning of a text from outside, in one line of at most 40 characters and without
/// control characters, fit for a message.
#[must_use]
pub fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let mut short = String::new();
    for c in text.chars().take(MAX_CHARS) {
        if c.is_control() { short.extend(c.escape_debug()) } else { short.push(c) }
    }
    if text.chars().nth(MAX_CHARS).is_some() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_with_and() {
        let lists =
            [&[][..], &["a"], &["a", "b"], &["a", "b", "c"]].map(|list| joined(list.to_vec()));
        assert_eq!(lists, ["", "a", "a and b", "a, b and c"]);
    }

    #[test]
    fn numbers_are_read_aloud_without_a_slip() {
        let numbers = [0, 999, 1_000, 1_234_567].map(|n: u64| grouped(n));
        assert_eq!(numbers, ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1, 24_000].map(|n| counted(n, "game")), ["1 game", "24,000 games"]);
        let leading = [0, 99, 101, 11_987, u64::MAX].map(leading_digits);
        assert_eq!(leading, [0, 99, 110, 12_000, u64::MAX]);
        let rounded = [-0.0, -0.04, 0.04, -0.06, -10.04].map(|number| rounded(number, 1));
        assert_eq!(rounded, ["0.0", "0.0", "0.0", "-0.1", "-10.0"]);
    }

    #[test]
    fn things_are_counted() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "pig")), ["0 pigs", "1 pig", "2 pigs"]);
    }

    #[test]
    fn time_spans_have_two_units() {
        let spans = [0.0, -1.0, 0.0004, 0.04, 0.0994].map(time_span);
        assert_eq!(spans, ["0s", "0s", "0s", "40ms", "99ms"]);
        let spans = [0.0995, 2.0, 2.44, 9.94, 9.96, 59.4].map(time_span);
        assert_eq!(spans, ["0.1s", "2s", "2.4s", "9.9s", "10s", "59s"]);
        let spans = [59.6, 61.0, 240.4, 3_599.6, 4_800.0, 4_859.0].map(time_span);
        assert_eq!(spans, ["1m", "1m1s", "4m", "1h", "1h20m", "1h20m"]);
        let spans = [86_399.0, 86_400.0, 277_200.0, f64::MAX].map(time_span);
        assert_eq!(spans, ["23h59m", "1d", "3d5h", "213503982334601d7h"]);
        assert_eq!(time_span(f64::NAN), "0s");
    }

    #[test]
    fn names_are_plain() {
        for name in ["a", "A-1_b.c", &"x".repeat(80)] {
            assert!(is_plain_name(name, 80), "{name}");
        }
        for name in ["", "a b", "a/b", "é", "a\n", &"x".repeat(81)] {
            assert!(!is_plain_name(name, 80), "{name}");
        }
    }

    #[test]
    fn the_closest_name_is_found() {
        let closest = |found: &str| closest_name(found, ["games", "hold_at", "pairs", "pairs_2"]);
        assert_eq!(closest("gmaes"), Some("games"));
        assert_eq!(closest("pair"), Some("pairs"));
        assert_eq!(closest("hold-at"), Some("hold_at"));
        for other in ["", "evaluation", "xyz", &"games".repeat(100)] {
            assert_eq!(closest(other), None, "{other}");
        }
        assert_eq!(closest_name("a", []), None);
    }

    #[test]
    fn excerpts_are_one_short_line() {
        assert_eq!(excerpt("a \"b\"\n\u{7}"), "a \"b\"\\n\\u{7}");
        assert_eq!(excerpt(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(excerpt(&"é".repeat(41)), format!("{}...", "é".repeat(40)));
    }
}
