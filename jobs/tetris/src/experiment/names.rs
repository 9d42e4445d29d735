//! Names that a person gives, of which measures are named.

use hatchery_core::Refusal;

/// Checks that `name` can be a part of a measure's name; `key` is where it stands.
pub(super) fn check(key: impl Into<String>, name: &str) -> Result<(), Refusal> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || 64 < name.len() || !name.chars().all(plain) {
        let expected = "1 to 64 letters, digits, `-`, `_` or `.`";
        return Err(Refusal::new(key, &format!("{name:?}"), expected));
    }
    Ok(())
}
