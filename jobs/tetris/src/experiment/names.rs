//! Checks of names in specs, which become parts of the names of measures.

use hatchery_core::InvalidValue;
use hatchery_core::text::is_plain_name;

/// The longest name, in characters.
const MAX_NAME: usize = 64;

/// Checks that `name` can be a part of a measure's name; `key` is its key in the spec.
pub(super) fn check(key: impl Into<String>, name: &str) -> Result<(), InvalidValue> {
    if !is_plain_name(name, MAX_NAME) {
        let expected = format!("1 to {MAX_NAME} letters, digits, `-`, `_` or `.`");
        return Err(InvalidValue::new(key, &format!("{name:?}"), expected));
    }
    Ok(())
}
