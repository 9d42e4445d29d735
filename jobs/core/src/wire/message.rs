//! Messages of protobuf, written and read field by field in one order.

use prost::encoding::{
    WireType, decode_key, decode_varint, encode_key, encode_varint, encoded_len_varint,
};

use super::error::DecodeError;

/// Writes the fields of a message, in the order of reading.
#[derive(Debug, Default)]
pub struct MessageWriter {
    bytes: Vec<u8>,
    /// The number that is added to the number of each field.
    shift: u32,
}

impl MessageWriter {
    /// Returns the bytes of the fields, with their length before them.
    pub(super) fn into_delimited(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes.len() + MAX_VARINT);
        encode_varint(self.bytes.len() as u64, &mut bytes);
        bytes.extend(self.bytes);
        bytes
    }

    /// Returns the bytes of the fields.
    pub(super) fn into_fields(self) -> Vec<u8> {
        self.bytes
    }

    /// Writes a number of variable length.
    pub(super) fn varint(&mut self, tag: u32, value: u64) {
        encode_key(tag + self.shift, WireType::Varint, &mut self.bytes);
        encode_varint(value, &mut self.bytes);
    }

    /// Appends fields that are encoded already.
    pub(super) fn encoded(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// Writes what `write` writes, with field numbers that are higher by `shift`.
    pub fn shifted(&mut self, shift: u32, write: impl FnOnce(&mut Self)) {
        self.shift += shift;
        write(self);
        self.shift -= shift;
    }

    /// Writes `true`.
    pub fn flag(&mut self, tag: u32) {
        self.varint(tag, 1);
    }

    /// Writes a number of eight bytes, unless it is 0.
    pub fn fixed64(&mut self, tag: u32, value: u64) {
        if value != 0 {
            self.eight_bytes(tag, value.to_le_bytes());
        }
    }

    pub(super) fn four_bytes(&mut self, tag: u32, bytes: [u8; 4]) {
        encode_key(tag + self.shift, WireType::ThirtyTwoBit, &mut self.bytes);
        self.bytes.extend(bytes);
    }

    pub(super) fn eight_bytes(&mut self, tag: u32, bytes: [u8; 8]) {
        encode_key(tag + self.shift, WireType::SixtyFourBit, &mut self.bytes);
        self.bytes.extend(bytes);
    }

    /// Writes bytes with their length before them.
    pub(super) fn delimited(&mut self, tag: u32, bytes: &[u8]) {
        encode_key(tag + self.shift, WireType::LengthDelimited, &mut self.bytes);
        encode_varint(bytes.len() as u64, &mut self.bytes);
        self.bytes.extend(bytes);
    }

    /// Writes a message whose fields `write` writes.
    pub fn message(&mut self, tag: u32, write: impl FnOnce(&mut Self)) {
        self.packed(tag, |bytes| {
            let mut inside = Self { bytes: std::mem::take(bytes), shift: 0 };
            write(&mut inside);
            *bytes = inside.bytes;
        });
    }

    /// Writes the bytes that `write` appends, with their length before them.
    pub(super) fn packed(&mut self, tag: u32, write: impl FnOnce(&mut Vec<u8>)) {
        encode_key(tag + self.shift, WireType::LengthDelimited, &mut self.bytes);
        let start = self.bytes.len();
        // Most messages are short: their length takes one byte. Others move when it is known.
        self.bytes.push(0);
        write(&mut self.bytes);
        let length = (self.bytes.len() - start - 1) as u64;
        let n_more = encoded_len_varint(length) - 1;
        if n_more != 0 {
            let end = self.bytes.len();
            self.bytes.resize(end + n_more, 0);
            self.bytes.copy_within(start + 1..end, start + 1 + n_more);
        }
        encode_varint(length, &mut &mut self.bytes[start..]);
    }
}

/// The most bytes of a number of variable length.
const MAX_VARINT: usize = 10;

/// Reads the fields of a message, in the order of writing.
///
/// A field that is out of place is never read, and so is left at the end: then the message is
/// refused.
#[derive(Debug)]
pub struct MessageReader<'a> {
    rest: &'a [u8],
    /// The name of the whole value, for errors.
    what: &'static str,
    /// The number that is added to the number of each field.
    shift: u32,
}

impl<'a> MessageReader<'a> {
    /// Returns the reader of the fields of `bytes`, a message behind its length.
    pub(super) fn of_delimited(bytes: &'a [u8], what: &'static str) -> Result<Self, DecodeError> {
        let mut reader = Self { rest: bytes, what, shift: 0 };
        let rest = reader.split_delimited()?;
        match reader.rest.len() {
            0 => Ok(Self { rest, what, shift: 0 }),
            n_bytes => Err(DecodeError::Trailing { what, n_bytes }),
        }
    }

    /// Returns the reader of the fields that are all of `bytes`.
    pub(super) fn of_fields(bytes: &'a [u8], what: &'static str) -> Self {
        Self { rest: bytes, what, shift: 0 }
    }

    /// Reads all fields with `read`.
    pub(super) fn read_all<T>(
        mut self,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let value = read(&mut self)?;
        match self.rest.is_empty() {
            true => Ok(value),
            false => Err(DecodeError::NotCanonical { what: self.what }),
        }
    }

    /// Returns true if the next field is `tag`.
    ///
    /// # Errors
    /// If the next bytes are no field.
    pub fn has_field(&self, tag: u32) -> Result<bool, DecodeError> {
        let mut rest = self.rest;
        if rest.is_empty() {
            return Ok(false);
        }
        let (found, _) = decode_key(&mut rest).map_err(|_| self.malformed())?;
        Ok(found == tag + self.shift)
    }

    /// Returns the bytes of the remaining fields, and the name of the whole value.
    pub(super) fn take_rest(&mut self) -> (&'a [u8], &'static str) {
        (std::mem::take(&mut self.rest), self.what)
    }

    fn malformed(&self) -> DecodeError {
        DecodeError::Malformed { what: self.what }
    }

    /// Reads the key of the next field if it is `tag`, which must then be of `wire_type`.
    fn read_key(&mut self, tag: u32, wire_type: WireType) -> Result<bool, DecodeError> {
        let mut rest = self.rest;
        if rest.is_empty() {
            return Ok(false);
        }
        let (found, found_type) = decode_key(&mut rest).map_err(|_| self.malformed())?;
        if found != tag + self.shift {
            return Ok(false);
        }
        if found_type != wire_type {
            return Err(self.malformed());
        }
        self.rest = rest;
        Ok(true)
    }

    /// Reads what `read` reads, with field numbers that are higher by `shift`.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn shifted<T>(
        &mut self,
        shift: u32,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        self.shift += shift;
        let value = read(self);
        self.shift -= shift;
        value
    }

    pub(super) fn read_varint(&mut self, tag: u32) -> Result<Option<u64>, DecodeError> {
        match self.read_key(tag, WireType::Varint)? {
            true => self.split_varint().map(Some),
            false => Ok(None),
        }
    }

    /// Reads `true`; returns false if there is no such field.
    ///
    /// # Errors
    /// If the field has another value.
    pub fn read_flag(&mut self, tag: u32) -> Result<bool, DecodeError> {
        match self.read_varint(tag)? {
            None => Ok(false),
            Some(1) => Ok(true),
            Some(_) => Err(DecodeError::NotCanonical { what: self.what }),
        }
    }

    /// Reads a number of eight bytes; 0 if there is no such field.
    ///
    /// # Errors
    /// If the number is cut off.
    pub fn read_fixed64(&mut self, tag: u32) -> Result<u64, DecodeError> {
        Ok(self.read_eight_bytes(tag)?.map_or(0, u64::from_le_bytes))
    }

    pub(super) fn read_four_bytes(&mut self, tag: u32) -> Result<Option<[u8; 4]>, DecodeError> {
        match self.read_key(tag, WireType::ThirtyTwoBit)? {
            true => self.split_array().map(Some),
            false => Ok(None),
        }
    }

    pub(super) fn read_eight_bytes(&mut self, tag: u32) -> Result<Option<[u8; 8]>, DecodeError> {
        match self.read_key(tag, WireType::SixtyFourBit)? {
            true => self.split_array().map(Some),
            false => Ok(None),
        }
    }

    pub(super) fn read_delimited(&mut self, tag: u32) -> Result<Option<&'a [u8]>, DecodeError> {
        match self.read_key(tag, WireType::LengthDelimited)? {
            true => self.split_delimited().map(Some),
            false => Ok(None),
        }
    }

    /// Reads text.
    pub(super) fn read_text(&mut self, tag: u32) -> Result<Option<&'a str>, DecodeError> {
        let bytes = self.read_delimited(tag)?;
        bytes.map(|bytes| str::from_utf8(bytes).map_err(|_| self.malformed())).transpose()
    }

    /// Reads a list of numbers. `next` takes each number from the front.
    pub(super) fn read_packed<T>(
        &mut self,
        tag: u32,
        next: impl Fn(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Vec<T>, DecodeError> {
        let mut list = Vec::new();
        if let Some(rest) = self.read_delimited(tag)? {
            let mut inside = Self { rest, what: self.what, shift: 0 };
            while !inside.rest.is_empty() {
                list.push(next(&mut inside)?);
            }
        }
        Ok(list)
    }

    /// Reads a message without fields; returns false if there is no such field.
    ///
    /// # Errors
    /// If the message has fields.
    pub fn read_empty(&mut self, tag: u32) -> Result<bool, DecodeError> {
        match self.read_delimited(tag)? {
            None => Ok(false),
            Some([]) => Ok(true),
            Some(_) => Err(DecodeError::NotCanonical { what: self.what }),
        }
    }

    /// Reads a message with `read`; errors are under `name`.
    ///
    /// # Errors
    /// If the fields of the message are refused, or a field is left.
    pub fn read_message<T>(
        &mut self,
        tag: u32,
        name: &str,
        read: impl FnOnce(&mut Self) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, DecodeError> {
        let Some(rest) = self.read_delimited(tag)? else { return Ok(None) };
        let inside = Self { rest, what: self.what, shift: 0 };
        inside.read_all(|inside| read(inside).map_err(|error| error.under(name))).map(Some)
    }

    pub(super) fn split_varint(&mut self) -> Result<u64, DecodeError> {
        decode_varint(&mut self.rest).map_err(|_| self.malformed())
    }

    pub(super) fn split_array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or_else(|| self.malformed())?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn split_delimited(&mut self) -> Result<&'a [u8], DecodeError> {
        let length = usize::try_from(self.split_varint()?).unwrap_or(usize::MAX);
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or_else(|| self.malformed())?;
        self.rest = rest;
        Ok(bytes)
    }
}
