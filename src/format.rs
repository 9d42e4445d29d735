//! Numbers, times, bytes and paths as text for people.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use console::measure_text_width;
use hatchery_coordinator::run::time_left::TimeRange;
use hatchery_core::text::{grouped, time_span};
use hatchery_core::{IntervalEstimate, MeasureValue};
use hatchery_figures::number::interval_ends;

use crate::terminal::{escape_line, is_control};

pub(crate) use hatchery_figures::number::short;

/// Formats a measure without its uncertainty: counts as they are, other numbers as [`short`].
pub(crate) fn measured(value: MeasureValue) -> String {
    match value {
        MeasureValue::Count(count) => grouped(count),
        MeasureValue::Number(_) | MeasureValue::Estimate(_) => short(value.point()),
    }
}

/// Formats a measure, and the interval of an estimate with its confidence unless that is 95 %.
pub(crate) fn measured_with_interval(value: MeasureValue) -> (String, Option<String>) {
    let interval = match value {
        MeasureValue::Count(_) | MeasureValue::Number(_) => None,
        MeasureValue::Estimate(IntervalEstimate { mean, low, high, confidence, .. }) => {
            let [low, high] = interval_ends(mean, [low, high]);
            let percent = format!("{:.1}", 100.0 * confidence);
            let percent = percent.trim_end_matches(".0");
            let other = if percent == "95" { String::new() } else { format!(" ({percent} %)") };
            Some(format!("{low} to {high}{other}"))
        }
    };
    (measured(value), interval)
}

/// Returns `words` with a capital letter at first.
pub(crate) fn capitalized(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

/// The columns of lines of words, which fit the narrowest usual terminal.
const LINE_COLUMNS: usize = 80;

/// Breaks words into lines of a terminal.
pub(crate) fn wrapped(words: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line)
                if measure_text_width(line) + 1 + measure_text_width(word) <= LINE_COLUMNS =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The latest time that is shown, in milliseconds since 1970: the end of the year 9999. A clock can
/// be wrong.
pub(crate) const MAX_DATE_UNIX_MS: u64 = 253_402_300_799_000;

/// Formats a time, in milliseconds since 1970, as `26 November 2026, 07:19 UTC`.
pub(crate) fn date(unix_ms: u64) -> String {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let time = UNIX_EPOCH + Duration::from_millis(unix_ms.min(MAX_DATE_UNIX_MS));
    let rfc3339 = humantime::format_rfc3339_seconds(time).to_string();
    // Such as 2026-11-26T07:19:20Z.
    let part = |from: usize, to: usize| rfc3339.get(from..to).unwrap_or_default();
    let month = part(5, 7).parse::<usize>().ok().and_then(|month| MONTHS.get(month - 1));
    let day = part(8, 10).trim_start_matches('0');
    let (year, time) = (part(0, 4), part(11, 16));
    format!("{day} {} {year}, {time} UTC", month.copied().unwrap_or_default())
}

/// Returns the time now, in milliseconds since 1970.
pub(crate) fn unix_ms() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}

/// Formats a range of times as `1m10s to 2m40s`, or as `about 35s` if both ends are the same for a
/// person: ends are rounded to about two digits.
pub(crate) fn time_range(TimeRange { low, high }: TimeRange) -> String {
    let [low, high] = [low, high].map(|end| time_span(rounded(end.as_secs_f64()).max(1.0)));
    if low == high { format!("about {low}") } else { format!("{low} to {high}") }
}

/// Rounds seconds to a step that a person would use: 1, 5 or 10 seconds, 1, 5 or 10 minutes, ...
fn rounded(seconds: f64) -> f64 {
    const STEPS: [(f64, f64); 6] = [
        (20.0, 1.0),
        (120.0, 5.0),
        (600.0, 10.0),
        (3600.0, 60.0),
        (4.0 * 3600.0, 300.0),
        (12.0 * 3600.0, 600.0),
    ];
    let step = STEPS.iter().find(|(below, _)| seconds < *below).map_or(3600.0, |(_, step)| *step);
    (seconds / step).round() * step
}

/// Converts a count.
#[expect(clippy::cast_precision_loss, reason = "for display")]
pub(crate) fn as_f64(count: u64) -> f64 {
    count as f64
}

/// Converts nanoseconds to seconds.
#[expect(clippy::cast_precision_loss, reason = "for display; microseconds are enough")]
pub(crate) fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Formats bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Joins `names`, or returns `none` if there are none.
pub(crate) fn joined(names: &[String], none: &str) -> String {
    if names.is_empty() { none.to_owned() } else { names.join(", ") }
}

/// Returns a path on one line, with control characters escaped.
pub(crate) fn shown_path(path: &Path) -> String {
    escape_line(&path.display().to_string())
}

/// Quotes `path` for a shell, where that is needed.
pub(crate) fn shell_quoted(path: &Path) -> String {
    let path = path.display().to_string();
    if path.chars().any(is_control) {
        let quoted = path.chars().map(|c| match c {
            '\'' | '\\' => format!("\\{c}"),
            c if is_control(c) => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        });
        return format!("$'{}'", quoted.collect::<String>());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "./_-+".contains(c);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_short() {
        let counts =
            [MeasureValue::from(56_f64), MeasureValue::Count(56), MeasureValue::Count(5_600)];
        assert_eq!(counts.map(measured), ["56.0", "56", "5,600"]);
        assert_eq!(date(1_795_677_560_000), "26 November 2026, 07:19 UTC");
        assert_eq!(date(u64::MAX), "31 December 9999, 23:59 UTC");
    }

    #[test]
    fn estimates_have_intervals() {
        let estimate = |confidence| {
            let (mean, low, high, n) = (981.2, 863.0, 1126.0, 100);
            measured_with_interval(IntervalEstimate { mean, low, high, n, confidence }.into())
        };
        let with = |interval: &str| ("981.2".to_owned(), Some(interval.to_owned()));
        assert_eq!(estimate(0.95), with("863.0 to 1,126"));
        assert_eq!(estimate(0.995), with("863.0 to 1,126 (99.5 %)"));
        assert_eq!(measured_with_interval(3_u64.into()), ("3".to_owned(), None));
    }

    #[test]
    fn paths_are_quoted_for_a_shell() {
        let quoted = ["a/b-1.toml", "a b", "it's", "\u{1b}[31m\n'"]
            .map(|path| shell_quoted(Path::new(path)));
        assert_eq!(quoted, ["a/b-1.toml", "'a b'", r"'it'\''s'", r"$'\u001b[31m\u000a\''"]);
    }

    #[test]
    fn ranges_are_rounded() {
        let check = |low, high, text: &str| {
            let [low, high] = [low, high].map(Duration::from_secs_f64);
            assert_eq!(time_range(TimeRange { low, high }), text);
        };
        check(0.0, 0.4, "about 1s");
        check(2.6, 3.4, "about 3s");
        check(71.0, 158.0, "1m10s to 2m40s");
        check(3590.0, 40_000.0, "1h to 11h10m");
        check(100_000.0, 1e6, "1d4h to 11d14h");
    }
}
