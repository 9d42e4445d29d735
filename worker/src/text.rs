//! Text that a peer sends, made fit for people.

/// Returns `text` as it may be shown to a person: shortened and without control characters.
pub(crate) fn printable(text: &str) -> String {
    const MAX_CHARS: usize = 1000;
    text.chars().filter(|c| !c.is_control()).take(MAX_CHARS).collect()
}
