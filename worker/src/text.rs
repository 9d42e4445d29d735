//! Text for people, made from errors and from what a peer sends.

/// Returns the error and its causes in one line.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Returns a peer's text as it may be shown to a person: without control characters, and shortened.
pub(crate) fn printable(text: &str) -> String {
    const MAX_CHARS: usize = 1000;
    text.chars().filter(|c| !c.is_control()).take(MAX_CHARS).collect()
}
