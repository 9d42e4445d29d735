//! A place in the bytes of a record.

use super::RecordError;
use crate::rules::shortened;

/// The bytes left to read, and their place in the whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.offset).copied()
    }

    /// Returns the bytes left.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    /// Returns the bytes from `offset`, counted from the beginning of the input.
    pub(super) fn since(&self, offset: usize) -> &'a [u8] {
        &self.bytes[offset..]
    }

    /// Goes on by `n` bytes, or to the end if there are fewer.
    pub(super) fn skip(&mut self, n: usize) {
        self.offset = self.bytes.len().min(self.offset + n);
    }

    pub(super) fn skip_whitespace(&mut self) {
        self.take_while(|byte| byte.is_ascii_whitespace());
    }

    /// Returns the bytes as long as `wanted` is true for them.
    pub(super) fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.rest();
        let len = rest.iter().position(|&byte| !wanted(byte)).unwrap_or(rest.len());
        self.offset += len;
        &rest[..len]
    }

    /// Steps over `byte` and returns true if `byte` comes next.
    pub(super) fn accept(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.offset += usize::from(is_next);
        is_next
    }

    /// Goes past `byte`.
    ///
    /// # Errors
    /// If another one comes next, or the end.
    pub(super) fn expect(&mut self, byte: u8, right: &'static str) -> Result<(), RecordError> {
        if self.accept(byte) { Ok(()) } else { Err(self.expected(right)) }
    }

    /// Returns the error that something else is expected here.
    pub(super) fn expected(&self, right: &'static str) -> RecordError {
        const SHOWN_BYTES: usize = 12;
        let rest = self.rest();
        let found = match &rest[..rest.len().min(SHOWN_BYTES)] {
            [] => "the end".to_owned(),
            next => format!("`{}`", shortened(next)),
        };
        RecordError::Expected { offset: self.offset, found, right }
    }
}
