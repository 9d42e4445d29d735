//! What a planner looks at.

use crate::board::NodeSet;
use crate::rules::{DevelopmentCard, GameState, Island, Seat};

use super::estimate::Economy;

/// A position as one player sees it.
///
/// He counts cards: he knows the resources in every hand, for nearly all come and go openly. Of
/// other players' development cards he knows nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) island: &'a Island,
    pub(super) state: &'a GameState,
    /// Who looks; nobody in particular sees what all can see.
    pub(super) viewer: Option<Seat>,
}

impl<'a> View<'a> {
    /// The same player's view of another position on the same map.
    pub(super) const fn of<'b>(self, state: &'b GameState) -> View<'b>
    where
        'a: 'b,
    {
        View { island: self.island, state, viewer: self.viewer }
    }

    pub(super) fn economy(self, seat: Seat) -> Economy {
        Economy::of(self.island, self.state, seat)
    }

    /// What all can see of the same position.
    pub(super) const fn public(self) -> Self {
        View { viewer: None, ..self }
    }

    /// Points of `seat`: his own in full, of others those that all can see.
    pub(super) fn points(self, seat: Seat) -> u8 {
        if self.viewer == Some(seat) {
            self.state.points(seat)
        } else {
            self.state.visible_points(seat)
        }
    }

    /// Knights of `seat`: those played, and his own in hand.
    pub(super) fn knights(self, seat: Seat) -> u8 {
        let is_own = self.viewer == Some(seat);
        let in_hand =
            if is_own { self.state.cards(seat).count(DevelopmentCard::Knight) } else { 0 };
        self.state.knights(seat) + in_hand
    }

    pub(super) const fn buildings(self, seat: Seat) -> NodeSet {
        self.state.settlements(seat).union(self.state.cities(seat))
    }

    /// Buildings of the opponents of `seat`.
    pub(super) fn opponent_buildings(self, seat: Seat) -> NodeSet {
        let [a, b, c] = seat.others().map(|other| self.buildings(other));
        a.union(b).union(c)
    }
}
