//! Cells of the board, and sets of cells.

use std::fmt;
use std::str::FromStr;

use hatchery_core::WireElement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of cells in a row, and in a column.
pub const WIDTH: u8 = 6;

/// The number of cells of the board.
pub const N_CELLS: usize = 36;

/// A cell of the board: `a1` is at the top left, `f1` at the top right, `a6` at the bottom left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

/// The class of a cell, by its place on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "snake_case")]
pub enum CellClass {
    /// One of the four corners.
    Corner,
    /// On the border of the board, but not a corner.
    Edge,
    /// Diagonally next to a corner.
    X,
    /// Any other cell.
    Inner,
}

impl Cell {
    /// Returns the cell number `index`, counted from 0 row by row from the top left; `None` from 36
    /// on.
    #[must_use]
    pub const fn new(index: u8) -> Option<Self> {
        if (index as usize) < N_CELLS { Some(Self(index)) } else { None }
    }

    /// Returns the cell in `column` and `row`, both below 6 and counted from 0 at the top left.
    #[must_use]
    pub const fn at(column: u8, row: u8) -> Option<Self> {
        if column < WIDTH && row < WIDTH { Some(Self(row * WIDTH + column)) } else { None }
    }

    /// Returns its number, below 36.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns its number as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns its column, below 6.
    #[must_use]
    pub const fn column(self) -> u8 {
        self.0 % WIDTH
    }

    /// Returns its row, below 6.
    #[must_use]
    pub const fn row(self) -> u8 {
        self.0 / WIDTH
    }

    /// Returns its class.
    #[must_use]
    pub fn class(self) -> CellClass {
        let (column, row) = (self.column(), self.row());
        let outer = |at: u8| at == 0 || at == WIDTH - 1;
        let second = |at: u8| at == 1 || at == WIDTH - 2;
        match (outer(column), outer(row)) {
            (true, true) => CellClass::Corner,
            (true, false) | (false, true) => CellClass::Edge,
            (false, false) if second(column) && second(row) => CellClass::X,
            (false, false) => CellClass::Inner,
        }
    }

    /// Returns the set of this cell alone.
    #[must_use]
    pub const fn set(self) -> CellSet {
        CellSet(1 << self.0)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An error for a text that names no cell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no cell: a letter from a to f and a digit from 1 to 6 are, such as c4")]
pub struct CellError {
    text: String,
}

impl FromStr for Cell {
    type Err = CellError;

    fn from_str(text: &str) -> Result<Self, CellError> {
        let cell = match *text.as_bytes() {
            [column @ b'a'..=b'f', row @ b'1'..=b'6'] => Self::at(column - b'a', row - b'1'),
            _ => None,
        };
        cell.ok_or_else(|| CellError { text: text.chars().take(20).collect() })
    }
}

/// A set of cells: bit number `i` is the cell number `i`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CellSet(pub(crate) u64);

impl CellSet {
    /// No cell.
    pub const EMPTY: Self = Self(0);

    /// All cells.
    pub const ALL: Self = Self((1 << N_CELLS) - 1);

    /// Returns the set of these bits; those from 36 on are dropped.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// Returns the bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns true if `cell` is in the set.
    #[must_use]
    pub const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 == 1
    }

    /// Returns true if no cell is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of cells.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the cells that are in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the cells that are in one of the sets or both.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the cells of this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Iterates over the cells in their order.
    pub fn iter(self) -> CellIter {
        CellIter(self.0)
    }
}

impl IntoIterator for CellSet {
    type Item = Cell;
    type IntoIter = CellIter;

    fn into_iter(self) -> CellIter {
        self.iter()
    }
}

impl fmt::Debug for CellSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The cells of a set, in their order.
#[derive(Clone, Debug)]
pub struct CellIter(u64);

impl Iterator for CellIter {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        if self.0 == 0 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 64")]
        let cell = Cell(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for cell in CellSet::ALL {
            assert_eq!(cell.to_string().parse(), Ok(cell));
        }
        assert_eq!("c4".parse(), Ok(Cell(20)));
        for text in ["", "a", "a0", "a7", "g1", "A1", "a10", "ä1"] {
            assert!(text.parse::<Cell>().is_err(), "{text}");
        }
    }

    #[test]
    fn classes_are_those_of_the_board() {
        let classes: String = (0..6)
            .map(|row| {
                let cells = (0..6).map(|column| match Cell::at(column, row).unwrap().class() {
                    CellClass::Corner => 'C',
                    CellClass::Edge => 'e',
                    CellClass::X => 'x',
                    CellClass::Inner => '.',
                });
                cells.chain(['\n']).collect::<String>()
            })
            .collect();
        assert_eq!(classes, "CeeeeC\nex..xe\ne....e\ne....e\nex..xe\nCeeeeC\n");
    }
}
