//! A game of an archive, and its place there.

use std::fmt;
use std::sync::Arc;

use crate::record::RecordedGame;

/// A game of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedGame {
    /// The place in the archive.
    pub place: GamePlace,
    /// The black player; empty if unknown.
    pub black: String,
    /// The white player; empty if unknown.
    pub white: String,
    /// The event and the date; empty if unknown.
    pub event: String,
    /// The moves.
    pub game: RecordedGame,
}

/// The place of a game: `WTH_2001.wtb, game 17` or `game 17 (line 40)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GamePlace {
    /// The name of the file; `None` for a text.
    pub file: Option<Arc<str>>,
    /// The number of the game in the file, counted from 1.
    pub number: usize,
    /// The line that it begins in, counted from 1; `None` in a file without lines.
    pub line: Option<usize>,
}

impl fmt::Display for GamePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}, ")?;
        }
        write!(f, "game {}", self.number)?;
        match self.line {
            Some(line) => write!(f, " (line {line})"),
            None => Ok(()),
        }
    }
}
