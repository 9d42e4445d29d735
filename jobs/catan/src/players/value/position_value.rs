//! The value of a position to a player, in points.

use crate::board::{Edge, Hex, Node, NodeSet};
use crate::map::pips;
use crate::resource::{Resource, ResourceCards};
use crate::rules::{
    CARD_COST, CITY_COST, DevelopmentCard, DevelopmentCards, GameState, HAND_LIMIT, Island,
    LARGEST_ARMY_MINIMUM, LONGEST_ROAD_MINIMUM, ROAD_COST, SETTLEMENT_COST, Seat,
};

// All weights are our own.

/// The weight of a pip of production.
const PIP: f64 = 0.1;

/// The additional weight per pip, besides [`PIP`], of a resource's first [`VARIETY_PIPS`] pips.
const VARIETY: f64 = 0.08;

/// Pips of a resource beyond which more add no variety.
const VARIETY_PIPS: u8 = 4;

/// The weights of a port, and of a special port per pip of its resource.
const GENERIC_PORT: f64 = 0.2;
const SPECIAL_PORT_PIP: f64 = 0.04;

/// The merit of a port at a place for a settlement, in pips.
const PORT_MERIT: u8 = 2;

/// The weights of the best place for a settlement, as a share of a settlement's value there: where
/// one may be built now, where one road is missing, where two are missing. Each counts the nearer
/// places too.
const REACH: [f64; 3] = [0.25, 0.15, 0.1];

/// The weight of the square of the part of the longest road or largest army that the player has
/// without holding it.
const AWARD_PROGRESS: f64 = 0.5;

/// The weights of a card in hand, and of a card beyond the hand limit.
const CARD: f64 = 0.05;
const EXCESS_CARD: f64 = -0.08;

/// The weight of the square of the part of a purchase's cost that is in hand, as a share of its
/// gain.
const PURCHASE: f64 = 0.5;

/// The gains of a road and a development card, for [`PURCHASE`].
const ROAD_GAIN: f64 = 0.3;
const CARD_GAIN: f64 = 0.5;

/// The weights of the development cards, in the order of [`DevelopmentCard::ALL`].
const DEVELOPMENTS: [f64; DevelopmentCard::COUNT] = [0.3, 1.0, 0.3, 0.3, 0.4];

/// The weights of a blocked pip: the player's own, and an opponent's times its [`threat`].
const OWN_BLOCK: f64 = -0.06;
const BLOCK: f64 = 0.08;

/// The weight of a card that an opponent loses, times its [`threat`].
pub(super) const THEFT: f64 = 0.05;

/// The weight of a point of an opponent.
const OPPONENT_POINT: f64 = -0.15;

/// The value of a position without the hand and the development cards, which
/// [`PositionValue::value`] adds.
#[derive(Clone, Copy, Debug)]
pub(super) struct PositionValue {
    seat: Seat,
    fixed: f64,
    /// The gains of a road, a settlement, a city and a development card.
    gains: [f64; 4],
    rates: [u8; Resource::COUNT],
}

impl PositionValue {
    pub(super) fn of(island: &Island, state: &GameState, seat: Seat) -> Self {
        let production = production(island, state, seat);
        let rates = Resource::ALL.map(|resource| state.rate(seat, resource));
        let reach = reach(island, state, seat);
        let raised = state.settlements(seat).map(|node| island.pips(node)).max();
        let gains = [
            if state.roads_left(seat) == 0 { 0.0 } else { ROAD_GAIN },
            reach[0],
            match raised {
                Some(pips) if state.cities_left(seat) != 0 => 1.0 + PIP * f64::from(pips),
                _ => 0.0,
            },
            if state.deck().is_empty() { 0.0 } else { CARD_GAIN },
        ];
        let mut fixed = f64::from(state.visible_points(seat));
        fixed += value_of_production(production) + value_of_rates(rates, production);
        fixed += reach.into_iter().zip(REACH).map(|(gain, part)| part * gain).sum::<f64>();
        fixed += value_of_awards(state, seat);
        for other in seat.others() {
            fixed += OPPONENT_POINT * f64::from(state.visible_points(other));
        }
        Self { seat, fixed, gains, rates }
    }

    /// Returns the value of the position with this hand and these development cards.
    pub(super) fn value(&self, hand: ResourceCards, cards: DevelopmentCards) -> f64 {
        let counts = cards.0.map(f64::from);
        let held: f64 = counts.into_iter().zip(DEVELOPMENTS).map(|(n, value)| n * value).sum();
        let total = hand.total();
        let excess = total.saturating_sub(HAND_LIMIT);
        let own = CARD * f64::from(total) + EXCESS_CARD * f64::from(excess);
        self.fixed + held + own + PURCHASE * self.best_purchase(hand)
    }

    /// Returns the number of cards of `resource` that the bank takes for one other card.
    pub(super) const fn rate(&self, resource: Resource) -> u8 {
        self.rates[resource.index()]
    }

    /// Returns the value of having the robber on `hex`.
    pub(super) fn value_of_block(&self, island: &Island, state: &GameState, hex: Hex) -> f64 {
        let Some(token) = island.map().token(hex) else {
            return 0.0;
        };
        let blocked = |seat: Seat| {
            let n_settlements = state.settlements(seat).and(hex.node_set()).len();
            let n_cities = state.cities(seat).and(hex.node_set()).len();
            f64::from(pips(token)) * f64::from(n_settlements + 2 * n_cities)
        };
        let others = self.seat.others().map(|other| threat(state, other) * blocked(other));
        OWN_BLOCK * blocked(self.seat) + BLOCK * others.iter().sum::<f64>()
    }

    /// Returns the largest gain of a purchase times the square of the part of its cost in hand.
    fn best_purchase(&self, hand: ResourceCards) -> f64 {
        const COSTS: [ResourceCards; 4] = [ROAD_COST, SETTLEMENT_COST, CITY_COST, CARD_COST];
        let mut best: f64 = 0.0;
        for (cost, gain) in COSTS.into_iter().zip(self.gains) {
            let total = cost.total();
            let missing = cost.minus(hand).total();
            let part = f64::from(total - missing) / f64::from(total);
            best = best.max(gain * part * part);
        }
        best
    }
}

/// Returns the progress of an opponent to victory, 0 to 1 or a little more.
pub(super) fn threat(state: &GameState, seat: Seat) -> f64 {
    f64::from(state.visible_points(seat)) / f64::from(state.variant().points_to_win)
}

/// Returns the pips per resource at the buildings of `seat`, regardless of the robber. The pips at
/// cities count twice.
fn production(island: &Island, state: &GameState, seat: Seat) -> [u8; Resource::COUNT] {
    let mut sums = [0_u8; Resource::COUNT];
    let cities = state.cities(seat);
    for node in state.settlements(seat).chain(cities).chain(cities) {
        for (sum, pips) in sums.iter_mut().zip(island.pips_by_resource(node)) {
            *sum = sum.saturating_add(pips);
        }
    }
    sums
}

fn value_of_production(production: [u8; Resource::COUNT]) -> f64 {
    let varied: u8 = production.iter().map(|pips| (*pips).min(VARIETY_PIPS)).sum();
    let total: u16 = production.into_iter().map(u16::from).sum();
    PIP * f64::from(total) + VARIETY * f64::from(varied)
}

fn value_of_rates(rates: [u8; Resource::COUNT], production: [u8; Resource::COUNT]) -> f64 {
    let is_generic = rates.iter().all(|rate| *rate <= 3);
    let special = rates.into_iter().zip(production).filter(|(rate, _)| *rate == 2);
    let pips: f64 = special.map(|(_, pips)| f64::from(pips)).sum();
    SPECIAL_PORT_PIP * pips + if is_generic { GENERIC_PORT } else { 0.0 }
}

fn value_of_awards(state: &GameState, seat: Seat) -> f64 {
    let progress = |holder: Option<Seat>, minimum: u8, count: &dyn Fn(Seat) -> u8| {
        if holder == Some(seat) {
            return AWARD_PROGRESS;
        }
        let goal = holder.map_or(minimum, |holder| count(holder) + 1);
        let part = f64::from(count(seat)) / f64::from(goal);
        AWARD_PROGRESS * part * part
    };
    progress(state.longest_road(), LONGEST_ROAD_MINIMUM, &|seat| state.road_length(seat))
        + progress(state.largest_army(), LARGEST_ARMY_MINIMUM, &|seat| state.knights(seat))
}

/// Returns the gains of a settlement at the best place where it may be built now, with at most one
/// more road, and with at most two. Roads of others in between are ignored.
fn reach(island: &Island, state: &GameState, seat: Seat) -> [f64; 3] {
    if state.settlements_left(seat) == 0 {
        return [0.0; 3];
    }
    let others = seat.others().map(|other| state.settlements(other).union(state.cities(other)));
    let ends: NodeSet = state.road_places(seat).flat_map(Edge::nodes).collect();
    let through = others.into_iter().fold(ends, NodeSet::minus);
    let beyond = through.fold(NodeSet::EMPTY, |nodes, node| nodes.union(node.near()));
    let now = state.settlement_places(seat);
    let after_one = now.union(ends.and(state.open_nodes()));
    let after_two = after_one.union(beyond.and(state.open_nodes()));
    [now, after_one, after_two].map(|nodes| gain_of_best(island, nodes))
}

/// Returns the gain of a settlement on the best of `nodes`.
fn gain_of_best(island: &Island, nodes: NodeSet) -> f64 {
    let merit =
        |node: Node| island.pips(node) + if island.port(node).is_some() { PORT_MERIT } else { 0 };
    nodes.map(merit).max().map_or(0.0, |merit| 1.0 + PIP * f64::from(merit))
}
