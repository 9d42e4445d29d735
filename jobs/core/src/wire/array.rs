//! Arrays on the wire: a list of a fixed length, or as many fields.

use crate::invalid_value::InvalidValue;
use crate::part::Part;

use super::error::DecodeError;
use super::field::{WireElement, WireField};
use super::message::{MessageReader, MessageWriter};

impl<T: WireElement, const N: usize> WireField for [T; N] {
    fn write_field(&self, tag: u32, message: &mut MessageWriter) {
        T::write_list(self, tag, message);
    }

    fn read_field(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Self, DecodeError> {
        Self::try_from(T::read_list(tag, name, message)?).map_err(|list| {
            let found = format!("a list of {}", list.len());
            InvalidValue::new(name, &found, format!("a list of {N}")).into()
        })
    }

    fn add_parts(&self, parts: &mut Vec<Part>) {
        self.iter().for_each(|value| value.add_parts(parts));
    }
}

/// Reads an array whose entries are fields of their own: the first is the field `tag`.
///
/// # Errors
/// If an entry is missing or holds no valid value.
pub fn read_array<T: WireField, const N: usize>(
    tag: u32,
    name: &'static str,
    message: &mut MessageReader<'_>,
) -> Result<[T; N], DecodeError> {
    let entries = (tag..).take(N).map(|tag| T::read_field(tag, name, message));
    let entries: Vec<T> = entries.collect::<Result<_, _>>()?;
    Ok(entries.try_into().unwrap_or_else(|_| unreachable!("as many entries were read")))
}
