//! Excerpts of texts from outside, for messages.

/// Returns the beginning of a text from outside, of bounded length and without control characters.
pub(crate) fn excerpt(text: &str) -> String {
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
