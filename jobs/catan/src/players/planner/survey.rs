//! What a planner has worked out of the board, kept while no piece is added.

use crate::rules::{GameState, Seat};

use super::eta::{Outlook, knights_to_army};
use super::plan::Prospects;
use super::view::View;

/// What was worked out in one game, for each seat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survey([Surveyed; Seat::COUNT]);

#[derive(Clone, Copy, Debug)]
struct Surveyed {
    prospects: Option<(u32, Prospects)>,
    way: Option<(Way, u16)>,
}

/// What a player's way to victory depends on within a game, as all can see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    n_pieces: u32,
    points: u8,
    knights_to_army: Option<u8>,
}

impl Survey {
    /// Of a game that begins.
    pub(super) const NONE: Self = Self([Surveyed { prospects: None, way: None }; Seat::COUNT]);

    /// What the board of this game offers `seat`.
    pub(super) fn prospects(&mut self, view: View<'_>, seat: Seat) -> Prospects {
        let n_pieces = n_pieces(view.state);
        let known = &mut self.0[seat.index()].prospects;
        match known {
            Some((then, prospects)) if *then == n_pieces => *prospects,
            _ => known.insert((n_pieces, Prospects::of(view, seat))).1,
        }
    }

    /// Throws until `seat` could have won, as all can see.
    pub(super) fn throws_to_win(&mut self, view: View<'_>, seat: Seat) -> u16 {
        let view = view.public();
        let way = Way {
            n_pieces: n_pieces(view.state),
            points: view.points(seat),
            knights_to_army: knights_to_army(view, seat),
        };
        let known = &mut self.0[seat.index()].way;
        match known {
            Some((then, throws)) if *then == way => *throws,
            _ => known.insert((way, Outlook::of(view, seat).throws_to_win(view.island))).1,
        }
    }
}

/// A number that grows with every piece: it is never the same for two boards of a game.
pub(super) fn n_pieces(state: &GameState) -> u32 {
    // Weighed so that a city counts beside the settlement that it was.
    let pieces = |seat: Seat| {
        state.roads(seat).len() + state.settlements(seat).len() + 2 * state.cities(seat).len()
    };
    Seat::ALL.map(pieces).iter().sum()
}
