//! A player's view of a position.

use crate::board::NodeSet;
use crate::rules::{DevelopmentCard, GameState, Island, Seat};

use super::building_speed::Economy;

/// A position as one player sees it.
///
/// The viewer counts cards: it knows the resources in every hand, because nearly all of them come
/// and go openly. It knows nothing of other players' development cards.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayerView<'a> {
    pub(super) island: &'a Island,
    pub(super) state: &'a GameState,
    /// The viewing seat; none for the public view.
    pub(super) viewer: Option<Seat>,
}

impl PlayerView<'_> {
    pub(super) fn economy(self, seat: Seat) -> Economy {
        Economy::of(self.island, self.state, seat)
    }

    /// Returns the public view of the same position.
    pub(super) const fn public(self) -> Self {
        PlayerView { viewer: None, ..self }
    }

    /// Returns the points of `seat`: the viewer's own in full, and those that all can see of
    /// others.
    pub(super) fn points(self, seat: Seat) -> u8 {
        if self.viewer == Some(seat) {
            self.state.points(seat)
        } else {
            self.state.visible_points(seat)
        }
    }

    /// Returns the knights of `seat`: those played, and also those in hand if it is the viewer's
    /// seat.
    pub(super) fn knights(self, seat: Seat) -> u8 {
        let is_own = self.viewer == Some(seat);
        let in_hand =
            if is_own { self.state.cards(seat).count(DevelopmentCard::Knight) } else { 0 };
        self.state.knights(seat) + in_hand
    }

    pub(super) const fn buildings(self, seat: Seat) -> NodeSet {
        self.state.settlements(seat).union(self.state.cities(seat))
    }

    /// Returns the buildings of the opponents of `seat`.
    pub(super) fn opponent_buildings(self, seat: Seat) -> NodeSet {
        let [a, b, c] = seat.others().map(|other| self.buildings(other));
        a.union(b).union(c)
    }
}
