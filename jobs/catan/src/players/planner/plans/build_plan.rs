//! Plans: what a player builds next.

use crate::board::{Edge, Node, NodeSet};
use crate::players::planner::estimates::building_speed::{Economy, LIMIT};
use crate::players::planner::estimates::road_reach::{MAX_ROADS, RoadExtension, RoadReach};
use crate::players::planner::estimates::view::PlayerView;
use crate::players::planner::estimates::win_eta::{army_throws, knights_to_army};
use crate::players::planner::params::PlannerVariant;
use crate::rules::Seat;

use super::build_goal::{BuildGoal, BuildPlan};
use super::goal_value::{GamePoints, ValuedGoal, best_plan, economy_value};

/// Points from which a fast planner considers longest road and largest army.
const POINTS_FOR_AWARDS: u8 = 5;

/// The most goals that a plan of the value variant is chosen from: a city, a settlement at each
/// distance, longest road, largest army, a card.
const MAX_GOALS: usize = MAX_ROADS + 5;

/// The best goals that the board offers a player, one per kind of goal. They change only with the
/// pieces on the board. The best building is the building after which production has the highest
/// value (value) or everything else is fastest (fast). Ties among nodes go to the lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BestGoals {
    pub(crate) economy: Economy,
    variant: PlannerVariant,
    city: Option<BuildGoal>,
    /// The best settlement for each number of missing roads.
    settlements: [Option<BuildGoal>; MAX_ROADS + 1],
    longest_road: Option<BuildGoal>,
}

impl BestGoals {
    pub(crate) fn of(view: PlayerView<'_>, seat: Seat, variant: PlannerVariant) -> Self {
        let economy = view.economy(seat);
        Self {
            economy,
            variant,
            city: city(view, seat, &economy, variant),
            settlements: settlements(view, seat, &economy, variant),
            longest_road: RoadExtension::of(view, seat)
                .map(|RoadExtension { n_roads, first }| BuildGoal::Roads { n_roads, first }),
        }
    }

    /// Returns the plan of the player's variant; none if nothing is possible.
    pub(crate) fn plan(&self, view: PlayerView<'_>, seat: Seat) -> Option<BuildPlan> {
        match self.variant {
            PlannerVariant::Value => self.most_valuable_plan(view, seat),
            PlannerVariant::Fast => self.fastest_plan(view, seat),
        }
    }

    /// Returns the plan of the value variant. Ties go to the city, the settlement with the fewest
    /// missing roads, the longest road, the largest army, a card, in this order.
    fn most_valuable_plan(&self, view: PlayerView<'_>, seat: Seat) -> Option<BuildPlan> {
        let economy = &self.economy;
        let most = view.state.seats().iter().map(|&seat| view.points(seat)).max().unwrap_or(0);
        let points = GamePoints { own: view.points(seat), most, to_win: view.points_to_win() };
        let building = |goal: BuildGoal| {
            let after = match goal {
                BuildGoal::City(node) => economy.with_city(view.island, node),
                BuildGoal::Settlement { node, .. } => economy.with_settlement(view.island, node),
                BuildGoal::Roads { .. } | BuildGoal::Card => *economy,
            };
            ValuedGoal::building(goal, [economy, &after], points)
        };
        let mut cards = [None; 2];
        if !view.state.deck().is_empty() {
            let army = |n: u8| ValuedGoal::largest_army(army_throws(economy, n - 1), points);
            cards = [
                knights_to_army(view, seat).filter(|&n| n != 0).map(army),
                Some(ValuedGoal::card(points)),
            ];
        }
        let buildings = self.city.into_iter().chain(self.settlements.into_iter().flatten());
        let road = self.longest_road.map(|goal| ValuedGoal::longest_road(goal, points));
        let goals = buildings.map(building).chain(road).chain(cards.into_iter().flatten());
        let (mut valued, mut n_goals) = ([ValuedGoal::card(points); MAX_GOALS], 0);
        for (slot, goal) in valued.iter_mut().zip(goals) {
            *slot = goal;
            n_goals += 1;
        }
        best_plan(economy, view.hand(seat), &valued[..n_goals])
    }

    /// Returns the plan of the fast variant: the settlement or city that is ready first; with five
    /// points also longest road and largest army. Ties go to the city, the settlement, the road,
    /// the army, in this order. If nothing else is possible, the plan is a card; none if not even
    /// that is possible.
    fn fastest_plan(&self, view: PlayerView<'_>, seat: Seat) -> Option<BuildPlan> {
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

fn city(
    view: PlayerView<'_>,
    seat: Seat,
    economy: &Economy,
    variant: PlannerVariant,
) -> Option<BuildGoal> {
    if view.state.cities_left(seat) == 0 {
        return None;
    }
    let after = |node: Node| economy.with_city(view.island, node);
    best_node(view.state.settlements(seat), variant, after).map(BuildGoal::City)
}

/// Returns the node after which the economy is best.
fn best_node(
    nodes: NodeSet,
    variant: PlannerVariant,
    after: impl Fn(Node) -> Economy,
) -> Option<Node> {
    if variant == PlannerVariant::Fast {
        return { nodes }.min_by_key(|node| after(*node).building_time(LIMIT));
    }
    let mut best: Option<(f64, Node)> = None;
    for node in nodes {
        let value = economy_value(&after(node));
        if best.is_none_or(|(highest, _)| highest < value) {
            best = Some((value, node));
        }
    }
    best.map(|(_, node)| node)
}

fn settlements(
    view: PlayerView<'_>,
    seat: Seat,
    economy: &Economy,
    variant: PlannerVariant,
) -> [Option<BuildGoal>; MAX_ROADS + 1] {
    let reach = RoadReach::of(view, seat);
    let after = |node: Node| economy.with_settlement(view.island, node);
    let (spots, roads_left) = (reach.spots(), usize::from(view.state.roads_left(seat)));
    std::array::from_fn(|n_roads| {
        if view.state.settlements_left(seat) == 0 || roads_left < n_roads {
            return None;
        }
        let node = best_node(spots[n_roads], variant, after)?;
        Some(BuildGoal::Settlement { node, n_roads, first: reach.first_road(node) })
    })
}

/// Returns a road for when no plan needs one: toward the longest road, or else toward a settlement.
pub(crate) fn fallback_road(view: PlayerView<'_>, seat: Seat) -> Option<Edge> {
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

fn card(view: PlayerView<'_>, seat: Seat, economy: &Economy) -> Option<BuildPlan> {
    (!view.state.deck().is_empty()).then(|| planned(view, seat, economy, BuildGoal::Card))
}

fn planned(view: PlayerView<'_>, seat: Seat, economy: &Economy, goal: BuildGoal) -> BuildPlan {
    BuildPlan { goal, throws: economy.throws(view.hand(seat), goal.cost(), LIMIT) }
}
