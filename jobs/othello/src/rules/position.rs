//! Positions with colors: what people, files and games speak of.

use std::fmt;
use std::str::FromStr;

use super::color::DiscColor;
use super::disc_board::DiscBoard;
use super::ops::BoardOps;
use super::ops::plain::PlainOps;
use super::score::DiscCount;
use super::square::{Square, SquareSet, shortened};

/// A position: the discs of both players, and the player to move.
///
/// Any discs are allowed, also such as no game leads to, but not two on one square.
///
/// As text it is 64 cells from a1 to h8, by rows, and the player to move: `X` is black, `O` white
/// and
/// `-` empty. Read are also `x`, `*` or `b` for black, `o` or `w` for white, and `.` for empty.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Position {
    mover: SquareSet,
    opponent: SquareSet,
    turn: DiscColor,
}

/// The options of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnState {
    /// It has at least one move.
    CanMove,
    /// It has no move, but the opponent has: it must pass.
    MustPass,
    /// Neither player has a move: the game is over.
    Over,
}

impl Position {
    /// The start of the game: white on d4 and e5, black on e4 and d5, black to move.
    pub const START: Self = Self {
        mover: SquareSet::from_bits(0x0000_0008_1000_0000),
        opponent: SquareSet::from_bits(0x0000_0010_0800_0000),
        turn: DiscColor::Black,
    };

    /// The number of squares.
    pub const N_CELLS: usize = 64;

    /// Returns the position with these discs.
    ///
    /// # Errors
    /// If a square has both colors.
    pub fn new(black: SquareSet, white: SquareSet, turn: DiscColor) -> Result<Self, PositionError> {
        let (mover, opponent) = match turn {
            DiscColor::Black => (black, white),
            DiscColor::White => (white, black),
        };
        let both = SquareSet::from_bits(black.bits() & white.bits());
        if !both.is_empty() {
            return Err(PositionError::Overlap { both });
        }
        Ok(Self { mover, opponent, turn })
    }

    /// Returns the position with the discs of the player to move and the discs of its opponent. The
    /// two sets share no square.
    pub(crate) const fn of_mover(mover: SquareSet, opponent: SquareSet, turn: DiscColor) -> Self {
        Self { mover, opponent, turn }
    }

    /// Reads 64 cells from a1 to h8, by rows.
    ///
    /// # Errors
    /// If there are more or fewer cells, or an unknown one.
    pub fn from_cells(cells: &[u8], turn: DiscColor) -> Result<Self, PositionError> {
        // People count characters, which may have several bytes.
        let cells = String::from_utf8_lossy(cells);
        let found = cells.chars().count();
        if found != Self::N_CELLS {
            return Err(PositionError::CellCount { found });
        }
        let (mut black, mut white) = (0, 0);
        for (index, cell) in (0_u8..).zip(cells.chars()) {
            match u8::try_from(cell).ok().and_then(color_of) {
                Some(DiscColor::Black) => black |= 1_u64 << index,
                Some(DiscColor::White) => white |= 1_u64 << index,
                None if matches!(cell, '-' | '.') => {}
                None => {
                    let found = shortened(cell.to_string().as_bytes());
                    return Err(PositionError::Cell { index, found });
                }
            }
        }
        Self::new(SquareSet::from_bits(black), SquareSet::from_bits(white), turn)
    }

    /// Returns the 64 cells from a1 to h8, by rows: `X`, `O` and `-`.
    #[must_use]
    pub fn cells(&self) -> String {
        let (black, white) = (self.discs(DiscColor::Black), self.discs(DiscColor::White));
        let cell = |square| match () {
            () if black.contains(square) => DiscColor::Black.letter(),
            () if white.contains(square) => DiscColor::White.letter(),
            () => '-',
        };
        SquareSet::from_bits(u64::MAX).iter().map(cell).collect()
    }

    /// Returns the board as the player to move sees it.
    #[must_use]
    #[inline(always)]
    pub fn board<B: BoardOps>(&self) -> DiscBoard<B> {
        DiscBoard::of(self.mover.bits(), self.opponent.bits())
    }

    fn plain(&self) -> DiscBoard<PlainOps> {
        self.board()
    }

    /// Returns the player to move.
    #[must_use]
    pub const fn turn(&self) -> DiscColor {
        self.turn
    }

    /// Returns the discs of a player.
    #[must_use]
    pub fn discs(&self, color: DiscColor) -> SquareSet {
        if color == self.turn { self.mover } else { self.opponent }
    }

    /// Returns the number of discs of both players.
    #[must_use]
    pub fn count(&self) -> DiscCount {
        let count = |color| self.discs(color).len();
        DiscCount { black: count(DiscColor::Black), white: count(DiscColor::White) }
    }

    /// Returns the squares where the player to move can play.
    #[must_use]
    pub fn legal_moves(&self) -> SquareSet {
        self.plain().legal_moves()
    }

    /// Returns what the player to move can do.
    #[must_use]
    pub fn state(&self) -> TurnState {
        match () {
            () if !self.legal_moves().is_empty() => TurnState::CanMove,
            () if !self.passed().legal_moves().is_empty() => TurnState::MustPass,
            () => TurnState::Over,
        }
    }

    /// Returns the position after a move on `square`; then the other player is to move, even if it
    /// must pass.
    ///
    /// # Errors
    /// If the move is illegal.
    pub fn apply(&self, square: Square) -> Result<Self, MoveError> {
        match self.plain().apply(square) {
            Some(next) => Ok(Self {
                mover: next.mover(),
                opponent: next.opponent(),
                turn: self.turn.opponent(),
            }),
            None => Err(self.refusal(square)),
        }
    }

    /// Returns the position after a pass.
    ///
    /// # Errors
    /// If the player to move has a move, or the game is over.
    pub fn pass(&self) -> Result<Self, MoveError> {
        let turn = self.turn;
        match self.state() {
            TurnState::MustPass => Ok(self.passed()),
            TurnState::CanMove => Err(MoveError::PassRefused { turn, legal: self.legal_moves() }),
            TurnState::Over => Err(MoveError::PassAfterEnd),
        }
    }

    /// Returns the position after the pass that the player to move must make, if it must.
    #[must_use]
    pub fn settled(&self) -> Self {
        if self.state() == TurnState::MustPass { self.passed() } else { *self }
    }

    fn passed(&self) -> Self {
        Self { mover: self.opponent, opponent: self.mover, turn: self.turn.opponent() }
    }

    fn refusal(&self, square: Square) -> MoveError {
        let turn = self.turn;
        match self.state() {
            TurnState::Over => MoveError::GameOver { square },
            TurnState::MustPass => MoveError::NoMove { square, turn },
            TurnState::CanMove => {
                let legal = self.legal_moves();
                if self.plain().empties().contains(square) {
                    MoveError::FlipsNothing { square, turn, legal }
                } else {
                    MoveError::Occupied { square, turn, legal }
                }
            }
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.cells(), self.turn.letter())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Position {
    type Err = PositionError;

    /// Reads 64 cells, a space and the player to move.
    fn from_str(text: &str) -> Result<Self, PositionError> {
        let (cells, turn) = text.trim().split_once(' ').unwrap_or_else(|| (text.trim(), ""));
        let color = match turn.trim_start().as_bytes() {
            &[letter] => color_of(letter),
            _ => None,
        };
        // Errors of the cells come first.
        let position = Self::from_cells(cells.as_bytes(), color.unwrap_or(DiscColor::Black))?;
        match color {
            Some(_) => Ok(position),
            None => Err(PositionError::Turn { found: shortened(turn.as_bytes()) }),
        }
    }
}

/// Returns the player that a letter means in files.
pub(crate) fn color_of(letter: u8) -> Option<DiscColor> {
    match letter {
        b'X' | b'x' | b'*' | b'b' | b'B' => Some(DiscColor::Black),
        b'O' | b'o' | b'w' | b'W' => Some(DiscColor::White),
        _ => None,
    }
}

/// The reason why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The square has a disc.
    #[error("{square} is occupied; {turn} can play {legal}")]
    Occupied {
        /// The square of the move.
        square: Square,
        /// The player to move.
        turn: DiscColor,
        /// Its legal moves.
        legal: SquareSet,
    },
    /// The move outflanks no disc.
    #[error("{square} flips no disc; {turn} can play {legal}")]
    FlipsNothing {
        /// The square of the move.
        square: Square,
        /// The player to move.
        turn: DiscColor,
        /// Its legal moves.
        legal: SquareSet,
    },
    /// The player to move has no move, but the opponent has.
    #[error("{turn} cannot play {square}: it has no move and must pass")]
    NoMove {
        /// The square of the move.
        square: Square,
        /// The player to move.
        turn: DiscColor,
    },
    /// The game is over.
    #[error("{square} comes after the end of the game: neither player has a move")]
    GameOver {
        /// The square of the move.
        square: Square,
    },
    /// The player passes, but has a move.
    #[error("{turn} cannot pass; it can play {legal}")]
    PassRefused {
        /// The player to move.
        turn: DiscColor,
        /// Its legal moves.
        legal: SquareSet,
    },
    /// The player passes, but the game is over.
    #[error("a pass comes after the end of the game: neither player has a move")]
    PassAfterEnd,
}

/// The reason why something is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// Squares have discs of both colors.
    #[error("squares with discs of both colors: {both}")]
    Overlap {
        /// The squares.
        both: SquareSet,
    },
    /// The text has another number of cells.
    #[error("{found} cells; a board has 64")]
    CellCount {
        /// The number found.
        found: usize,
    },
    /// A cell is unknown.
    #[error("cell {index} is `{found}`; cells are `X`, `O` and `-`")]
    Cell {
        /// The number of the cell, counted from 0.
        index: u8,
        /// The cell.
        found: String,
    },
    /// The player to move is missing or unknown.
    #[error("the player to move is `{found}`; it is `X` or `O`")]
    Turn {
        /// The text, shortened.
        found: String,
    },
}
