//! The setup of a game.

use hatchery_core::WireValue;

use crate::map::Map;
use crate::players::{Agent, AnyPlayer};
use crate::rules::{
    FEWEST_PLAYERS, FEWEST_POINTS, GameVariant, Island, MOST_POINTS, POINTS_TO_WIN, RobberRule,
    Seat,
};

/// The longest turn cap that may be requested, in turns by any player. Of 400,000 games of random
/// players, all but 10 take at most a fifth of this cap.
pub const MAX_TURNS: u16 = 10_000;

/// The setup of a game: a map, the agents by their seats, a turn cap, and the variant of the rules.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub struct GameSetup {
    /// The map.
    #[wire(tag = 1)]
    pub map: Map,
    /// The agent that plays each seat: 2 to 4.
    #[wire(tag = 2, length(min = FEWEST_PLAYERS, max = Seat::COUNT))]
    pub seats: Vec<Agent>,
    /// Turns after which the game is stopped undecided, from 1 to [`MAX_TURNS`].
    #[wire(tag = 3, range(min = 1, max = MAX_TURNS))]
    pub turn_cap: u16,
    /// The points that win; `None` stands for the [`POINTS_TO_WIN`] of the base game.
    #[wire(tag = 4, range(min = FEWEST_POINTS, max = MOST_POINTS))]
    pub points_to_win: Option<u8>,
    /// The rule of where the robber may go.
    #[wire(tag = 5)]
    pub robber: RobberRule,
}

impl GameSetup {
    /// Creates the setup of the base game.
    #[must_use]
    pub const fn of_base_game(map: Map, seats: Vec<Agent>, turn_cap: u16) -> Self {
        let (points_to_win, robber) = (None, RobberRule::Usual);
        Self { map, seats, turn_cap, points_to_win, robber }
    }

    /// Prepares the map for the game.
    ///
    /// # Panics
    /// If more agents play than there are seats.
    #[must_use]
    pub fn island(&self) -> Island {
        assert!(self.seats.len() <= Seat::COUNT, "{} agents play", self.seats.len());
        let n_players = u8::try_from(self.seats.len()).expect("at most four");
        let points_to_win = self.points_to_win.unwrap_or(POINTS_TO_WIN);
        Island::of_variant(self.map, GameVariant { n_players, points_to_win, robber: self.robber })
    }

    /// Creates the players, in the order of their seats.
    #[must_use]
    pub fn players(&self) -> Vec<AnyPlayer> {
        self.seats.iter().map(Agent::player).collect()
    }
}
