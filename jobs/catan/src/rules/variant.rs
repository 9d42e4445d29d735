//! Variants of the base game: fewer players, other points to win, a friendly robber.

use hatchery_core::WireElement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::seat::Seat;

/// The points that win a game of the base game in a player's own turn.
pub const POINTS_TO_WIN: u8 = 10;

/// The fewest players of a game. The base game is for three or four; two play by the same rules.
pub const FEWEST_PLAYERS: usize = 2;

/// The fewest points to win: one more than each player has after the setup.
pub const FEWEST_POINTS: u8 = 3;

/// The most points to win. The pieces, awards and cards of a player are worth 22 points at most.
pub const MOST_POINTS: u8 = 20;

/// The points from which a player is not spared by a friendly robber.
pub(super) const UNSPARED_POINTS: u8 = 3;

/// The rule of where the robber may go.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    WireElement,
)]
#[serde(rename_all = "kebab-case")]
pub enum RobberRule {
    /// To every other hex.
    #[default]
    Usual,
    /// To no hex at a building of a player with two points that all can see, but the desert. Such a
    /// player is not robbed. If no hex is left, the robber stays (Traders & Barbarians).
    Friendly,
}

impl RobberRule {
    /// Returns true if the rule is that of the base game.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::Usual
    }
}

/// A variant of the base game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameVariant {
    /// The number of players, from [`FEWEST_PLAYERS`] to [`Seat::COUNT`]: the first seats play.
    pub n_players: u8,
    /// The points that win, from [`FEWEST_POINTS`] to [`MOST_POINTS`].
    pub points_to_win: u8,
    /// The rule of where the robber may go.
    pub robber: RobberRule,
}

impl GameVariant {
    /// The base game for four players.
    #[expect(clippy::cast_possible_truncation, reason = "four seats")]
    pub const BASE: Self = Self {
        n_players: Seat::COUNT as u8,
        points_to_win: POINTS_TO_WIN,
        robber: RobberRule::Usual,
    };
}
