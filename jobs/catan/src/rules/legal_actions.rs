//! The legal actions of a state, as bits.

use crate::board::{EdgeSet, Hex, NodeSet};
use crate::resource::Resource;

use super::action::Action;
use super::development::DevelopmentCard;
use super::seat::{Seat, SeatSet};
use super::state::{GamePhase, GameState};
use super::variant::UNSPARED_POINTS;
use super::{CARD_COST, CITY_COST, ROAD_COST, SETTLEMENT_COST};

mod placeless;

use placeless::PlacelessActions;

/// The legal actions of the seat to act, each once, in a fixed order. They exclude offers and
/// counter-offers, which are too many to list: [`GameState::may_offer`] and
/// [`GameState::may_counter`] judge them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegalActions {
    placeless: PlacelessActions,
    settlements: NodeSet,
    cities: NodeSet,
    roads: EdgeSet,
    robberies: RobberMoves,
}

impl LegalActions {
    const NONE: Self = Self {
        placeless: PlacelessActions::NONE,
        settlements: NodeSet::EMPTY,
        cities: NodeSet::EMPTY,
        roads: EdgeSet::EMPTY,
        robberies: RobberMoves(0),
    };

    /// Returns the number of legal actions: 0 when the game is over.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.placeless.len()
            + self.settlements.len()
            + self.cities.len()
            + self.roads.len()
            + self.robberies.0.count_ones()
    }

    /// Returns true if there is no legal action.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns action number `index`; none from [`LegalActions::len`] on.
    #[must_use]
    pub fn get(mut self, index: u32) -> Option<Action> {
        let mut left = index;
        if left < self.placeless.len() {
            return self.placeless.get(left);
        }
        left -= self.placeless.len();
        if left < self.settlements.len() {
            return self.settlements.nth(left as usize).map(Action::Settlement);
        }
        left -= self.settlements.len();
        if left < self.cities.len() {
            return self.cities.nth(left as usize).map(Action::City);
        }
        left -= self.cities.len();
        if left < self.roads.len() {
            return self.roads.nth(left as usize).map(Action::Road);
        }
        self.robberies.nth((left - self.roads.len()) as usize)
    }

    /// Returns all legal actions in order.
    pub fn iter(&self) -> impl Iterator<Item = Action> + use<> {
        self.placeless
            .chain(self.settlements.map(Action::Settlement))
            .chain(self.cities.map(Action::City))
            .chain(self.roads.map(Action::Road))
            .chain(self.robberies)
    }

    /// Returns true if the set contains `action`. It never contains an offer or counter-offer.
    #[must_use]
    pub fn contains(&self, action: Action) -> bool {
        match action {
            Action::Settlement(node) => self.settlements.contains(node),
            Action::City(node) => self.cities.contains(node),
            Action::Road(edge) => self.roads.contains(edge),
            Action::Robber(hex, victim) => self.robberies.contains(hex, victim),
            other => self.placeless.contains(other),
        }
    }

    /// Returns the nodes where a settlement may be placed.
    #[must_use]
    pub const fn settlements(&self) -> NodeSet {
        self.settlements
    }

    /// Returns the settlements that may become cities.
    #[must_use]
    pub const fn cities(&self) -> NodeSet {
        self.cities
    }

    /// Returns the edges where a road may be placed.
    #[must_use]
    pub const fn roads(&self) -> EdgeSet {
        self.roads
    }
}

/// Moves of the robber: five bits per hex, one for each victim and one for no victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RobberMoves(u128);

impl RobberMoves {
    const PER_HEX: usize = Seat::COUNT + 1;

    const fn bit(hex: Hex, victim: Option<Seat>) -> u128 {
        let choice = match victim {
            Some(seat) => seat.index(),
            None => Seat::COUNT,
        };
        1 << (hex.index() * Self::PER_HEX + choice)
    }

    const fn contains(self, hex: Hex, victim: Option<Seat>) -> bool {
        self.0 & Self::bit(hex, victim) != 0
    }
}

impl Iterator for RobberMoves {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        let bit = self.0.trailing_zeros() as usize;
        let hex = Hex::new(bit / Self::PER_HEX)?;
        self.0 &= self.0.wrapping_sub(1);
        Some(Action::Robber(hex, Seat::ALL.get(bit % Self::PER_HEX).copied()))
    }
}

impl GameState {
    /// Returns the legal actions of the seat to act, without offers and counter-offers.
    #[must_use]
    pub fn legal_actions(&self) -> LegalActions {
        let mut legal = LegalActions::NONE;
        match self.phase {
            GamePhase::SetupSettlement => legal.settlements = self.open,
            GamePhase::SetupRoad(node) => legal.roads = node.edge_set(),
            GamePhase::Start => {
                legal.placeless.add(Action::Roll);
                self.add_cards(&mut legal.placeless);
            }
            GamePhase::Discard => legal.placeless.add_discards(self.hand(self.actor)),
            GamePhase::Robber if self.variant.robber.is_usual() => {
                legal.robberies = self.robberies();
            }
            GamePhase::Robber => legal.robberies = self.friendly_robberies(),
            GamePhase::FreeRoads(_) => legal.roads = self.road_places(self.current_seat),
            GamePhase::Main => self.add_main(&mut legal),
            GamePhase::Answer => {
                legal.placeless.add(Action::Decline);
                if self.hand(self.actor).covers(self.asked_cards()) {
                    legal.placeless.add(Action::Accept);
                }
            }
            GamePhase::Choose => {
                legal.placeless.add(Action::Withdraw);
                for seat in self.current_seat.others() {
                    if self.terms_with(seat).is_some() {
                        legal.placeless.add(Action::TradeWith(seat));
                    }
                }
            }
            GamePhase::Won(_) => {}
        }
        legal
    }

    /// Returns true if the seat to act may do `action`.
    #[must_use]
    pub fn allows(&self, action: Action) -> bool {
        match action {
            Action::Offer(offer) => self.may_offer(offer),
            Action::Counter(terms) => self.may_counter(terms),
            other => self.legal_actions().contains(other),
        }
    }

    fn add_main(&self, legal: &mut LegalActions) {
        let seat = self.current_seat;
        let player = self.player(seat);
        let hand = player.hand;
        legal.placeless.add(Action::EndTurn);
        self.add_cards(&mut legal.placeless);
        if hand.covers(ROAD_COST) && player.roads_left != 0 {
            legal.roads = self.road_places(seat);
        }
        if hand.covers(SETTLEMENT_COST) && self.settlements_left(seat) != 0 {
            legal.settlements = self.settlement_places(seat);
        }
        if hand.covers(CITY_COST) && self.cities_left(seat) != 0 {
            legal.cities = player.settlements;
        }
        if hand.covers(CARD_COST) && !self.deck.is_empty() {
            legal.placeless.add(Action::BuyCard);
        }
        for give in Resource::ALL {
            if player.ports.rate(give) <= hand.count(give) {
                legal.placeless.add_maritime(give, self.bank);
            }
        }
    }

    /// Adds the development cards that may be played, before or after the roll.
    fn add_cards(&self, placeless: &mut PlacelessActions) {
        if self.has_played_card || self.player(self.current_seat).cards.is_empty() {
            return;
        }
        if self.is_playable(DevelopmentCard::Knight) {
            placeless.add(Action::Knight);
        }
        if self.is_playable(DevelopmentCard::RoadBuilding)
            && self.player(self.current_seat).roads_left != 0
            && !self.road_places(self.current_seat).is_empty()
        {
            placeless.add(Action::RoadBuilding);
        }
        if self.is_playable(DevelopmentCard::YearOfPlenty) {
            placeless.add_years_of_plenty(self.bank);
        }
        if self.is_playable(DevelopmentCard::Monopoly) {
            placeless.add_monopolies();
        }
    }

    fn robberies(&self) -> RobberMoves {
        let mut bits = 0;
        for hex in Hex::ALL.into_iter().filter(|hex| *hex != self.robber) {
            bits |= self.robberies_at(hex, SeatSet::NONE);
        }
        RobberMoves(bits)
    }

    /// Returns the moves of a friendly robber: apart from those of the base game, which playouts
    /// list.
    #[cold]
    #[inline(never)]
    fn friendly_robberies(&self) -> RobberMoves {
        let seats = self.seats().iter().copied();
        let poor = seats.filter(|seat| self.visible_points(*seat) < UNSPARED_POINTS);
        let (spared, closed) = poor
            .fold((SeatSet::NONE, NodeSet::EMPTY), |(seats, nodes), seat| {
                (seats.with(seat), nodes.union(self.player(seat).buildings()))
            });
        let mut bits = 0;
        for hex in Hex::ALL.into_iter().filter(|hex| *hex != self.robber) {
            if hex == self.desert || closed.and(hex.node_set()).is_empty() {
                bits |= self.robberies_at(hex, spared);
            }
        }
        RobberMoves(if bits == 0 { self.robberies_at(self.robber, spared) } else { bits })
    }

    /// Returns the moves of the robber to `hex`: one for each victim that is not spared, or one
    /// without a victim.
    #[inline(always)]
    fn robberies_at(&self, hex: Hex, spared: SeatSet) -> u128 {
        let mut found = 0;
        for seat in self.current_seat.others() {
            if !self.player(seat).buildings().and(hex.node_set()).is_empty()
                && !spared.contains(seat)
            {
                found |= RobberMoves::bit(hex, Some(seat));
            }
        }
        if found == 0 { RobberMoves::bit(hex, None) } else { found }
    }
}
