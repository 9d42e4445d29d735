//! What a player builds next.

use crate::board::{Edge, Node};
use crate::resource::ResourceCards;
use crate::rules::{Action, CARD_COST, CITY_COST, ROAD_COST, SETTLEMENT_COST, Seat};

use super::estimate::{Economy, LIMIT};
use super::eta::{army_throws, knights_to_army, with_roads};
use super::reach::{Extension, MAX_ROADS, Reach};
use super::view::View;

/// Points from which a fast planner thinks of longest road and largest army.
const POINTS_FOR_AWARDS: u8 = 5;

/// What a player works toward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// A settlement, and the roads to it.
    Settlement {
        node: Node,
        n_roads: usize,
        /// The first of the roads.
        first: Option<Edge>,
    },
    City(Node),
    /// Roads for their own sake.
    Roads {
        n_roads: u8,
        first: Edge,
    },
    /// A development card.
    Card,
}

/// A goal, and when it can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) goal: Goal,
    /// Throws until all of it is paid for, trade with the bank included, but not with others.
    pub(super) throws: u16,
}

impl Goal {
    /// What is built first.
    pub(super) const fn piece(self) -> Action {
        match self {
            Self::Settlement { first: Some(first), .. } | Self::Roads { first, .. } => {
                Action::Road(first)
            }
            Self::Settlement { node, .. } => Action::Settlement(node),
            Self::City(node) => Action::City(node),
            Self::Card => Action::BuyCard,
        }
    }

    /// What the first piece costs.
    pub(super) const fn piece_cost(self) -> ResourceCards {
        match self {
            Self::Settlement { first: Some(_), .. } | Self::Roads { .. } => ROAD_COST,
            Self::Settlement { .. } => SETTLEMENT_COST,
            Self::City(_) => CITY_COST,
            Self::Card => CARD_COST,
        }
    }

    /// What all of it costs.
    pub(super) fn cost(self) -> ResourceCards {
        match self {
            Self::Settlement { n_roads, .. } => with_roads(SETTLEMENT_COST, n_roads),
            Self::Roads { n_roads, .. } => with_roads(ResourceCards::NONE, usize::from(n_roads)),
            Self::City(_) => CITY_COST,
            Self::Card => CARD_COST,
        }
    }

    /// Roads that the goal needs.
    pub(super) fn n_roads(self) -> usize {
        match self {
            Self::Settlement { n_roads, .. } => n_roads,
            Self::Roads { n_roads, .. } => usize::from(n_roads),
            Self::City(_) | Self::Card => 0,
        }
    }
}

/// What the board offers a player: of each kind of goal the best. It changes only with the pieces on
/// the board. Ties among nodes go to the lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prospects {
    pub(super) economy: Economy,
    /// Where a city makes everything else fastest.
    city: Option<Goal>,
    /// The same of settlements, for each number of roads that lack.
    pub(super) settlements: [Option<Goal>; MAX_ROADS + 1],
    pub(super) longest_road: Option<Goal>,
}

impl Prospects {
    pub(super) fn of(view: View<'_>, seat: Seat) -> Self {
        let economy = view.economy(seat);
        Self {
            economy,
            city: city(view, seat, &economy),
            settlements: settlements(view, seat, &economy),
            longest_road: Extension::of(view, seat)
                .map(|Extension { n_roads, first }| Goal::Roads { n_roads, first }),
        }
    }

    /// The plan of the fast variant: the settlement or city that is ready first; with five points
    /// also longest road and largest army. Ties go to the city, the settlement, the road, the army,
    /// in this order. A card if nothing else is possible; none if not even that.
    pub(super) fn fast(&self, view: View<'_>, seat: Seat) -> Option<Plan> {
        let fastest =
            |plans: [Option<Plan>; 4]| plans.into_iter().flatten().min_by_key(|plan| plan.throws);
        let plan = |goal: Goal| planned(view, seat, &self.economy, goal);
        let settlement = fastest(self.settlements.map(|goal| goal.map(plan)));
        let mut plans = [self.city.map(plan), settlement, None, None];
        if POINTS_FOR_AWARDS <= view.points(seat) {
            plans[2] = self.longest_road.map(plan);
            plans[3] = largest_army(view, seat, &self.economy);
        }
        fastest(plans).or_else(|| card(view, seat, &self.economy))
    }
}

fn city(view: View<'_>, seat: Seat, economy: &Economy) -> Option<Goal> {
    if view.state.cities_left(seat) == 0 {
        return None;
    }
    let after = |node: &Node| economy.raised(view.island, *node).building_time(LIMIT);
    view.state.settlements(seat).min_by_key(after).map(Goal::City)
}

fn settlements(view: View<'_>, seat: Seat, economy: &Economy) -> [Option<Goal>; MAX_ROADS + 1] {
    let reach = Reach::of(view, seat);
    let after = |node: &Node| economy.settled(view.island, *node).building_time(LIMIT);
    let (spots, roads_left) = (reach.spots(), usize::from(view.state.roads_left(seat)));
    std::array::from_fn(|n_roads| {
        if view.state.settlements_left(seat) == 0 || roads_left < n_roads {
            return None;
        }
        let node = spots[n_roads].min_by_key(after)?;
        Some(Goal::Settlement { node, n_roads, first: reach.first_road(node) })
    })
}

/// A road without a plan that needs it: toward the longest road, else toward a settlement.
pub(super) fn any_road(view: View<'_>, seat: Seat) -> Option<Edge> {
    if let Some(extension) = Extension::of(view, seat) {
        return Some(extension.first);
    }
    let reach = Reach::of(view, seat);
    let economy = view.economy(seat);
    let after = |node: &Node| economy.settled(view.island, *node).building_time(LIMIT);
    let spots = reach.spots().into_iter().skip(1).find(|spots| !spots.is_empty())?;
    reach.first_road(spots.min_by_key(after)?)
}

fn largest_army(view: View<'_>, seat: Seat, economy: &Economy) -> Option<Plan> {
    // Knights in hand suffice: nothing is to be bought.
    let n_knights = knights_to_army(view, seat).filter(|&n| n != 0)?;
    let plan = card(view, seat, economy)?;
    Some(Plan { throws: plan.throws + army_throws(economy, n_knights - 1), ..plan })
}

pub(super) fn card(view: View<'_>, seat: Seat, economy: &Economy) -> Option<Plan> {
    (!view.state.deck().is_empty()).then(|| planned(view, seat, economy, Goal::Card))
}

pub(super) fn planned(view: View<'_>, seat: Seat, economy: &Economy, goal: Goal) -> Plan {
    Plan { goal, throws: economy.throws(view.state.hand(seat), goal.cost(), LIMIT) }
}
