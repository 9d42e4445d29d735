//! Numbers of things in texts.

/// The reason why writing to a string cannot fail.
pub(crate) const TAKES_ALL: &str = "a string takes all text";

/// Returns a number of things with its noun, such as `1 pig` or `3 pigs`.
pub(crate) fn counted(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{plural}")
}
