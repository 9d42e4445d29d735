//! The setup of a game.

use hatchery_core::WireValue;

use crate::map::Map;
use crate::players::Agent;
use crate::rules::Seat;

/// The longest turn cap that may be requested, in turns by any player. Of 400,000 games of random
/// players, all but 10 take at most a fifth of this cap.
pub const MAX_TURNS: u16 = 10_000;

/// The setup of a game: a map, four agents by their seats, and a turn cap.
#[derive(Clone, Debug, PartialEq, WireValue)]
pub struct GameSetup {
    /// The map.
    #[wire(tag = 1)]
    pub map: Map,
    /// The agent that plays each seat.
    #[wire(tag = 2)]
    pub seats: [Agent; Seat::COUNT],
    /// Turns after which the game is stopped undecided, from 1 to [`MAX_TURNS`].
    #[wire(tag = 3, range(min = 1, max = MAX_TURNS))]
    pub turn_cap: u16,
}
