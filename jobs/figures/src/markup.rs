//! Text and lines as SVG markup.

/// Escapes text for use between tags. [Control characters](is_control), and characters that XML 1.0
/// does not allow, become U+FFFD.
pub(crate) fn escape_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c if is_control(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns true if a reader's program acts on `c` or hides it instead of showing it: a control
/// character, a character that changes the direction of the text, or a character without width that
/// makes names look alike.
#[must_use]
pub fn is_control(c: char) -> bool {
    let hides =
        ['\u{ad}', '\u{200b}', '\u{feff}'].contains(&c) || ('\u{2060}'..='\u{2064}').contains(&c);
    let turns = ['\u{61c}', '\u{200e}', '\u{200f}'].contains(&c)
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c);
    c.is_control() || hides || turns
}

/// Returns `content`, escaped, as text whose `anchor` (`start`, `middle` or `end`) is at (x, y).
pub(crate) fn text([x, y]: [f64; 2], anchor: &str, content: &str) -> String {
    let content = escape_text(content);
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>")
}

/// Returns `points` as the corners of a line or an area.
pub(crate) fn corners(points: impl Iterator<Item = [f64; 2]>) -> String {
    points.map(|[x, y]| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

/// Returns about the width of `content` in a sans-serif font of size 13, rather too much: letters
/// outside ASCII count as wide as Chinese letters.
pub(crate) fn text_width(content: &str) -> f64 {
    let narrow = content.chars().filter(char::is_ascii).count();
    7.8 * to_f64(narrow) + 13.0 * to_f64(content.chars().count() - narrow)
}

/// Converts a count to a coordinate.
#[expect(clippy::cast_precision_loss, reason = "what is counted in a figure is far below 2^53")]
pub(crate) const fn to_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_controls_are_replaced() {
        assert_eq!(escape_text("a<b> & \"c\""), "a&lt;b&gt; &amp; \"c\"");
        assert_eq!(escape_text("\u{0}\u{1b}[1m\u{ffff}"), "\u{fffd}\u{fffd}[1m\u{fffd}");
        assert_eq!(escape_text("\u{202e}a\u{200b}b"), "\u{fffd}a\u{fffd}b");
    }
}
