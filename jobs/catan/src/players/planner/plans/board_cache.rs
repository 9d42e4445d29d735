//! A planner's cache of what it computed about the board, valid while no piece is added.

use crate::players::planner::estimates::view::PlayerView;
use crate::players::planner::estimates::win_eta::{WinEta, knights_to_army};
use crate::players::planner::params::PlannerVariant;
use crate::rules::{GameState, Seat};

use super::build_plan::BestGoals;

/// The cache that a planner keeps during a game, seat by seat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoardCache([SeatCache; Seat::COUNT]);

#[derive(Clone, Copy, Debug)]
struct SeatCache {
    best_goals: Option<(u32, BestGoals)>,
    way: Option<(WinEtaKey, u16)>,
}

/// The public information that a player's time to victory depends on within a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WinEtaKey {
    n_pieces: u32,
    points: u8,
    knights_to_army: Option<u8>,
}

impl BoardCache {
    /// The cache of a game that begins.
    pub(crate) const NONE: Self = Self([SeatCache { best_goals: None, way: None }; Seat::COUNT]);

    /// Returns the best goals that the board of this game offers `seat`, for a planner whose
    /// variant is the same in the whole game.
    pub(crate) fn best_goals(
        &mut self,
        view: PlayerView<'_>,
        seat: Seat,
        variant: PlannerVariant,
    ) -> BestGoals {
        let n_pieces = n_pieces(view.state);
        let known = &mut self.0[seat.index()].best_goals;
        match known {
            Some((then, best_goals)) if *then == n_pieces => *best_goals,
            _ => known.insert((n_pieces, BestGoals::of(view, seat, variant))).1,
        }
    }

    /// Returns the number of throws until `seat` could have won, by public information.
    pub(crate) fn throws_to_win(&mut self, view: PlayerView<'_>, seat: Seat) -> u16 {
        let view = view.public();
        let way = WinEtaKey {
            n_pieces: n_pieces(view.state),
            points: view.points(seat),
            knights_to_army: knights_to_army(view, seat),
        };
        let known = &mut self.0[seat.index()].way;
        match known {
            Some((then, throws)) if *then == way => *throws,
            _ => known.insert((way, WinEta::of(view, seat).throws_to_win(view.island))).1,
        }
    }
}

/// Returns a number that grows with every piece, so it is never the same for two boards of a game.
pub(crate) fn n_pieces(state: &GameState) -> u32 {
    // A city counts twice, so that it differs from the settlement that it replaces.
    let pieces = |seat: Seat| {
        state.roads(seat).len() + state.settlements(seat).len() + 2 * state.cities(seat).len()
    };
    Seat::ALL.map(pieces).iter().sum()
}
