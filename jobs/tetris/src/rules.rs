//! The rules of the simplified benchmark of the literature: whole pieces dropped from above.
//!
//! They are the rules of MDPTetris (Thiery & Scherrer), the program behind the published results. A
//! piece is put into any column in any orientation and falls straight down. It never collides on
//! its way, and the next piece is not known. The crate's README describes the consequences.
//! [`QueueRules`] add what today's games have.

mod game;
mod pieces;
mod queue;

pub use game::{GameRules, GameScore, PieceCap, PieceMove, play};
pub(crate) use pieces::ORIENTATIONS;
pub use pieces::{MAX_PIECE_WEIGHT, Orientation, Piece, PieceWeights};
pub use queue::{MAX_PREVIEW, PieceSupply, QueueRules, Randomizer, Turn};

use std::fmt;
use std::ops::RangeInclusive;

use hatchery_core::wire::WireElement;
use hatchery_core::{InvalidValue, WireValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The widths of boards.
pub const WIDTHS: RangeInclusive<u32> = 4..=16;

/// The heights of boards.
pub const HEIGHTS: RangeInclusive<u32> = 4..=32;

/// The largest number of columns of a board.
pub(crate) const MAX_WIDTH: usize = 16;

/// The size of a board.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    WireValue,
)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BoardParams", description = "A board.")]
pub struct BoardSize {
    /// Columns.
    #[schemars(range(min = 4, max = 16))]
    #[wire(tag = 3)]
    width: u32,
    /// Rows.
    #[schemars(range(min = 4, max = 32))]
    #[wire(tag = 4)]
    height: u32,
}

/// Columns and rows: `10x20`.
impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl BoardSize {
    /// The size that most published results use: 10x20.
    pub const STANDARD: Self = Self { width: 10, height: 20 };

    /// Creates the size with `width` columns and `height` rows.
    ///
    /// # Errors
    /// If either is not in [`WIDTHS`] or [`HEIGHTS`].
    pub fn new(width: u32, height: u32) -> Result<Self, InvalidValue> {
        let size = Self { width, height };
        match WIDTHS.contains(&width) && HEIGHTS.contains(&height) {
            true => Ok(size),
            false => Err(InvalidValue::new("", &size, "4x4 to 16x32")),
        }
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn width(self) -> u32 {
        self.width
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn height(self) -> u32 {
        self.height
    }

    /// Returns a column that is full in all rows of the board.
    pub(crate) fn full_column(self) -> u64 {
        (1 << self.height) - 1
    }
}

/// The rule for a piece that reaches above the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, WireElement)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "OverflowParam")]
pub enum OverflowRule {
    /// The game is over.
    // No row is removed: `allow_lines_after_overflow` 0 of MDPTetris, with which the published
    // results were measured.
    EndsGame,
    /// Full rows are removed first.
    // The game is over if the wall is then still too high: `allow_lines_after_overflow` 1, used by
    // Boumaza's program.
    ClearsFirst,
}

/// The orientation and column that a piece is dropped in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The index of the orientation in [`Piece::orientations`].
    pub orientation: usize,
    /// The column of the piece's leftmost cells, counted from 0.
    pub column: usize,
}

/// Iterates over all placements of `piece` on a board of `size`, in the order that decides ties: by
/// orientation, then from left to right. The contents of the board do not affect legality.
pub fn placements(piece: Piece, size: BoardSize) -> impl Iterator<Item = Placement> {
    piece.orientations().iter().enumerate().flat_map(move |(orientation, shape)| {
        (0..=size.width as usize - shape.width).map(move |column| Placement { orientation, column })
    })
}

/// A board: the set of its full cells.
///
/// Bit r of a column is row r, counted from the floor. A finished move leaves no cell at or above
/// the board's height, unless it ended the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Columns beyond the board's width are full to the last bit, so that all columns can be
    /// treated alike.
    columns: [u64; MAX_WIDTH],
    size: BoardSize,
}

/// The result of dropping a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropOutcome {
    /// The board afterwards.
    pub board: Board,
    /// The row of the piece's lowest cell before rows were removed, counted from 0.
    pub landing_row: u32,
    /// The number of rows that the piece covers.
    pub piece_height: u32,
    /// The number of rows that were removed.
    pub n_lines: u32,
    /// The number of the piece's own cells in removed rows.
    pub n_eroded_cells: u32,
    /// True if the game is over.
    pub game_over: bool,
}

/// A [`DropOutcome`] without its board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceLanding {
    pub(crate) landing_row: u32,
    pub(crate) piece_height: u32,
    /// The rows that were removed.
    pub(crate) full_rows: u64,
    pub(crate) n_lines: u32,
    pub(crate) n_eroded_cells: u32,
    pub(crate) game_over: bool,
}

impl Board {
    /// Creates an empty board of `size`.
    #[must_use]
    pub fn new(size: BoardSize) -> Self {
        let mut columns = [u64::MAX; MAX_WIDTH];
        columns[..size.width as usize].fill(0);
        Self { columns, size }
    }

    /// Creates the board drawn by `rows`, from the top: `X` is a full cell, anything else an empty
    /// one. The board has the width of the rows and `height` rows; missing rows above are empty.
    ///
    /// # Errors
    /// If no board has that size.
    pub fn from_drawing(rows: &[&str], height: u32) -> Result<Self, InvalidValue> {
        let width = rows.first().map_or(0, |row| row.chars().count());
        let width = u32::try_from(width).unwrap_or(u32::MAX);
        let n_rows = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        if height < n_rows {
            let size = BoardSize { width, height: n_rows };
            return Err(InvalidValue::new("", &size, format!("at most {height} rows high")));
        }
        let mut board = Self::new(BoardSize::new(width, height)?);
        for (row, drawn) in rows.iter().rev().enumerate() {
            for (column, cell) in board.columns.iter_mut().zip(drawn.chars()) {
                *column |= u64::from(cell == 'X') << row;
            }
        }
        Ok(board)
    }

    /// Creates a board from `columns`, which must have no cell at or above the height of `size`.
    pub(crate) fn from_columns(size: BoardSize, columns: &[u64]) -> Self {
        let mut board = Self::new(size);
        board.columns[..columns.len()].copy_from_slice(columns);
        board
    }

    /// Returns the size of the board.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns the columns from left to right.
    #[must_use]
    pub fn columns(&self) -> &[u64] {
        &self.columns[..self.size.width as usize]
    }

    /// Returns the columns, padded with full ones to the width of the widest board.
    pub(crate) fn padded_columns(&self) -> &[u64; MAX_WIDTH] {
        &self.columns
    }

    /// Returns true if the cell is full.
    #[must_use]
    pub fn is_full(&self, row: u32, column: usize) -> bool {
        self.columns()[column] >> row & 1 == 1
    }

    /// Returns the board's row where the lowest row of `shape` comes to rest above `column`.
    #[must_use]
    #[inline]
    pub fn landing_row(&self, shape: &Orientation, column: usize) -> u32 {
        let mut row = 0;
        // In columns that the shape does not cover, it never rests.
        for (c, bottom) in shape.padded_bottoms.into_iter().enumerate() {
            let x = self.columns[(column + c).min(MAX_WIDTH - 1)];
            row = height(x).saturating_sub(bottom).max(row);
        }
        row
    }

    /// Drops `piece` at `placement`, which must be one of [`placements`].
    #[must_use]
    pub fn drop(&self, piece: Piece, placement: Placement, overflow: OverflowRule) -> DropOutcome {
        let mut board = *self;
        let landing = board.land(piece, placement, overflow);
        let PieceLanding { landing_row, piece_height, n_lines, n_eroded_cells, game_over, .. } =
            landing;
        DropOutcome { board, landing_row, piece_height, n_lines, n_eroded_cells, game_over }
    }

    /// Like [`drop`](Self::drop), but full rows stay on the board, and count as removed; so do full
    /// rows that the board had before.
    pub(crate) fn stack(
        &self,
        piece: Piece,
        placement: Placement,
        overflow: OverflowRule,
    ) -> DropOutcome {
        let mut board = *self;
        let shape = &piece.orientations()[placement.orientation];
        let landing_row = board.landing_row(shape, placement.column);
        board.add_piece(shape, placement.column, landing_row);
        let full_rows = board.full_rows();
        let n_lines = full_rows.count_ones();
        let top = match overflow {
            OverflowRule::EndsGame => landing_row + shape.height,
            OverflowRule::ClearsFirst => board.wall_height() - n_lines,
        };
        DropOutcome {
            board,
            landing_row,
            piece_height: shape.height,
            n_lines,
            n_eroded_cells: shape.n_cells_in(full_rows >> landing_row),
            game_over: self.size.height < top,
        }
    }

    /// Drops `piece` at `placement` onto this board.
    // Inlined so that it is compiled for the instructions of its caller.
    #[inline(always)]
    pub(crate) fn land(
        &mut self,
        piece: Piece,
        placement: Placement,
        overflow: OverflowRule,
    ) -> PieceLanding {
        let shape = &piece.orientations()[placement.orientation];
        let landing_row = self.landing_row(shape, placement.column);
        self.add_piece(shape, placement.column, landing_row);
        let ends =
            self.size.height < landing_row + shape.height && overflow == OverflowRule::EndsGame;
        let full_rows = if ends { 0 } else { self.full_rows() };
        self.clear_rows(shape, landing_row, full_rows, overflow)
    }

    /// Like [`land`](Self::land), for a known row of the piece's lowest cells and known rows to
    /// remove.
    #[inline(always)]
    pub(crate) fn land_at(
        &mut self,
        piece: Piece,
        placement: Placement,
        landing_row: u32,
        full_rows: u64,
        overflow: OverflowRule,
    ) -> PieceLanding {
        let shape = &piece.orientations()[placement.orientation];
        self.add_piece(shape, placement.column, landing_row);
        self.clear_rows(shape, landing_row, full_rows, overflow)
    }

    #[inline(always)]
    fn add_piece(&mut self, shape: &Orientation, column: usize, landing_row: u32) {
        // On copies, so that the loop becomes vector instructions.
        let (mut columns, cells) = (self.columns, *shape.cells_from(column));
        for (column, cells) in columns.iter_mut().zip(cells) {
            *column |= u64::from(cells) << landing_row;
        }
        self.columns = columns;
    }

    /// Removes `full_rows` and returns the result of the move.
    #[inline(always)]
    fn clear_rows(
        &mut self,
        shape: &Orientation,
        landing_row: u32,
        full_rows: u64,
        overflow: OverflowRule,
    ) -> PieceLanding {
        let mut landing = PieceLanding {
            landing_row,
            piece_height: shape.height,
            full_rows: 0,
            n_lines: 0,
            n_eroded_cells: 0,
            game_over: false,
        };
        if full_rows != 0 {
            landing.n_lines = full_rows.count_ones();
            landing.n_eroded_cells = shape.n_cells_in(full_rows >> landing_row);
            landing.full_rows = full_rows;
            remove_rows(&mut self.columns, full_rows);
        }
        if self.size.height < landing_row + shape.height {
            landing.game_over =
                overflow == OverflowRule::EndsGame || self.size.height < self.wall_height();
        }
        landing
    }

    /// Returns the height of the highest column.
    #[must_use]
    #[inline]
    pub fn wall_height(&self) -> u32 {
        height(self.occupied_rows())
    }

    /// Returns the rows with any full cell.
    pub(crate) fn occupied_rows(&self) -> u64 {
        self.columns().iter().fold(0, |rows, column| rows | column)
    }

    #[inline]
    fn full_rows(&self) -> u64 {
        self.columns.iter().fold(u64::MAX, |rows, column| rows & column)
    }
}

/// Removes `rows` from each of `columns`.
#[inline(always)]
pub(crate) fn remove_rows(columns: &mut [u64], mut rows: u64) {
    // Only columns beyond the width have this bit, and keep it.
    const LAST: u64 = 1 << 63;
    while rows != 0 {
        // From the top, so that the rows below keep their places.
        let row = u64::BITS - 1 - rows.leading_zeros();
        let below = (1 << row) - 1;
        for column in &mut *columns {
            *column = *column & (below | LAST) | *column >> 1 & !below;
        }
        rows &= below;
    }
}

/// Returns the height of a column: the row above its highest full cell.
pub(crate) fn height(column: u64) -> u32 {
    u64::BITS - column.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_placements_as_in_the_literature() {
        let n = |piece| placements(piece, BoardSize::STANDARD).count();
        assert_eq!(Piece::ALL.map(n), [17, 9, 34, 17, 17, 34, 34]);
    }

    #[test]
    fn rows_are_removed_and_those_above_fall() {
        let board = Board::from_drawing(&["X...", "XX.X", ".X.X", "XX.X"], 6).unwrap();
        let vertical = Placement { orientation: 0, column: 2 };
        let outcome = board.drop(Piece::I, vertical, OverflowRule::EndsGame);
        assert_eq!(outcome.board, Board::from_drawing(&["X.X.", ".XXX"], 6).unwrap());
        assert_eq!((outcome.n_lines, outcome.n_eroded_cells, outcome.landing_row), (2, 2, 0));
        assert!(!outcome.game_over);
    }

    #[test]
    fn overflow_ends_the_game_or_clears_first() {
        let board = Board::from_drawing(&[".XXX", ".XXX", ".XXX", "X..X"], 4).unwrap();
        let vertical = Placement { orientation: 0, column: 0 };
        let ends = board.drop(Piece::I, vertical, OverflowRule::EndsGame);
        assert!(ends.game_over && ends.n_lines == 0);
        let clears = board.drop(Piece::I, vertical, OverflowRule::ClearsFirst);
        assert_eq!(clears.board, Board::from_drawing(&["X...", "X..X"], 4).unwrap());
        assert!(!clears.game_over && clears.n_lines == 3);
    }

    #[test]
    fn sizes_are_checked() {
        assert!(BoardSize::new(4, 4).is_ok() && BoardSize::new(16, 32).is_ok());
        for (width, height) in [(3, 20), (17, 20), (10, 3), (10, 33)] {
            assert!(BoardSize::new(width, height).is_err());
        }
    }
}
