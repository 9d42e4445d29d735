//! Goals and plans: what a player builds next.

use crate::board::{Edge, Node};
use crate::resource::ResourceCards;
use crate::rules::{Action, CARD_COST, CITY_COST, ROAD_COST, SETTLEMENT_COST, Seat};

use super::building_speed::{Economy, LIMIT};
use super::road_reach::{MAX_ROADS, RoadExtension, RoadReach};
use super::view::PlayerView;
use super::win_eta::{army_throws, knights_to_army, with_roads};

/// Points from which a fast planner considers longest road and largest army.
const POINTS_FOR_AWARDS: u8 = 5;

/// A goal that a player works toward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuildGoal {
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

/// A goal, and the time until it can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BuildPlan {
    pub(super) goal: BuildGoal,
    /// Throws until the whole goal is paid for, including trade with the bank, but not with
    /// players.
    pub(super) throws: u16,
}

impl BuildGoal {
    /// Returns the action that builds the first piece.
    pub(super) const fn first_piece(self) -> Action {
        match self {
            Self::Settlement { first: Some(first), .. } | Self::Roads { first, .. } => {
                Action::Road(first)
            }
            Self::Settlement { node, .. } => Action::Settlement(node),
            Self::City(node) => Action::City(node),
            Self::Card => Action::BuyCard,
        }
    }

    /// Returns the cost of the first piece.
    pub(super) const fn first_piece_cost(self) -> ResourceCards {
        match self {
            Self::Settlement { first: Some(_), .. } | Self::Roads { .. } => ROAD_COST,
            Self::Settlement { .. } => SETTLEMENT_COST,
            Self::City(_) => CITY_COST,
            Self::Card => CARD_COST,
        }
    }

    /// Returns the cost of the whole goal.
    pub(super) fn cost(self) -> ResourceCards {
        match self {
            Self::Settlement { n_roads, .. } => with_roads(SETTLEMENT_COST, n_roads),
            Self::Roads { n_roads, .. } => with_roads(ResourceCards::NONE, usize::from(n_roads)),
            Self::City(_) => CITY_COST,
            Self::Card => CARD_COST,
        }
    }

    /// Returns the number of roads that the goal needs.
    pub(super) fn n_roads(self) -> usize {
        match self {
            Self::Settlement { n_roads, .. } => n_roads,
            Self::Roads { n_roads, .. } => usize::from(n_roads),
            Self::City(_) | Self::Card => 0,
        }
    }
}

/// The best goal of each kind that the board offers a player. It changes only with the pieces on
/// the board. Ties among nodes go to the lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BestGoals {
    pub(super) economy: Economy,
    /// The city that makes everything else fastest.
    city: Option<BuildGoal>,
    /// The settlement that makes everything else fastest, for each number of missing roads.
    pub(super) settlements: [Option<BuildGoal>; MAX_ROADS + 1],
    pub(super) longest_road: Option<BuildGoal>,
}

impl BestGoals {
    pub(super) fn of(view: PlayerView<'_>, seat: Seat) -> Self {
        let economy = view.economy(seat);
        Self {
            economy,
            city: city(view, seat, &economy),
            settlements: settlements(view, seat, &economy),
            longest_road: RoadExtension::of(view, seat)
                .map(|RoadExtension { n_roads, first }| BuildGoal::Roads { n_roads, first }),
        }
    }

    /// Returns the plan of the fast variant: the settlement or city that is ready first; with five
    /// points also longest road and largest army. Ties go to the city, the settlement, the road,
    /// the army, in this order. If nothing else is possible, the plan is a card; none if not even
    /// that is possible.
    pub(super) fn fastest_plan(&self, view: PlayerView<'_>, seat: Seat) -> Option<BuildPlan> {
        let fastest = |plans: [Option<BuildPlan>; 4]| {
            plans.into_iter().flatten().min_by_key(|plan| plan.throws)
        };
        let plan = |goal: BuildGoal| planned(view, seat, &self.economy, goal);
        let settlement = fastest(self.settlements.map(|goal| goal.map(plan)));
        let mut plans = [self.city.map(plan), settlement, None, None];
        if POINTS_FOR_AWARDS <= view.points(seat) {
            plans[2] = self.longest_road.map(plan);
            plans[3] = largest_army(view, seat, &self.economy);
        }
        fastest(plans).or_else(|| card(view, seat, &self.economy))
    }
}

fn city(view: PlayerView<'_>, seat: Seat, economy: &Economy) -> Option<BuildGoal> {
    if view.state.cities_left(seat) == 0 {
        return None;
    }
    let after = |node: &Node| economy.with_city(view.island, *node).building_time(LIMIT);
    view.state.settlements(seat).min_by_key(after).map(BuildGoal::City)
}

fn settlements(
    view: PlayerView<'_>,
    seat: Seat,
    economy: &Economy,
) -> [Option<BuildGoal>; MAX_ROADS + 1] {
    let reach = RoadReach::of(view, seat);
    let after = |node: &Node| economy.with_settlement(view.island, *node).building_time(LIMIT);
    let (spots, roads_left) = (reach.spots(), usize::from(view.state.roads_left(seat)));
    std::array::from_fn(|n_roads| {
        if view.state.settlements_left(seat) == 0 || roads_left < n_roads {
            return None;
        }
        let node = spots[n_roads].min_by_key(after)?;
        Some(BuildGoal::Settlement { node, n_roads, first: reach.first_road(node) })
    })
}

/// Returns a road for when no plan needs one: toward the longest road, or else toward a settlement.
pub(super) fn fallback_road(view: PlayerView<'_>, seat: Seat) -> Option<Edge> {
    if let Some(extension) = RoadExtension::of(view, seat) {
        return Some(extension.first);
    }
    let reach = RoadReach::of(view, seat);
    let economy = view.economy(seat);
    let after = |node: &Node| economy.with_settlement(view.island, *node).building_time(LIMIT);
    let spots = reach.spots().into_iter().skip(1).find(|spots| !spots.is_empty())?;
    reach.first_road(spots.min_by_key(after)?)
}

fn largest_army(view: PlayerView<'_>, seat: Seat, economy: &Economy) -> Option<BuildPlan> {
    // With 0, the knights in hand suffice and nothing has to be bought.
    let n_knights = knights_to_army(view, seat).filter(|&n| n != 0)?;
    let plan = card(view, seat, economy)?;
    Some(BuildPlan { throws: plan.throws + army_throws(economy, n_knights - 1), ..plan })
}

pub(super) fn card(view: PlayerView<'_>, seat: Seat, economy: &Economy) -> Option<BuildPlan> {
    (!view.state.deck().is_empty()).then(|| planned(view, seat, economy, BuildGoal::Card))
}

pub(super) fn planned(
    view: PlayerView<'_>,
    seat: Seat,
    economy: &Economy,
    goal: BuildGoal,
) -> BuildPlan {
    BuildPlan { goal, throws: economy.throws(view.state.hand(seat), goal.cost(), LIMIT) }
}
