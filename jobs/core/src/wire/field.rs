//! The fields of messages: numbers, texts, bytes and messages, and lists and options of these.

use prost::bytes::Bytes;
use prost::encoding::encode_varint;

use crate::invalid_value::InvalidValue;
use crate::part::Part;

use super::WireValue;
use super::error::DecodeError;
use super::message::{MessageReader, MessageWriter};

/// A value that is a single field of a message, or an entry of a list in a message.
///
/// Implementations exist for numbers, texts, and [`WireValue`]s as messages within messages.
/// `#[derive(WireElement)]` adds enums without fields and structs around a single value.
pub trait WireElement: Sized {
    /// Returns true if the value is left out where it is a plain field: 0, false, an empty text.
    fn is_default(&self) -> bool;

    /// Returns the value of a field that is left out.
    ///
    /// # Errors
    /// If the field `name` must not be left out.
    fn absent(name: &'static str) -> Result<Self, DecodeError>;

    /// Writes the value as the field `tag`.
    fn write(&self, tag: u32, message: &mut MessageWriter);

    /// Reads the next field if it is `tag`.
    ///
    /// # Errors
    /// If the field `name` holds no valid value.
    fn read(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Option<Self>, DecodeError>;

    /// Writes a list: a field for each entry, or a single field for the list.
    fn write_list(list: &[Self], tag: u32, message: &mut MessageWriter) {
        list.iter().for_each(|entry| entry.write(tag, message));
    }

    /// Reads a list.
    ///
    /// # Errors
    /// If an entry is no valid value: the error names the entry.
    fn read_list(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Vec<Self>, DecodeError> {
        let mut list = Vec::new();
        while let Some(entry) = Self::read(tag, name, message)? {
            list.push(entry);
        }
        Ok(list)
    }

    /// Adds the parts that the value names.
    fn add_parts(&self, _parts: &mut Vec<Part>) {}
}

/// A field of a message: an element, an `Option`, a list or an array of elements.
pub trait WireField: Sized {
    /// Writes the value as the field `tag`: nothing for a default, `None` and an empty list.
    fn write_field(&self, tag: u32, message: &mut MessageWriter);

    /// Reads the field `tag`.
    ///
    /// # Errors
    /// If the field `name` is missing or holds no valid value.
    fn read_field(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Self, DecodeError>;

    /// Adds the parts that the value names.
    fn add_parts(&self, _parts: &mut Vec<Part>) {}
}

impl<T: WireElement> WireField for T {
    fn write_field(&self, tag: u32, message: &mut MessageWriter) {
        if !self.is_default() {
            self.write(tag, message);
        }
    }

    fn read_field(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Self, DecodeError> {
        T::read(tag, name, message)?.map_or_else(|| T::absent(name), Ok)
    }

    fn add_parts(&self, parts: &mut Vec<Part>) {
        WireElement::add_parts(self, parts);
    }
}

impl<T: WireElement> WireField for Option<T> {
    fn write_field(&self, tag: u32, message: &mut MessageWriter) {
        self.iter().for_each(|value| value.write(tag, message));
    }

    fn read_field(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Self, DecodeError> {
        T::read(tag, name, message)
    }

    fn add_parts(&self, parts: &mut Vec<Part>) {
        self.iter().for_each(|value| value.add_parts(parts));
    }
}

impl<T: WireElement> WireField for Vec<T> {
    fn write_field(&self, tag: u32, message: &mut MessageWriter) {
        T::write_list(self, tag, message);
    }

    fn read_field(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Self, DecodeError> {
        T::read_list(tag, name, message)
    }

    fn add_parts(&self, parts: &mut Vec<Part>) {
        self.iter().for_each(|value| value.add_parts(parts));
    }
}

/// A message within a message.
impl<T: WireValue> WireElement for T {
    fn is_default(&self) -> bool {
        false
    }

    fn absent(name: &'static str) -> Result<Self, DecodeError> {
        Err(DecodeError::missing(name, "there"))
    }

    fn write(&self, tag: u32, message: &mut MessageWriter) {
        message.message(tag, |message| self.write_fields(message));
    }

    fn read(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Option<Self>, DecodeError> {
        message.read_message(tag, name, T::read_fields)
    }

    fn read_list(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Vec<Self>, DecodeError> {
        let mut list = Vec::new();
        // The name of an entry is made where it is needed: most entries are right.
        while let Some(entry) = message.read_message(tag, "", T::read_fields).map_err(|error| {
            let key = format!("{name}.{}", list.len());
            error.under(&key)
        })? {
            list.push(entry);
        }
        Ok(list)
    }

    fn add_parts(&self, parts: &mut Vec<Part>) {
        WireValue::add_parts(self, parts);
    }
}

/// Numbers of variable length: of any type that fits into 64 bits.
macro_rules! varints {
    ($($number:ty, $widen:expr;)*) => { $(
        impl WireElement for $number {
            fn is_default(&self) -> bool {
                *self == 0
            }

            fn absent(_name: &'static str) -> Result<Self, DecodeError> {
                Ok(0)
            }

            fn write(&self, tag: u32, message: &mut MessageWriter) {
                message.varint(tag, $widen(*self));
            }

            fn read(
                tag: u32,
                name: &'static str,
                message: &mut MessageReader<'_>,
            ) -> Result<Option<Self>, DecodeError> {
                let number = message.read_varint(tag)?;
                number.map(|number| fitting(name, number, $widen(Self::MAX))).transpose()
            }

            fn write_list(list: &[Self], tag: u32, message: &mut MessageWriter) {
                if !list.is_empty() {
                    message.packed(tag, |bytes| {
                        list.iter().for_each(|&number| encode_varint($widen(number), bytes));
                    });
                }
            }

            fn read_list(
                tag: u32,
                name: &'static str,
                message: &mut MessageReader<'_>,
            ) -> Result<Vec<Self>, DecodeError> {
                message.read_packed(tag, |inside| {
                    fitting(name, inside.split_varint()?, $widen(Self::MAX))
                })
            }
        }
    )* };
}

varints! {
    u16, u64::from;
    u32, u64::from;
    u64, std::convert::identity;
    usize, from_usize;
}

fn from_usize(number: usize) -> u64 {
    number as u64
}

/// Returns `number` as a smaller type, whose greatest value is `most`.
fn fitting<T: TryFrom<u64>>(name: &'static str, number: u64, most: u64) -> Result<T, DecodeError> {
    T::try_from(number)
        .map_err(|_| InvalidValue::new(name, &number, format!("at most {most}")).into())
}

/// A number below 256. A list of such numbers is bytes.
impl WireElement for u8 {
    fn is_default(&self) -> bool {
        *self == 0
    }

    fn absent(_name: &'static str) -> Result<Self, DecodeError> {
        Ok(0)
    }

    fn write(&self, tag: u32, message: &mut MessageWriter) {
        message.varint(tag, (*self).into());
    }

    fn read(
        tag: u32,
        name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Option<Self>, DecodeError> {
        let number = message.read_varint(tag)?;
        number.map(|number| fitting(name, number, Self::MAX.into())).transpose()
    }

    fn write_list(list: &[Self], tag: u32, message: &mut MessageWriter) {
        if !list.is_empty() {
            message.delimited(tag, list);
        }
    }

    fn read_list(
        tag: u32,
        _name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Vec<Self>, DecodeError> {
        Ok(message.read_delimited(tag)?.unwrap_or_default().to_vec())
    }
}

impl WireElement for bool {
    fn is_default(&self) -> bool {
        !*self
    }

    fn absent(_name: &'static str) -> Result<Self, DecodeError> {
        Ok(false)
    }

    fn write(&self, tag: u32, message: &mut MessageWriter) {
        message.varint(tag, (*self).into());
    }

    fn read(
        tag: u32,
        _name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Option<Self>, DecodeError> {
        // Numbers above 1 are refused when the value is encoded again.
        Ok(message.read_varint(tag)?.map(|number| number != 0))
    }
}

/// A number with a sign, in zigzag: -1 is 1, 1 is 2.
impl WireElement for i64 {
    fn is_default(&self) -> bool {
        *self == 0
    }

    fn absent(_name: &'static str) -> Result<Self, DecodeError> {
        Ok(0)
    }

    fn write(&self, tag: u32, message: &mut MessageWriter) {
        message.varint(tag, zigzag(*self));
    }

    fn read(
        tag: u32,
        _name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Option<Self>, DecodeError> {
        Ok(message.read_varint(tag)?.map(from_zigzag))
    }

    fn write_list(list: &[Self], tag: u32, message: &mut MessageWriter) {
        if !list.is_empty() {
            message.packed(tag, |bytes| {
                list.iter().for_each(|&number| encode_varint(zigzag(number), bytes));
            });
        }
    }

    fn read_list(
        tag: u32,
        _name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Vec<Self>, DecodeError> {
        message.read_packed(tag, |inside| inside.split_varint().map(from_zigzag))
    }
}

fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

fn from_zigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// Numbers of four or eight bytes.
macro_rules! floats {
    ($($number:ty, $write:ident, $read:ident;)*) => { $(
        impl WireElement for $number {
            fn is_default(&self) -> bool {
                // Both zeros, as in every implementation of protobuf.
                *self == 0.0
            }

            fn absent(_name: &'static str) -> Result<Self, DecodeError> {
                Ok(0.0)
            }

            fn write(&self, tag: u32, message: &mut MessageWriter) {
                message.$write(tag, self.to_le_bytes());
            }

            fn read(
                tag: u32,
                _name: &'static str,
                message: &mut MessageReader<'_>,
            ) -> Result<Option<Self>, DecodeError> {
                Ok(message.$read(tag)?.map(Self::from_le_bytes))
            }

            fn write_list(list: &[Self], tag: u32, message: &mut MessageWriter) {
                if !list.is_empty() {
                    message.packed(tag, |bytes| {
                        list.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
                    });
                }
            }

            fn read_list(
                tag: u32,
                _name: &'static str,
                message: &mut MessageReader<'_>,
            ) -> Result<Vec<Self>, DecodeError> {
                message.read_packed(tag, |inside| inside.split_array().map(Self::from_le_bytes))
            }
        }
    )* };
}

floats! {
    f32, four_bytes, read_four_bytes;
    f64, eight_bytes, read_eight_bytes;
}

impl WireElement for String {
    fn is_default(&self) -> bool {
        self.is_empty()
    }

    fn absent(_name: &'static str) -> Result<Self, DecodeError> {
        Ok(Self::new())
    }

    fn write(&self, tag: u32, message: &mut MessageWriter) {
        message.delimited(tag, self.as_bytes());
    }

    fn read(
        tag: u32,
        _name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Option<Self>, DecodeError> {
        Ok(message.read_text(tag)?.map(str::to_owned))
    }
}

/// Bytes, as one field: an entry of a list of byte strings.
impl WireElement for Bytes {
    fn is_default(&self) -> bool {
        self.is_empty()
    }

    fn absent(_name: &'static str) -> Result<Self, DecodeError> {
        Ok(Self::new())
    }

    fn write(&self, tag: u32, message: &mut MessageWriter) {
        message.delimited(tag, self);
    }

    fn read(
        tag: u32,
        _name: &'static str,
        message: &mut MessageReader<'_>,
    ) -> Result<Option<Self>, DecodeError> {
        Ok(message.read_delimited(tag)?.map(Self::copy_from_slice))
    }
}

/// An enum without fields: `#[derive(WireElement)]` implements it.
pub trait WireChoice: Sized {
    /// The number after the greatest number of a variant.
    const END: u32;

    /// Returns the number of the variant.
    fn to_number(&self) -> u32;

    /// Returns the variant with this number.
    fn from_number(number: u32) -> Option<Self>;
}

/// Returns the variant with this number.
///
/// # Errors
/// If no variant has this number.
pub fn choice_of<T: WireChoice>(name: &'static str, number: u32) -> Result<T, DecodeError> {
    T::from_number(number)
        .ok_or_else(|| InvalidValue::new(name, &number, format!("below {}", T::END)).into())
}
