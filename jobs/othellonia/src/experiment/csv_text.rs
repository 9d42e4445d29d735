//! Cells of tables.

/// Returns a text as a cell of CSV (RFC 4180).
pub(super) fn quoted(text: &str) -> String {
    if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
