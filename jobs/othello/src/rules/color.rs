//! The colors of the players.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A player, by the color of its discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiscColor {
    /// The player that begins: `X` or `*` in files.
    Black,
    /// The other player: `O` in files.
    White,
}

impl DiscColor {
    /// Returns the other player.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// Returns `X` for black and `O` for white.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'X',
            Self::White => 'O',
        }
    }
}

impl fmt::Display for DiscColor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Black => "black",
            Self::White => "white",
        })
    }
}
