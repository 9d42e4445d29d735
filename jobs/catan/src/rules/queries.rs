//! Queries of a state.

use crate::board::{Edge, EdgeSet, Hex, NodeSet};
use crate::resource::{Resource, ResourceCards};

use super::development::{DevelopmentCard, DevelopmentCards};
use super::seat::Seat;
use super::state::{GamePhase, GameState};
use super::variant::GameVariant;
use super::{CITIES, SETTLEMENTS, road};

impl GameState {
    /// Returns the variant of the rules.
    #[must_use]
    pub const fn variant(&self) -> GameVariant {
        self.variant
    }

    /// Returns the seats with a player, in their order.
    #[must_use]
    pub fn seats(&self) -> &'static [Seat] {
        &Seat::ALL[..usize::from(self.variant.n_players)]
    }

    /// Returns the phase: what the game waits for.
    #[must_use]
    pub const fn phase(&self) -> GamePhase {
        self.phase
    }

    /// Returns the seat to act: not always the current player's.
    #[must_use]
    pub const fn actor(&self) -> Seat {
        self.actor
    }

    /// Returns the current player's seat: the one whose turn it is.
    #[must_use]
    pub const fn current_seat(&self) -> Seat {
        self.current_seat
    }

    /// Returns the number of the turn: 0 in the setup, then from 1, counting every player's turns.
    #[must_use]
    pub const fn turn(&self) -> u16 {
        self.turn
    }

    /// Returns the winner, once there is one.
    #[must_use]
    pub const fn winner(&self) -> Option<Seat> {
        match self.phase {
            GamePhase::Won(seat) => Some(seat),
            _ => None,
        }
    }

    /// Returns true if the dice have been thrown in this turn.
    #[must_use]
    pub const fn has_rolled(&self) -> bool {
        self.has_rolled
    }

    /// Returns the hex of the robber.
    #[must_use]
    pub const fn robber(&self) -> Hex {
        self.robber
    }

    /// Returns the resource cards left in the bank.
    #[must_use]
    pub const fn bank(&self) -> ResourceCards {
        self.bank
    }

    /// Returns the development cards left to buy. Their order is hidden from everybody.
    #[must_use]
    pub const fn deck(&self) -> DevelopmentCards {
        self.deck
    }

    /// Returns the resource cards of `seat`.
    #[must_use]
    pub const fn hand(&self, seat: Seat) -> ResourceCards {
        self.player(seat).hand
    }

    /// Returns the unplayed development cards of `seat`.
    #[must_use]
    pub const fn cards(&self, seat: Seat) -> DevelopmentCards {
        self.player(seat).cards
    }

    /// Returns true if the timing rules let the current player play a card of this kind: it holds
    /// one that was not bought in this turn, and has played no card in this turn.
    #[must_use]
    pub const fn is_playable(&self, card: DevelopmentCard) -> bool {
        !self.has_played_card
            && self.bought.count(card) < self.player(self.current_seat).cards.count(card)
            && !matches!(card, DevelopmentCard::VictoryPoint)
    }

    /// Returns the number of knights that `seat` has played.
    #[must_use]
    pub const fn knights(&self, seat: Seat) -> u8 {
        self.player(seat).knights
    }

    /// Returns the number of cards that `seat` still has to discard after a 7.
    #[must_use]
    pub const fn to_discard(&self, seat: Seat) -> u8 {
        self.player(seat).to_discard
    }

    /// Returns the roads of `seat`.
    #[must_use]
    pub const fn roads(&self, seat: Seat) -> EdgeSet {
        self.player(seat).roads
    }

    /// Returns the settlements of `seat`, without its cities.
    #[must_use]
    pub const fn settlements(&self, seat: Seat) -> NodeSet {
        self.player(seat).settlements
    }

    /// Returns the cities of `seat`.
    #[must_use]
    pub const fn cities(&self, seat: Seat) -> NodeSet {
        self.player(seat).cities
    }

    /// Returns the number of roads that `seat` has left to build.
    #[must_use]
    pub const fn roads_left(&self, seat: Seat) -> u8 {
        self.player(seat).roads_left
    }

    /// Returns the number of settlements that `seat` has left to build.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "at most 5")]
    pub const fn settlements_left(&self, seat: Seat) -> u8 {
        SETTLEMENTS - self.player(seat).settlements.len() as u8
    }

    /// Returns the number of cities that `seat` has left to build.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "at most 4")]
    pub const fn cities_left(&self, seat: Seat) -> u8 {
        CITIES - self.player(seat).cities.len() as u8
    }

    /// Returns the nodes where the distance rule allows a settlement.
    #[must_use]
    pub const fn open_nodes(&self) -> NodeSet {
        self.open
    }

    /// Returns the nodes where `seat` may place a settlement after the setup, regardless of cost
    /// and remaining pieces.
    #[must_use]
    pub const fn settlement_places(&self, seat: Seat) -> NodeSet {
        self.player(seat).network.and(self.open)
    }

    /// Returns the edges where `seat` may place a road after the setup, regardless of cost and
    /// remaining pieces.
    #[must_use]
    pub fn road_places(&self, seat: Seat) -> EdgeSet {
        let from = self.player(seat).network.minus(self.opponent_buildings(seat));
        let reach = from.fold(EdgeSet::EMPTY, |reach, node| reach.union(node.edge_set()));
        self.players.iter().fold(reach, |free, player| free.minus(player.roads))
    }

    /// Returns the number of cards of `resource` that the bank takes from `seat` for one other
    /// card: 2, 3 or 4.
    #[must_use]
    pub const fn rate(&self, seat: Seat, resource: Resource) -> u8 {
        self.player(seat).ports.rate(resource)
    }

    /// Returns the number of edges in the longest trail through the roads of `seat`.
    #[must_use]
    pub const fn road_length(&self, seat: Seat) -> u8 {
        self.player(seat).road_length
    }

    /// Returns the road length that `seat` would have with a road on `edge`.
    #[must_use]
    pub fn road_length_with(&self, seat: Seat, edge: Edge) -> u8 {
        let player = self.player(seat);
        let blocked = self.opponent_buildings(seat);
        player.road_length.max(road::longest_through(edge, player.roads, blocked))
    }

    /// Returns the holder of the longest road.
    #[must_use]
    pub const fn longest_road(&self) -> Option<Seat> {
        self.longest_road
    }

    /// Returns the holder of the largest army.
    #[must_use]
    pub const fn largest_army(&self) -> Option<Seat> {
        self.largest_army
    }

    /// Returns the points of `seat` that all players can see.
    #[must_use]
    pub fn visible_points(&self, seat: Seat) -> u8 {
        let player = self.player(seat);
        let buildings = player.settlements.len() + 2 * player.cities.len();
        let awards = [self.longest_road, self.largest_army].map(|holder| holder == Some(seat));
        let awarded: u8 = awards.map(|has| if has { 2 } else { 0 }).iter().sum();
        u8::try_from(buildings).unwrap_or(u8::MAX) + awarded
    }

    /// Returns the points of `seat`, including those on hidden cards.
    #[must_use]
    pub fn points(&self, seat: Seat) -> u8 {
        self.visible_points(seat) + self.cards(seat).count(DevelopmentCard::VictoryPoint)
    }
}
