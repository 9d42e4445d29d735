//! Text for people, made from what a peer sends.

/// Returns a peer's text as it may be shown to a person: without control characters, and shortened.
pub(crate) fn printable(text: &str) -> String {
    const MAX_CHARS: usize = 1000;
    text.chars().filter(|c| !c.is_control()).take(MAX_CHARS).collect()
}
