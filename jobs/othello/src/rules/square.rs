//! Squares, their notation, and sets of squares.

use std::fmt;
use std::str::FromStr;

use hatchery_core::InvalidValue;
use hatchery_core::wire::WireElement;

/// A square of the board.
///
/// Squares are numbered by rows: a1 is 0, h1 is 7, a8 is 56 and h8 is 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, WireElement)]
#[wire(try_from = u8)]
pub struct Square(u8);

impl Square {
    /// Returns the square with this number, or `None` above 63.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// Returns the square in this column and row, both counted from 0, or `None` above 7.
    #[must_use]
    pub const fn at(column: u8, row: u8) -> Option<Self> {
        if column < 8 && row < 8 { Some(Self(8 * row + column)) } else { None }
    }

    /// Returns the square of the lowest bit of `bits`, or a1 if there is none.
    #[inline(always)]
    pub(super) const fn lowest(bits: u64) -> Self {
        Self((bits.trailing_zeros() & 63) as u8)
    }

    /// Returns the square's number, below 64.
    #[must_use]
    #[inline(always)]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Returns the square's column, below 8.
    #[must_use]
    pub const fn column(self) -> u8 {
        self.0 % 8
    }

    /// Returns the square's row, below 8.
    #[must_use]
    pub const fn row(self) -> u8 {
        self.0 / 8
    }

    /// Returns the number with only the bit of this square.
    #[must_use]
    #[inline(always)]
    pub const fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }

    /// Reads a column letter, in either case, and a row digit.
    ///
    /// # Errors
    /// If the text is another one.
    pub fn from_bytes(text: &[u8]) -> Result<Self, SquareError> {
        let error = || SquareError { found: shortened(text) };
        let &[column, row] = text else { return Err(error()) };
        let column = column.to_ascii_lowercase().wrapping_sub(b'a');
        Self::at(column, row.wrapping_sub(b'1')).ok_or_else(error)
    }
}

impl From<&Square> for u8 {
    fn from(square: &Square) -> Self {
        square.0
    }
}

impl TryFrom<u8> for Square {
    type Error = InvalidValue;

    fn try_from(index: u8) -> Result<Self, InvalidValue> {
        Self::new(index).ok_or_else(|| InvalidValue::new("", &index, "below 64"))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = char::from(b'a' + self.column());
        write!(f, "{column}{}", self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Self, SquareError> {
        Self::from_bytes(text.as_bytes())
    }
}

/// The error of a text that names no square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is no square; squares are a1 to h8")]
pub struct SquareError {
    /// The text, shortened.
    pub found: String,
}

/// A set of squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SquareSet(u64);

impl SquareSet {
    /// The four corners.
    pub const CORNERS: Self = Self(0x8100_0000_0000_0081);

    /// Returns the set whose squares are the bits of `bits`.
    #[must_use]
    #[inline(always)]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the number with a bit for each square.
    #[must_use]
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the number of squares.
    #[must_use]
    #[inline(always)]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns true if there is no square.
    #[must_use]
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if `square` is in the set.
    #[must_use]
    #[inline(always)]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & square.bit() != 0
    }

    /// Returns the squares from the lowest number to the highest.
    #[must_use]
    #[inline(always)]
    pub const fn iter(self) -> SquareIter {
        SquareIter(self.0)
    }
}

impl IntoIterator for SquareSet {
    type Item = Square;
    type IntoIter = SquareIter;

    #[inline(always)]
    fn into_iter(self) -> SquareIter {
        self.iter()
    }
}

impl fmt::Display for SquareSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, square) in self.iter().enumerate() {
            let space = if place == 0 { "" } else { " " };
            write!(f, "{space}{square}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for SquareSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// An iterator over the squares of a set, from the lowest number to the highest.
#[derive(Clone, Debug)]
pub struct SquareIter(u64);

impl Iterator for SquareIter {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::lowest(self.0);
        self.0 &= self.0 - 1;
        Some(square)
    }
}

/// Shortens bytes from outside to one line of bounded length, fit for a message.
pub(crate) fn shortened(bytes: &[u8]) -> String {
    const MAX_BYTES: usize = 40;
    let mut short = bytes[..bytes.len().min(MAX_BYTES)].escape_ascii().to_string();
    if MAX_BYTES < bytes.len() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_numbered_by_rows() {
        let check = |text: &str, index| {
            assert_eq!(text.parse(), Ok(Square(index)));
            assert_eq!(Square(index).to_string(), text);
            assert_eq!(text.to_uppercase().parse(), Ok(Square(index)));
        };
        check("a1", 0);
        check("h1", 7);
        check("f5", 37);
        check("a8", 56);
        check("h8", 63);
    }

    #[test]
    fn other_texts_are_no_squares() {
        for text in ["", "a", "i1", "a0", "a9", "`1", "1a", "a1 ", "aa1", "ä1", "PA"] {
            let error = text.parse::<Square>().unwrap_err().to_string();
            assert!(error.contains("squares are a1 to h8"), "{error}");
        }
    }
}
