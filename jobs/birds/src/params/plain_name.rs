//! Names in a spec, which stand in tables and as parts of file names.

use std::collections::BTreeSet;

use hatchery_core::InvalidValue;
use hatchery_core::text::{excerpt, is_plain_name};

/// The longest name, in characters.
pub(crate) const MAX_NAME: usize = 80;

/// Adds `name` to the names of a list of `things`, such as players.
///
/// # Errors
/// For `key`, if the name is not plain (1 to `longest` letters, digits, `-`, `_` and `.`), or is
/// taken.
pub(crate) fn take<'a>(
    taken: &mut BTreeSet<&'a str>,
    key: String,
    name: &'a str,
    longest: usize,
    things: &str,
) -> Result<(), InvalidValue> {
    let expected = if !is_plain_name(name, longest) {
        format!("1 to {longest} letters, digits, `-`, `_` or `.`")
    } else if taken.insert(name) {
        return Ok(());
    } else {
        format!("unlike the names of the {things} before")
    };
    Err(InvalidValue::new(key, &format!("\"{}\"", excerpt(name)), expected))
}
