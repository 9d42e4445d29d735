//! Numbers of things in texts.

/// Returns a number of things with its noun, such as `1 pig` or `3 pigs`.
pub(crate) fn counted(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{plural}")
}
