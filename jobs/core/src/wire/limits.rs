//! The checks that `#[derive(WireValue)]` makes of declared limits.

use std::fmt::Display;

use prost::bytes::Bytes;

use crate::invalid_value::InvalidValue;
use crate::part::LargeValue;

/// The number that a declared `length` limits, as in the schema: the entries of a list, the
/// characters of a text, the parts of a large value.
pub trait Length {
    /// Returns the number.
    fn length(&self) -> usize;
}

impl<T> Length for Vec<T> {
    fn length(&self) -> usize {
        self.len()
    }
}

impl<T, const N: usize> Length for [T; N] {
    fn length(&self) -> usize {
        N
    }
}

impl Length for String {
    fn length(&self) -> usize {
        self.chars().count()
    }
}

impl Length for Bytes {
    fn length(&self) -> usize {
        self.len()
    }
}

impl Length for LargeValue {
    fn length(&self) -> usize {
        self.parts().len()
    }
}

/// Checks that `value` is at least `least` and at most `most`.
///
/// # Errors
/// If `value` is outside of that range, or is no number.
pub fn check_range<T: PartialOrd + Display>(
    key: &str,
    value: &T,
    least: Option<T>,
    most: Option<T>,
) -> Result<(), InvalidValue> {
    let is_high = least.as_ref().is_none_or(|least| least <= value);
    let is_low = most.as_ref().is_none_or(|most| value <= most);
    match is_high && is_low {
        true => Ok(()),
        false => Err(InvalidValue::new(key, value, words(least, most))),
    }
}

/// Checks that a list or a text has at least `least` and at most `most` entries.
///
/// # Errors
/// If the list or text has fewer or more entries.
pub fn check_length(
    key: &str,
    length: usize,
    least: Option<usize>,
    most: Option<usize>,
) -> Result<(), InvalidValue> {
    match least.is_none_or(|least| least <= length) && most.is_none_or(|most| length <= most) {
        true => Ok(()),
        false => {
            let (found, expected) = (format!("{length} long"), words(least, most));
            Err(InvalidValue::new(key, &found, format!("{expected} long")))
        }
    }
}

fn words<T: Display>(least: Option<T>, most: Option<T>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("from {least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "anything".to_owned(),
    }
}
