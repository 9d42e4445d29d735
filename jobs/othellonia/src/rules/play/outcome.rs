//! Players, and how games end.

use std::fmt;
use std::ops::ControlFlow;

/// A player, by the deck that it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Player {
    /// The player of the first deck.
    A,
    /// The player of the second deck.
    B,
}

impl Player {
    /// Both players.
    pub const ALL: [Self; 2] = [Self::A, Self::B];

    /// Returns the other player.
    #[must_use]
    pub const fn enemy(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// Returns 0 for A and 1 for B.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A",
            Self::B => "B",
        })
    }
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOutcome {
    /// The winner; `None` if HP are equal at the end.
    pub winner: Option<Player>,
    /// The reason for the end.
    pub cause: EndCause,
}

/// Breaks when the game is over.
pub(super) type GameFlow = ControlFlow<()>;

/// The reason for the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndCause {
    /// A player has no HP left.
    HpZero,
    /// A player has no piece on the board left.
    OneColor,
    /// A player has placed its whole deck: the higher HP win.
    DeckUsedUp,
    /// Neither player can place a piece: the higher HP win.
    NoMoves,
}

impl EndCause {
    /// All causes, in their order.
    pub const ALL: [Self; 4] = [Self::HpZero, Self::OneColor, Self::DeckUsedUp, Self::NoMoves];

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::HpZero => "HP 0",
            Self::OneColor => "one color",
            Self::DeckUsedUp => "deck used up",
            Self::NoMoves => "no moves",
        }
    }
}
