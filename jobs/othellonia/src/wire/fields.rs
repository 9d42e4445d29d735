//! Checks of fields.

use hatchery_core::{DecodeError, Part, PartMessage};

/// Returns a part that must be there.
pub(super) fn part(field: &'static str, part: Option<PartMessage>) -> Result<Part, DecodeError> {
    let missing = || DecodeError::field(field, &"missing", "a part");
    Part::from_message(part.ok_or_else(missing)?)
}

/// Checks that a number is in a range.
pub(super) fn within(
    field: &'static str,
    value: u64,
    least: u64,
    most: u64,
) -> Result<(), DecodeError> {
    match (least..=most).contains(&value) {
        true => Ok(()),
        false => Err(DecodeError::field(field, &value, format!("from {least} to {most}"))),
    }
}
