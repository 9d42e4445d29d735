//! Checks of names in specs, which become parts of the names of measures.

use hatchery_core::InvalidParam;

/// Checks that `name` can be a part of a measure's name; `key` is its key in the spec.
pub(super) fn check(key: impl Into<String>, name: &str) -> Result<(), InvalidParam> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || 64 < name.len() || !name.chars().all(plain) {
        let expected = "1 to 64 letters, digits, `-`, `_` or `.`";
        return Err(InvalidParam::new(key, &format!("{name:?}"), expected));
    }
    Ok(())
}
