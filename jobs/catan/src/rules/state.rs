//! The state of a game.

use crate::board::{Edge, EdgeSet, Hex, Node, NodeSet};
use crate::map::Port;
use crate::resource::{Resource, ResourceCards};

use super::development::{DevelopmentCard, DevelopmentCards};
use super::island::Island;
use super::offer::PendingOffer;
use super::seat::Seat;
use super::variant::GameVariant;
use super::{RESOURCE_SUPPLY, ROADS};

/// A phase of the game, by what the game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GamePhase {
    /// A settlement of the setup.
    SetupSettlement,
    /// The road of the setup, at the settlement just placed.
    SetupRoad(Node),
    /// The roll, or a development card before it.
    Start,
    /// A discard of the seat to act.
    Discard,
    /// The robber's move.
    Robber,
    /// This many free roads, 1 or 2.
    FreeRoads(u8),
    /// Trade, building and cards, or the end of the turn.
    Main,
    /// An answer to the open offer.
    Answer,
    /// The current player's choice among the answers.
    Choose,
    /// Nothing: this seat has won.
    Won(Seat),
}

/// The whole state of a game, including hidden cards; the map is separate, in an [`Island`].
///
/// Invariants: hands and bank together hold [`RESOURCE_SUPPLY`] cards per resource; 25 development
/// cards are in hands, in the deck or played; pieces on the board and pieces left add up; seats
/// without a player have no pieces and no cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameState {
    pub(super) variant: GameVariant,
    pub(super) players: [PlayerState; Seat::COUNT],
    /// Nodes that are empty and have empty neighbors.
    pub(super) open: NodeSet,
    pub(super) bank: ResourceCards,
    pub(super) deck: DevelopmentCards,
    /// Cards that the current player bought in this turn.
    pub(super) bought: DevelopmentCards,
    pub(super) desert: Hex,
    pub(super) robber: Hex,
    pub(super) current_seat: Seat,
    pub(super) actor: Seat,
    pub(super) phase: GamePhase,
    pub(super) turn: u16,
    pub(super) has_rolled: bool,
    pub(super) has_played_card: bool,
    pub(super) longest_road: Option<Seat>,
    pub(super) largest_army: Option<Seat>,
    /// Offers made in this turn.
    pub(super) offers: u8,
    pub(super) pending_offer: PendingOffer,
}

/// The pieces, cards and ports that a player has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PlayerState {
    pub(super) roads: EdgeSet,
    /// Nodes that touch a road or building of the player.
    pub(super) network: NodeSet,
    pub(super) settlements: NodeSet,
    pub(super) cities: NodeSet,
    pub(super) hand: ResourceCards,
    pub(super) cards: DevelopmentCards,
    pub(super) knights: u8,
    pub(super) roads_left: u8,
    pub(super) road_length: u8,
    pub(super) to_discard: u8,
    pub(super) ports: PortAccess,
}

impl PlayerState {
    const NEW: Self = Self {
        roads: EdgeSet::EMPTY,
        network: NodeSet::EMPTY,
        settlements: NodeSet::EMPTY,
        cities: NodeSet::EMPTY,
        hand: ResourceCards::NONE,
        cards: DevelopmentCards::NONE,
        knights: 0,
        roads_left: ROADS,
        road_length: 0,
        to_discard: 0,
        ports: PortAccess(0),
    };

    pub(super) const fn buildings(&self) -> NodeSet {
        self.settlements.union(self.cities)
    }
}

/// The ports that a player can use: one bit per resource, and one for the generic port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PortAccess(u8);

impl PortAccess {
    const GENERIC: u8 = 1 << Resource::COUNT;

    pub(super) fn add(&mut self, port: Port) {
        self.0 |= match port {
            Port::Generic => Self::GENERIC,
            Port::Special(resource) => 1 << resource.index(),
        };
    }

    /// Returns the number of cards of `resource` that the bank takes for one other card.
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

impl GameState {
    /// Returns the state before the first settlement.
    #[must_use]
    pub const fn new(island: &Island) -> Self {
        Self {
            variant: island.variant(),
            players: [PlayerState::NEW; Seat::COUNT],
            open: NodeSet::ALL,
            bank: ResourceCards([RESOURCE_SUPPLY; Resource::COUNT]),
            deck: DevelopmentCards::FULL,
            bought: DevelopmentCards::NONE,
            desert: island.desert(),
            robber: island.desert(),
            current_seat: Seat::First,
            actor: Seat::First,
            phase: GamePhase::SetupSettlement,
            turn: 0,
            has_rolled: false,
            has_played_card: false,
            longest_road: None,
            largest_army: None,
            offers: 0,
            pending_offer: PendingOffer::EMPTY,
        }
    }

    pub(super) const fn player(&self, seat: Seat) -> &PlayerState {
        &self.players[seat.index()]
    }

    pub(super) const fn player_mut(&mut self, seat: Seat) -> &mut PlayerState {
        &mut self.players[seat.index()]
    }

    /// Moves `cards` from a hand to the bank.
    pub(super) fn pay(&mut self, seat: Seat, cards: ResourceCards) {
        let player = self.player_mut(seat);
        player.hand = player.hand.minus(cards);
        self.bank = self.bank.plus(cards);
    }

    /// Moves `cards` from the bank to a hand.
    pub(crate) fn receive(&mut self, seat: Seat, cards: ResourceCards) {
        let player = self.player_mut(seat);
        player.hand = player.hand.plus(cards);
        self.bank = self.bank.minus(cards);
    }

    /// Places a road on the board, without cost.
    pub(crate) fn place_road(&mut self, seat: Seat, edge: Edge) {
        let length = self.road_length_with(seat, edge);
        let [a, b] = edge.nodes();
        let player = self.player_mut(seat);
        player.road_length = length;
        player.roads = player.roads.with(edge);
        player.roads_left -= 1;
        player.network = player.network.with(a).with(b);
        self.award_longest_road();
    }

    /// Places a settlement on the board, without cost.
    pub(crate) fn place_settlement(&mut self, island: &Island, seat: Seat, node: Node) {
        self.open = self.open.minus(node.near());
        let player = self.player_mut(seat);
        player.settlements = player.settlements.with(node);
        player.network = player.network.with(node);
        if let Some(port) = island.port(node) {
            player.ports.add(port);
        }
        self.remeasure_roads_at(seat, node);
    }

    /// Upgrades a settlement to a city, without cost.
    pub(crate) fn upgrade_to_city(&mut self, seat: Seat, node: Node) {
        let player = self.player_mut(seat);
        player.settlements = player.settlements.without(node);
        player.cities = player.cities.with(node);
    }

    /// Moves a development card from the deck to a player.
    pub(super) fn draw(&mut self, seat: Seat, card: DevelopmentCard) {
        self.deck.remove(card);
        self.bought.add(card);
        self.player_mut(seat).cards.add(card);
    }
}
