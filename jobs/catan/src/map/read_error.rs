//! Errors in texts that should be maps, and the constants of map files that they name.

use std::fmt;

use hatchery_core::DecodeError;

use super::MapError;
use crate::board::{Hex, PortPlace};

/// The value of the key `format`.
pub(super) const FORMAT: &str = "hatchery-catan-map";

/// The value of the key `version`.
pub(super) const VERSION: u64 = 1;

/// The longest name, which must fit above a picture.
pub(super) const MAX_NAME_CHARS: usize = 80;

/// The longest certificate: that of a panel has some 500 characters for each of at most ten agents.
pub(super) const MAX_CERTIFICATE_CHARS: usize = 8_000;

/// The reason why a text is no map.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is no JSON, or JSON of another shape; the source has line and column.
    #[error("not the JSON of a map")]
    Json(#[from] serde_json::Error),
    /// The text has another format.
    #[error("`format` is `{found}` instead of `{}`", FORMAT)]
    Format {
        /// The format that it names, shortened.
        found: String,
    },
    /// The text has an unsupported version.
    #[error("`version` is {found}; this program reads version {}", VERSION)]
    Version {
        /// The version that it names.
        found: u64,
    },
    /// The name is too long or has control characters.
    #[error("`name` has more than {} characters, or control characters", MAX_NAME_CHARS)]
    Name,
    /// The certificate does not fit on a page, or has control characters.
    #[error(
        "`certificate` has more than {} characters, or control characters",
        MAX_CERTIFICATE_CHARS
    )]
    Certificate,
    /// The text has too many or too few items of a kind.
    #[error("{found} {what} instead of {right}")]
    Count {
        /// The kind of items.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number required.
        right: usize,
    },
    /// A word is unknown.
    #[error("{place}: unknown {what} `{found}`; use one of {known}")]
    Unknown {
        /// The place in the text.
        place: MapLocation,
        /// The kind of word expected.
        what: &'static str,
        /// The word, shortened.
        found: String,
        /// The known words.
        known: &'static str,
    },
    /// The desert has a token.
    #[error("{place}: the desert has token {token}; it has none")]
    TokenOnDesert {
        /// The place in the text.
        place: MapLocation,
        /// The token.
        token: i64,
    },
    /// A tile that produces a resource has no token.
    #[error("{place}: no token; every tile but the desert has one")]
    NoToken {
        /// The place in the text.
        place: MapLocation,
    },
    /// A place does not exist on the board of the base game.
    #[error("{place}: {problem}")]
    Misplaced {
        /// The place in the text.
        place: MapLocation,
        /// The problem with the place.
        problem: &'static str,
    },
    /// A place is missing from the text.
    #[error("{place} is missing")]
    Missing {
        /// The place in the text.
        place: MapLocation,
    },
    /// A place is described more than once.
    #[error("{place} comes twice")]
    Twice {
        /// The place in the text.
        place: MapLocation,
    },
    /// All places are filled, but not with the pieces of the base game.
    #[error(transparent)]
    Parts(#[from] MapError),
}

/// A place in a text that describes a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapLocation {
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

impl fmt::Display for MapLocation {
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
    /// Creates [`ReadError::Unknown`]. `found` must be short; see
    /// [`excerpt`](hatchery_core::text::excerpt).
    pub(super) fn unknown(
        place: MapLocation,
        what: &'static str,
        found: impl fmt::Display,
        known: &'static str,
    ) -> Self {
        Self::Unknown { place, what, found: found.to_string(), known }
    }
}

impl From<ReadError> for DecodeError {
    fn from(error: ReadError) -> Self {
        Self::field("", &error, "the line of a map")
    }
}
