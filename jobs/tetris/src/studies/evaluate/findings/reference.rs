//! The paper's results in the same games.

use hatchery_core::findings::RichText;
use hatchery_figures::ReferenceValue;

use crate::params::game_params::PieceParams;
use crate::studies::evaluate::condition::PlayedCondition;

/// A game that Miyazaki & Arakawa measured a controller in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PaperGame {
    /// The standard game: 10x20, all pieces alike.
    Standard,
    /// The game that people played: 10x10, S and Z five times as often.
    People,
}

impl PaperGame {
    /// Returns the paper's game of a condition, if it is one.
    pub(super) fn of(condition: &PlayedCondition<'_>) -> Option<Self> {
        let PieceParams { i, o, t, z, s, j, l } = condition.draw.pieces;
        let is_even = [o, t, j, l].iter().all(|weight| *weight == i) && i != 0 && s == z;
        match (condition.board.width(), condition.board.height()) {
            (10, 20) if is_even && s == i => Some(Self::Standard),
            (10, 10) if is_even && s == 5 * i => Some(Self::People),
            _ => None,
        }
    }

    /// Returns the mean lines of the paper's controller.
    pub(super) fn lines(self) -> f64 {
        match self {
            // Miyazaki & Arakawa, Table 2: "proposed".
            Self::Standard => 60_228_109.0,
            // Miyazaki & Arakawa, the comparison with people.
            Self::People => 80.0,
        }
    }

    /// Returns the mean of the paper's controller as a line of a chart.
    pub(super) fn reference(self, scale: f64) -> ReferenceValue {
        ReferenceValue { name: "the paper's network".to_owned(), value: self.lines() / scale }
    }

    /// Returns what the paper says.
    pub(super) fn text(self) -> RichText {
        match self {
            Self::Standard => {
                "Miyazaki & Arakawa (Table 2) print means of 1,000 games each, which \
                               are within about 6.3 %: 60,228,109 lines of their network, \
                               32,115,826 of Boumaza's controller and 29,782,036 of that of Thiery \
                               & Scherrer."
                    .into()
            }
            Self::People => "In this game, Miyazaki & Arakawa report means of 80 lines of their \
                             controller and of 60, 24 and 16 lines of three people, without \
                             intervals."
                .into(),
        }
    }
}
