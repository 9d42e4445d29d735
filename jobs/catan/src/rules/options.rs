//! The legal actions of a state, as bits.

use crate::board::{EdgeSet, Hex, NodeSet};
use crate::resource::Resource;

use super::action::Action;
use super::development::Development;
use super::seat::Seat;
use super::state::{Phase, State};
use super::{CARD_COST, CITY_COST, ROAD_COST, SETTLEMENT_COST};

mod simple;

use simple::Simple;

/// The legal actions of the seat that acts, each once, in a fixed order. Offers and counter-offers
/// are not among them, for they are many: [`State::may_offer`] and [`State::may_counter`] judge
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    simple: Simple,
    settlements: NodeSet,
    cities: NodeSet,
    roads: EdgeSet,
    robberies: Robberies,
}

impl Options {
    const NONE: Self = Self {
        simple: Simple::NONE,
        settlements: NodeSet::EMPTY,
        cities: NodeSet::EMPTY,
        roads: EdgeSet::EMPTY,
        robberies: Robberies(0),
    };

    /// How many there are: none when the game is over.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.simple.len()
            + self.settlements.len()
            + self.cities.len()
            + self.roads.len()
            + self.robberies.0.count_ones()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number `index` of them; none from [`Options::len`] on.
    #[must_use]
    pub fn get(mut self, index: u32) -> Option<Action> {
        let mut left = index;
        if left < self.simple.len() {
            return self.simple.get(left);
        }
        left -= self.simple.len();
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

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Action> + use<> {
        self.simple
            .chain(self.settlements.map(Action::Settlement))
            .chain(self.cities.map(Action::City))
            .chain(self.roads.map(Action::Road))
            .chain(self.robberies)
    }

    /// Whether `action` is among them.
    #[must_use]
    pub fn contains(&self, action: Action) -> bool {
        match action {
            Action::Settlement(node) => self.settlements.contains(node),
            Action::City(node) => self.cities.contains(node),
            Action::Road(edge) => self.roads.contains(edge),
            Action::Robber(hex, victim) => self.robberies.contains(hex, victim),
            other => self.simple.contains(other),
        }
    }

    /// Where a settlement may be placed.
    #[must_use]
    pub const fn settlements(&self) -> NodeSet {
        self.settlements
    }

    /// Which settlements may become cities.
    #[must_use]
    pub const fn cities(&self) -> NodeSet {
        self.cities
    }

    /// Where a road may be placed.
    #[must_use]
    pub const fn roads(&self) -> EdgeSet {
        self.roads
    }
}

/// Moves of the robber: five bits per hex, one for each victim and one for nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Robberies(u128);

impl Robberies {
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

impl Iterator for Robberies {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        let bit = self.0.trailing_zeros() as usize;
        let hex = Hex::new(bit / Self::PER_HEX)?;
        self.0 &= self.0.wrapping_sub(1);
        Some(Action::Robber(hex, Seat::ALL.get(bit % Self::PER_HEX).copied()))
    }
}

impl State {
    /// The legal actions of the seat that acts, offers and counter-offers aside.
    #[must_use]
    pub fn options(&self) -> Options {
        let mut options = Options::NONE;
        match self.phase {
            Phase::SetupSettlement => options.settlements = self.open,
            Phase::SetupRoad(node) => options.roads = node.edge_set(),
            Phase::Start => {
                options.simple.add(Action::Roll);
                self.add_cards(&mut options.simple);
            }
            Phase::Discard => options.simple.add_discards(self.hand(self.actor)),
            Phase::Robber => options.robberies = self.robberies(),
            Phase::FreeRoads(_) => options.roads = self.road_places(self.on_turn),
            Phase::Main => self.add_main(&mut options),
            Phase::Answer => {
                options.simple.add(Action::Decline);
                if self.hand(self.actor).covers(self.asked_cards()) {
                    options.simple.add(Action::Accept);
                }
            }
            Phase::Choose => {
                options.simple.add(Action::Withdraw);
                for seat in self.on_turn.others() {
                    if self.terms_with(seat).is_some() {
                        options.simple.add(Action::TradeWith(seat));
                    }
                }
            }
            Phase::Won(_) => {}
        }
        options
    }

    /// Whether the seat that acts may do `action`.
    #[must_use]
    pub fn allows(&self, action: Action) -> bool {
        match action {
            Action::Offer(offer) => self.may_offer(offer),
            Action::Counter(terms) => self.may_counter(terms),
            other => self.options().contains(other),
        }
    }

    fn add_main(&self, options: &mut Options) {
        let seat = self.on_turn;
        let player = self.player(seat);
        let hand = player.hand;
        options.simple.add(Action::EndTurn);
        self.add_cards(&mut options.simple);
        if hand.covers(ROAD_COST) && player.roads_left != 0 {
            options.roads = self.road_places(seat);
        }
        if hand.covers(SETTLEMENT_COST) && self.settlements_left(seat) != 0 {
            options.settlements = self.settlement_places(seat);
        }
        if hand.covers(CITY_COST) && self.cities_left(seat) != 0 {
            options.cities = player.settlements;
        }
        if hand.covers(CARD_COST) && !self.deck.is_empty() {
            options.simple.add(Action::BuyCard);
        }
        for give in Resource::ALL {
            if player.ports.rate(give) <= hand.count(give) {
                options.simple.add_maritime(give, self.bank);
            }
        }
    }

    /// Development cards, before and after the roll.
    fn add_cards(&self, simple: &mut Simple) {
        if self.has_played_card || self.player(self.on_turn).cards.is_empty() {
            return;
        }
        if self.is_playable(Development::Knight) {
            simple.add(Action::Knight);
        }
        if self.is_playable(Development::RoadBuilding)
            && self.player(self.on_turn).roads_left != 0
            && !self.road_places(self.on_turn).is_empty()
        {
            simple.add(Action::RoadBuilding);
        }
        if self.is_playable(Development::YearOfPlenty) {
            simple.add_years_of_plenty(self.bank);
        }
        if self.is_playable(Development::Monopoly) {
            simple.add_monopolies();
        }
    }

    fn robberies(&self) -> Robberies {
        let mut bits = 0;
        for hex in Hex::ALL.into_iter().filter(|hex| *hex != self.robber) {
            let mut found = 0;
            for seat in self.on_turn.others() {
                if !self.player(seat).buildings().and(hex.node_set()).is_empty() {
                    found |= Robberies::bit(hex, Some(seat));
                }
            }
            bits |= if found == 0 { Robberies::bit(hex, None) } else { found };
        }
        Robberies(bits)
    }
}
