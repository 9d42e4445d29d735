//! What is wrong with a text that should be a map, and where.

use std::fmt;

use super::MapError;
use crate::board::{Hex, PortPlace};

/// Why a text is no map.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is no JSON, or JSON of another shape; the source has line and column.
    #[error("not the JSON of a map")]
    Json(#[from] serde_json::Error),
    /// It says that it is something else.
    #[error("`format` is `{found}` instead of `{}`", super::file::FORMAT)]
    Format {
        /// What it says, shortened.
        found: String,
    },
    /// It is of a version that is not known here.
    #[error("`version` is {found}; this program reads version {}", super::file::VERSION)]
    Version {
        /// What it says.
        found: u64,
    },
    /// The name is too long for one, or has control characters.
    #[error(
        "`name` has more than {} characters, or control characters",
        super::file::MAX_NAME_CHARS
    )]
    Name,
    /// There are too many or too few of something.
    #[error("{found} {what} instead of {right}")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        right: usize,
    },
    /// A place has a word that means nothing.
    #[error("{place}: unknown {what} `{found}`; use one of {known}")]
    Unknown {
        /// Where.
        place: Place,
        /// What the word should be.
        what: &'static str,
        /// The word, shortened.
        found: String,
        /// All words that mean something.
        known: &'static str,
    },
    /// The desert has a token.
    #[error("{place}: the desert has token {token}; it has none")]
    TokenOnDesert {
        /// Where.
        place: Place,
        /// The token.
        token: i64,
    },
    /// A tile that yields something has no token.
    #[error("{place}: no token; every tile but the desert has one")]
    NoToken {
        /// Where.
        place: Place,
    },
    /// A place does not exist on the board of the base game.
    #[error("{place}: {problem}")]
    Misplaced {
        /// Where.
        place: Place,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Nothing is said about a place.
    #[error("{place} is missing")]
    Missing {
        /// Where.
        place: Place,
    },
    /// A place is described more than once.
    #[error("{place} comes twice")]
    Twice {
        /// Where.
        place: Place,
    },
    /// All places are filled, but not with the parts of the base game.
    #[error(transparent)]
    Parts(#[from] MapError),
}

/// A place in a text that describes a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A tile, counted from 1 in the order of [`Hex::ALL`].
    Tile(Hex),
    /// A port, counted from 1 in the order of [`PortPlace::ALL`].
    Port(PortPlace),
    /// An entry of a Catanatron map, with its cube coordinates.
    Coordinate([i64; 3]),
    /// A line of a catanlog header.
    Line(&'static str),
    /// A word of a line of a catanlog header, counted from 1.
    Word(&'static str, usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tile(hex) => {
                let at = hex.axial();
                write!(f, "tile {} (q {}, r {})", hex.index() + 1, at.q, at.r)
            }
            Self::Port(place) => {
                let at = place.sea();
                write!(f, "port {} (sea hex q {}, r {})", place.index() + 1, at.q, at.r)
            }
            Self::Coordinate([x, y, z]) => write!(f, "tile at [{x}, {y}, {z}]"),
            Self::Line(line) => write!(f, "line `{line}:`"),
            Self::Word(line, number) => write!(f, "line `{line}:`, word {number}"),
        }
    }
}

impl ReadError {
    /// `found` must be short; see [`shortened`].
    pub(super) fn unknown(
        place: Place,
        what: &'static str,
        found: impl fmt::Display,
        known: &'static str,
    ) -> Self {
        Self::Unknown { place, what, found: found.to_string(), known }
    }
}

/// A text from outside, fit for a message: one line, of bounded length.
pub(super) fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let mut short: String = text.chars().take(MAX_CHARS).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        short.push_str("...");
    }
    short
}
