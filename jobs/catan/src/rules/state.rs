//! The state of a game.

use crate::board::{Edge, EdgeSet, Hex, Node, NodeSet};
use crate::map::Port;
use crate::resource::{Cards, Resource};

use super::development::{Deck, Development};
use super::island::Island;
use super::seat::Seat;
use super::trade::Table;
use super::{RESOURCE_SUPPLY, ROADS};

/// What the game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// A settlement of the setup.
    SetupSettlement,
    /// The road of the setup, at the settlement just placed.
    SetupRoad(Node),
    /// The roll, or a development card before it.
    Start,
    /// A card that the seat that acts must give up.
    Discard,
    /// The robber's move.
    Robber,
    /// This many free roads, 1 or 2.
    FreeRoads(u8),
    /// Trade, building and cards, or the end of the turn.
    Main,
    /// An answer to the offer on the table.
    Answer,
    /// The choice among the answers.
    Choose,
    /// Nothing: this seat has won.
    Won(Seat),
}

/// The whole state of a game, hidden cards included; the map is apart, in an [`Island`].
///
/// Invariants: each resource has [`RESOURCE_SUPPLY`] cards in hands and bank; 25 development cards
/// are in hands, in the deck or played; pieces on the board and those left add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) players: [Player; Seat::COUNT],
    /// Nodes that are empty and have empty neighbors.
    pub(super) open: NodeSet,
    pub(super) bank: Cards,
    pub(super) deck: Deck,
    /// Cards that the player on turn bought in it.
    pub(super) bought: Deck,
    pub(super) robber: Hex,
    pub(super) on_turn: Seat,
    pub(super) actor: Seat,
    pub(super) phase: Phase,
    pub(super) turn: u16,
    pub(super) has_rolled: bool,
    pub(super) has_played_card: bool,
    pub(super) longest_road: Option<Seat>,
    pub(super) largest_army: Option<Seat>,
    /// Offers of this turn.
    pub(super) offers: u8,
    pub(super) table: Table,
}

/// What one player has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Player {
    pub(super) roads: EdgeSet,
    /// Nodes with a road or building of his.
    pub(super) touched: NodeSet,
    pub(super) settlements: NodeSet,
    pub(super) cities: NodeSet,
    pub(super) hand: Cards,
    pub(super) cards: Deck,
    pub(super) knights: u8,
    pub(super) roads_left: u8,
    pub(super) road_length: u8,
    pub(super) to_discard: u8,
    pub(super) ports: Ports,
}

impl Player {
    const NEW: Self = Self {
        roads: EdgeSet::EMPTY,
        touched: NodeSet::EMPTY,
        settlements: NodeSet::EMPTY,
        cities: NodeSet::EMPTY,
        hand: Cards::NONE,
        cards: Deck::NONE,
        knights: 0,
        roads_left: ROADS,
        road_length: 0,
        to_discard: 0,
        ports: Ports(0),
    };

    pub(super) const fn buildings(&self) -> NodeSet {
        self.settlements.union(self.cities)
    }
}

/// The ports that a player can use: a bit per resource, and one for the generic port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ports(u8);

impl Ports {
    const GENERIC: u8 = 1 << Resource::COUNT;

    pub(super) fn add(&mut self, port: Port) {
        self.0 |= match port {
            Port::Generic => Self::GENERIC,
            Port::Special(resource) => 1 << resource.index(),
        };
    }

    /// Cards of `resource` that the bank wants for one other.
    pub(super) const fn rate(self, resource: Resource) -> u8 {
        if self.0 >> resource.index() & 1 == 1 {
            2
        } else if self.0 & Self::GENERIC != 0 {
            3
        } else {
            4
        }
    }
}

impl State {
    /// The state before the first settlement.
    #[must_use]
    pub const fn new(island: &Island) -> Self {
        Self {
            players: [Player::NEW; Seat::COUNT],
            open: NodeSet::ALL,
            bank: Cards([RESOURCE_SUPPLY; Resource::COUNT]),
            deck: Deck::FULL,
            bought: Deck::NONE,
            robber: island.desert(),
            on_turn: Seat::First,
            actor: Seat::First,
            phase: Phase::SetupSettlement,
            turn: 0,
            has_rolled: false,
            has_played_card: false,
            longest_road: None,
            largest_army: None,
            offers: 0,
            table: Table::EMPTY,
        }
    }

    pub(super) const fn player(&self, seat: Seat) -> &Player {
        &self.players[seat.index()]
    }

    pub(super) const fn player_mut(&mut self, seat: Seat) -> &mut Player {
        &mut self.players[seat.index()]
    }

    /// Moves `cards` from a hand to the bank.
    pub(super) fn pay(&mut self, seat: Seat, cards: Cards) {
        let player = self.player_mut(seat);
        player.hand = player.hand.minus(cards);
        self.bank = self.bank.plus(cards);
    }

    /// Moves `cards` from the bank to a hand.
    pub(super) fn receive(&mut self, seat: Seat, cards: Cards) {
        let player = self.player_mut(seat);
        player.hand = player.hand.plus(cards);
        self.bank = self.bank.minus(cards);
    }

    /// Puts a road on the board, without cost.
    pub(crate) fn lay_road(&mut self, seat: Seat, edge: Edge) {
        let length = self.road_length_with(seat, edge);
        let [a, b] = edge.nodes();
        let player = self.player_mut(seat);
        player.road_length = length;
        player.roads = player.roads.with(edge);
        player.roads_left -= 1;
        player.touched = player.touched.with(a).with(b);
        self.award_longest_road();
    }

    /// Puts a settlement on the board, without cost.
    pub(crate) fn found(&mut self, island: &Island, seat: Seat, node: Node) {
        self.open = self.open.minus(node.near());
        let player = self.player_mut(seat);
        player.settlements = player.settlements.with(node);
        player.touched = player.touched.with(node);
        if let Some(port) = island.port(node) {
            player.ports.add(port);
        }
        self.cut_roads(seat, node);
    }

    /// Makes a settlement a city, without cost.
    pub(crate) fn raise(&mut self, seat: Seat, node: Node) {
        let player = self.player_mut(seat);
        player.settlements = player.settlements.without(node);
        player.cities = player.cities.with(node);
    }

    /// Takes a card from the deck.
    pub(super) fn draw(&mut self, seat: Seat, card: Development) {
        self.deck.remove(card);
        self.bought.add(card);
        self.player_mut(seat).cards.add(card);
    }
}
