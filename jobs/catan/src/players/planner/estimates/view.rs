//! A player's view of a position.

use crate::board::NodeSet;
use crate::resource::ResourceCards;
use crate::rules::{DevelopmentCard, GameState, Island, Seat};

use super::building_speed::Economy;
use crate::players::CardCounter;

/// A position as one player sees it.
///
/// The viewer sees the resources in every hand, or only the resources that it has counted. It does
/// not see other players' development cards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayerView<'a> {
    pub(crate) island: &'a Island,
    pub(crate) state: &'a GameState,
    /// The viewing seat; none for the public view.
    pub(crate) viewer: Option<Seat>,
    /// The viewer's counter of cards; none if it sees all hands.
    pub(crate) counter: Option<&'a CardCounter>,
}

impl<'a> PlayerView<'a> {
    /// Returns the position as `viewer` sees it if it sees all hands.
    #[cfg(test)]
    pub(crate) const fn of_all_hands(
        island: &'a Island,
        state: &'a GameState,
        viewer: Seat,
    ) -> Self {
        Self { island, state, viewer: Some(viewer), counter: None }
    }

    /// Returns the resource cards of `seat` that the viewer can be sure of: the whole hand, or the
    /// cards that the viewer's counter is certain of.
    pub(crate) fn hand(self, seat: Seat) -> ResourceCards {
        match self.counter {
            Some(counter) if self.viewer != Some(seat) => counter.certain(seat),
            _ => self.state.hand(seat),
        }
    }

    /// Returns the points that win the game.
    pub(crate) const fn points_to_win(self) -> u8 {
        self.state.variant().points_to_win
    }

    pub(crate) fn economy(self, seat: Seat) -> Economy {
        Economy::of(self.island, self.state, seat)
    }

    /// Returns the public view of the same position.
    pub(crate) const fn public(self) -> Self {
        Self { viewer: None, ..self }
    }

    /// Returns the points of `seat`: the viewer's own points in full, and for another player the
    /// points that everybody can see.
    pub(crate) fn points(self, seat: Seat) -> u8 {
        if self.viewer == Some(seat) {
            self.state.points(seat)
        } else {
            self.state.visible_points(seat)
        }
    }

    /// Returns the knights of `seat`: those played, and also those in hand if it is the viewer's
    /// seat.
    pub(crate) fn knights(self, seat: Seat) -> u8 {
        let is_own = self.viewer == Some(seat);
        let in_hand =
            if is_own { self.state.cards(seat).count(DevelopmentCard::Knight) } else { 0 };
        self.state.knights(seat) + in_hand
    }

    pub(crate) const fn buildings(self, seat: Seat) -> NodeSet {
        self.state.settlements(seat).union(self.state.cities(seat))
    }

    /// Returns the buildings of the opponents of `seat`.
    pub(crate) fn opponent_buildings(self, seat: Seat) -> NodeSet {
        let [a, b, c] = seat.others().map(|other| self.buildings(other));
        a.union(b).union(c)
    }
}
