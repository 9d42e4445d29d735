//! The value of a trade to a player.

use crate::players::planner::cards::bank_loss;
use crate::players::planner::estimates::building_speed::{Economy, LIMIT};
use crate::players::planner::estimates::view::PlayerView;
use crate::players::planner::params::PlannerVariant;
use crate::players::planner::plans::board_cache::BoardCache;
use crate::players::planner::plans::build_goal::{BuildGoal, BuildPlan};
use crate::resource::ResourceCards;
use crate::rules::{Action, Seat, Trade};

/// One side of a trade, as it sees itself or as another player sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TradeSide {
    pub(crate) seat: Seat,
    pub(crate) hand: ResourceCards,
    pub(crate) economy: Economy,
    plan: BuildPlan,
}

impl TradeSide {
    pub(crate) fn new(view: PlayerView<'_>, seat: Seat, plan: BuildPlan) -> Self {
        Self { seat, hand: view.hand(seat), economy: view.economy(seat), plan }
    }

    /// Models another player from public information, as a planner of this variant.
    pub(crate) fn model_of(
        view: PlayerView<'_>,
        cache: &mut BoardCache,
        seat: Seat,
        variant: PlannerVariant,
    ) -> Option<Self> {
        let view = view.public();
        let best_goals = cache.best_goals(view, seat, variant);
        let plan = best_goals.plan(view, seat)?;
        Some(Self { seat, hand: view.hand(seat), economy: best_goals.economy, plan })
    }

    /// Returns the cards that the plan does not need.
    pub(crate) fn spare(&self) -> ResourceCards {
        self.hand.minus(self.plan.goal.cost())
    }

    /// Returns the number of throws until the plan is paid for, after this trade.
    pub(crate) fn throws_after(&self, trade: Trade) -> u16 {
        self.economy.throws(self.after(trade), self.plan.goal.cost(), LIMIT)
    }

    fn after(&self, trade: Trade) -> ResourceCards {
        self.hand.minus(trade.give).plus(trade.take)
    }

    /// Returns true if the trade is good enough: it takes nothing that the plan needs, and the plan
    /// is paid for in fewer throws. A trade that does not advance the plan is never good enough.
    pub(crate) fn advances_plan(&self, trade: Trade) -> bool {
        self.spare().covers(trade.give) && self.throws_after(trade) < self.plan.throws
    }

    /// Returns true if the trade beats the bank: it advances the plan, or it pays for the plan as
    /// the bank would, with fewer cards.
    pub(crate) fn beats_bank(&self, trade: Trade) -> bool {
        let cost = self.plan.goal.cost();
        let loss = |hand: ResourceCards| bank_loss(&self.economy, hand, cost);
        self.advances_plan(trade)
            || (self.plan.throws == 0
                && self.spare().covers(trade.give)
                && self.throws_after(trade) == 0
                && trade.give.total() + loss(self.after(trade))
                    < trade.take.total() + loss(self.hand))
    }

    /// Returns true if no trade can help because the plan is paid for without the bank.
    pub(crate) fn is_ready(&self) -> bool {
        self.hand.covers(self.plan.goal.cost())
    }

    /// Returns true if both sides want to build where only one can.
    pub(crate) fn competes_with(&self, other: &Self) -> bool {
        let first = |plan: &BuildPlan| match plan.goal.first_piece() {
            Action::Road(edge) => Some(edge),
            _ => None,
        };
        let node = |plan: &BuildPlan| match plan.goal {
            BuildGoal::Settlement { node, .. } => Some(node),
            _ => None,
        };
        let is_near = node(&self.plan)
            .zip(node(&other.plan))
            .is_some_and(|(own, theirs)| own.near().contains(theirs));
        is_near || (first(&self.plan).is_some() && first(&self.plan) == first(&other.plan))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resource;
    use crate::board::Node;
    use crate::rules::Seat;

    /// Returns a side that wants a city, and gets ore and wheat every 6 throws, sheep every 4.
    fn side(hand: [u8; 5]) -> TradeSide {
        let economy = Economy::new([0, 6, 9, 6, 0], [4; 5]);
        let goal = BuildGoal::City(Node::ALL[0]);
        let throws = economy.throws(ResourceCards(hand), goal.cost(), LIMIT);
        TradeSide {
            seat: Seat::First,
            hand: ResourceCards(hand),
            economy,
            plan: BuildPlan { goal, throws },
        }
    }

    fn trade(give: ResourceCards, take: Resource) -> Trade {
        Trade { give, take: ResourceCards::of(take, 1) }
    }

    #[test]
    fn a_gain_brings_the_plan_forward() {
        let side = side([0, 1, 2, 2, 0]);
        // After 8 throws one ore, and four sheep for another.
        assert_eq!(side.plan.throws, 8);
        let one = ResourceCards::of(Resource::Sheep, 1);
        assert!(side.advances_plan(trade(one, Resource::Ore)));
        // Wood is of no use, nor a third wheat.
        assert!(!side.advances_plan(trade(one, Resource::Wood)));
        assert!(!side.advances_plan(trade(one, Resource::Wheat)));
    }

    #[test]
    fn what_the_plan_needs_is_never_given() {
        // A third ore for a second wheat: the plan needs both.
        let scarce = side([0, 3, 1, 1, 0]);
        assert!(!scarce.advances_plan(trade(ResourceCards::of(Resource::Ore, 1), Resource::Wheat)));
        assert!(
            scarce.advances_plan(trade(ResourceCards::of(Resource::Sheep, 1), Resource::Wheat))
        );
        // Only what is there is given.
        assert!(
            !scarce.advances_plan(trade(ResourceCards::of(Resource::Sheep, 2), Resource::Wheat))
        );
        // The fourth ore is spare.
        let rich = side([0, 4, 0, 1, 0]);
        assert!(rich.advances_plan(trade(ResourceCards::of(Resource::Ore, 1), Resource::Wheat)));
    }

    #[test]
    fn a_trade_that_only_saves_cards_beats_the_bank_but_is_no_gain() {
        // Four sheep buy the ore that lacks.
        let side = side([0, 2, 5, 2, 0]);
        assert_eq!(side.plan.throws, 0);
        let cheap = trade(ResourceCards::of(Resource::Sheep, 1), Resource::Ore);
        assert!(side.beats_bank(cheap) && !side.advances_plan(cheap));
        assert!(!side.beats_bank(trade(ResourceCards::of(Resource::Sheep, 4), Resource::Ore)));
    }

    #[test]
    fn neighbors_race() {
        let at = |node: Node| {
            let goal = BuildGoal::Settlement { node, n_roads: 0, first: None };
            TradeSide { plan: BuildPlan { goal, throws: 5 }, ..side([0; 5]) }
        };
        let node = Node::ALL[20];
        assert!(at(node).competes_with(&at(node.neighbors()[0])));
        assert!(!at(node).competes_with(&at(Node::ALL[53])));
        assert!(!at(node).competes_with(&side([0; 5])));
    }
}
