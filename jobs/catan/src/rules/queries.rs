//! What can be read off a state.

use crate::board::{Edge, EdgeSet, Hex, Node, NodeSet};
use crate::resource::{Cards, Resource};

use super::development::{Deck, Development};
use super::seat::Seat;
use super::state::{Phase, State};
use super::{CITIES, SETTLEMENTS, road};

impl State {
    /// What the game waits for.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The seat that acts: not always the one on turn.
    #[must_use]
    pub const fn actor(&self) -> Seat {
        self.actor
    }

    /// The seat whose turn it is.
    #[must_use]
    pub const fn on_turn(&self) -> Seat {
        self.on_turn
    }

    /// The number of the turn: 0 in the setup, then from 1; every player's turn counts.
    #[must_use]
    pub const fn turn(&self) -> u16 {
        self.turn
    }

    /// Who has won.
    #[must_use]
    pub const fn winner(&self) -> Option<Seat> {
        match self.phase {
            Phase::Won(seat) => Some(seat),
            _ => None,
        }
    }

    /// Whether the dice were thrown in this turn.
    #[must_use]
    pub const fn has_rolled(&self) -> bool {
        self.has_rolled
    }

    /// Where the robber stands.
    #[must_use]
    pub const fn robber(&self) -> Hex {
        self.robber
    }

    /// The resource cards left in the bank.
    #[must_use]
    pub const fn bank(&self) -> Cards {
        self.bank
    }

    /// The development cards left to buy; their order is not known to anybody.
    #[must_use]
    pub const fn deck(&self) -> Deck {
        self.deck
    }

    /// The resource cards of `seat`.
    #[must_use]
    pub const fn hand(&self, seat: Seat) -> Cards {
        self.player(seat).hand
    }

    /// The unplayed development cards of `seat`.
    #[must_use]
    pub const fn cards(&self, seat: Seat) -> Deck {
        self.player(seat).cards
    }

    /// Whether the player on turn may play a card of this kind in this turn as far as its timing
    /// goes: he has it, has not bought it just now, and has played none.
    #[must_use]
    pub const fn is_playable(&self, card: Development) -> bool {
        !self.has_played_card
            && self.bought.count(card) < self.player(self.on_turn).cards.count(card)
            && !matches!(card, Development::VictoryPoint)
    }

    /// Knights that `seat` has played.
    #[must_use]
    pub const fn knights(&self, seat: Seat) -> u8 {
        self.player(seat).knights
    }

    /// Cards that `seat` has still to give up after a 7.
    #[must_use]
    pub const fn to_discard(&self, seat: Seat) -> u8 {
        self.player(seat).to_discard
    }

    /// The roads of `seat`.
    #[must_use]
    pub const fn roads(&self, seat: Seat) -> EdgeSet {
        self.player(seat).roads
    }

    /// The settlements of `seat` that are not cities.
    #[must_use]
    pub const fn settlements(&self, seat: Seat) -> NodeSet {
        self.player(seat).settlements
    }

    /// The cities of `seat`.
    #[must_use]
    pub const fn cities(&self, seat: Seat) -> NodeSet {
        self.player(seat).cities
    }

    /// Roads that `seat` has left to build.
    #[must_use]
    pub const fn roads_left(&self, seat: Seat) -> u8 {
        self.player(seat).roads_left
    }

    /// Settlements that `seat` has left to build.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "at most 5")]
    pub const fn settlements_left(&self, seat: Seat) -> u8 {
        SETTLEMENTS - self.player(seat).settlements.len() as u8
    }

    /// Cities that `seat` has left to build.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "at most 4")]
    pub const fn cities_left(&self, seat: Seat) -> u8 {
        CITIES - self.player(seat).cities.len() as u8
    }

    /// Who has a settlement or city on `node`.
    #[must_use]
    pub fn owner(&self, node: Node) -> Option<Seat> {
        Seat::ALL.into_iter().find(|seat| self.player(*seat).buildings().contains(node))
    }

    /// Nodes where the distance rule lets anybody build.
    #[must_use]
    pub const fn open_nodes(&self) -> NodeSet {
        self.open
    }

    /// Where `seat` may place a settlement outside the setup, its cost and pieces aside.
    #[must_use]
    pub const fn settlement_places(&self, seat: Seat) -> NodeSet {
        self.player(seat).touched.and(self.open)
    }

    /// Where `seat` may place a road outside the setup, its cost and pieces aside.
    #[must_use]
    pub fn road_places(&self, seat: Seat) -> EdgeSet {
        let from = self.player(seat).touched.minus(self.buildings_against(seat));
        let reach = from.fold(EdgeSet::EMPTY, |reach, node| reach.union(node.edge_set()));
        self.players.iter().fold(reach, |free, player| free.minus(player.roads))
    }

    /// Cards of `resource` that the bank wants from `seat` for one other: 2, 3 or 4.
    #[must_use]
    pub const fn rate(&self, seat: Seat, resource: Resource) -> u8 {
        self.player(seat).ports.rate(resource)
    }

    /// Edges in the longest trail through the roads of `seat`.
    #[must_use]
    pub const fn road_length(&self, seat: Seat) -> u8 {
        self.player(seat).road_length
    }

    /// The same if `seat` had `edge` too.
    #[must_use]
    pub fn road_length_with(&self, seat: Seat, edge: Edge) -> u8 {
        let player = self.player(seat);
        let blocked = self.buildings_against(seat);
        player.road_length.max(road::longest_through(edge, player.roads, blocked))
    }

    /// Who has the longest road.
    #[must_use]
    pub const fn longest_road(&self) -> Option<Seat> {
        self.longest_road
    }

    /// Who has the largest army.
    #[must_use]
    pub const fn largest_army(&self) -> Option<Seat> {
        self.largest_army
    }

    /// Points of `seat` that all can see.
    #[must_use]
    pub fn visible_points(&self, seat: Seat) -> u8 {
        let player = self.player(seat);
        let buildings = player.settlements.len() + 2 * player.cities.len();
        let awards = [self.longest_road, self.largest_army].map(|holder| holder == Some(seat));
        let awarded: u8 = awards.map(|has| if has { 2 } else { 0 }).iter().sum();
        u8::try_from(buildings).unwrap_or(u8::MAX) + awarded
    }

    /// Points of `seat`, those on hidden cards included.
    #[must_use]
    pub fn points(&self, seat: Seat) -> u8 {
        self.visible_points(seat) + self.cards(seat).count(Development::VictoryPoint)
    }
}
