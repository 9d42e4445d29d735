//! Variants of the base game: fewer players, and other points to win.

use super::seat::Seat;

/// The points that win a game of the base game in a player's own turn.
pub const POINTS_TO_WIN: u8 = 10;

/// The fewest players of a game. The base game is for three or four; two play by the same rules.
pub const FEWEST_PLAYERS: usize = 2;

/// The fewest points to win: one more than each player has after the setup.
pub const FEWEST_POINTS: u8 = 3;

/// The most points to win. The pieces, awards and cards of a player are worth 22 points at most.
pub const MOST_POINTS: u8 = 20;

/// A variant of the base game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameVariant {
    /// The number of players, from [`FEWEST_PLAYERS`] to [`Seat::COUNT`]: the first seats play.
    pub n_players: u8,
    /// The points that win, from [`FEWEST_POINTS`] to [`MOST_POINTS`].
    pub points_to_win: u8,
}

impl GameVariant {
    /// The base game for four players.
    #[expect(clippy::cast_possible_truncation, reason = "four seats")]
    pub const BASE: Self = Self { n_players: Seat::COUNT as u8, points_to_win: POINTS_TO_WIN };
}
