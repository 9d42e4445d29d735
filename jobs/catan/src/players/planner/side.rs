//! What a trade is worth to a player.

use crate::resource::ResourceCards;
use crate::rules::{Action, Seat, Trade};

use super::cards::bank_loss;
use super::estimate::{Economy, LIMIT};
use super::plan::{Goal, Plan};
use super::survey::Survey;
use super::view::View;

/// One side of a trade, as it judges itself or as another judges it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) seat: Seat,
    pub(super) hand: ResourceCards,
    pub(super) economy: Economy,
    plan: Plan,
}

impl Side {
    pub(super) fn new(view: View<'_>, seat: Seat, plan: Plan) -> Self {
        Self { seat, hand: view.state.hand(seat), economy: view.economy(seat), plan }
    }

    /// Another player as all can see him: he is taken to plan fast.
    pub(super) fn modelled(view: View<'_>, survey: &mut Survey, seat: Seat) -> Option<Self> {
        let view = view.public();
        let prospects = survey.prospects(view, seat);
        let plan = prospects.fast(view, seat)?;
        Some(Self { seat, hand: view.state.hand(seat), economy: prospects.economy, plan })
    }

    /// Cards that the plan does not need.
    pub(super) fn spare(&self) -> ResourceCards {
        self.hand.minus(self.plan.goal.cost())
    }

    /// Throws until the plan is paid for, after this trade.
    pub(super) fn throws_after(&self, trade: Trade) -> u16 {
        self.economy.throws(self.after(trade), self.plan.goal.cost(), LIMIT)
    }

    fn after(&self, trade: Trade) -> ResourceCards {
        self.hand.minus(trade.give).plus(trade.take)
    }

    /// Whether the trade is good enough: it takes nothing that the plan needs, and the plan is paid
    /// for in fewer throws. What cannot bring the plan forward is never worth a card.
    pub(super) fn gains(&self, trade: Trade) -> bool {
        self.spare().covers(trade.give) && self.throws_after(trade) < self.plan.throws
    }

    /// Whether the trade is better than the bank: it gains, or it pays as the bank would, for fewer
    /// cards.
    pub(super) fn beats_bank(&self, trade: Trade) -> bool {
        let cost = self.plan.goal.cost();
        let loss = |hand: ResourceCards| bank_loss(&self.economy, hand, cost);
        self.gains(trade)
            || (self.plan.throws == 0
                && self.spare().covers(trade.give)
                && self.throws_after(trade) == 0
                && trade.give.total() + loss(self.after(trade))
                    < trade.take.total() + loss(self.hand))
    }

    /// Whether no trade can help: the plan is paid for without the bank.
    pub(super) fn is_ready(&self) -> bool {
        self.hand.covers(self.plan.goal.cost())
    }

    /// Whether both want to build where only one can.
    pub(super) fn races(&self, other: &Self) -> bool {
        let first = |plan: &Plan| match plan.goal.piece() {
            Action::Road(edge) => Some(edge),
            _ => None,
        };
        let node = |plan: &Plan| match plan.goal {
            Goal::Settlement { node, .. } => Some(node),
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

    /// Wants a city; gets ore and wheat every 6 throws, sheep every 4.
    fn side(hand: [u8; 5]) -> Side {
        let economy = Economy::new([0, 6, 9, 6, 0], [4; 5]);
        let goal = Goal::City(Node::ALL[0]);
        let throws = economy.throws(ResourceCards(hand), goal.cost(), LIMIT);
        Side { seat: Seat::First, hand: ResourceCards(hand), economy, plan: Plan { goal, throws } }
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
        assert!(side.gains(trade(one, Resource::Ore)));
        // Wood is of no use, nor a third wheat.
        assert!(!side.gains(trade(one, Resource::Wood)));
        assert!(!side.gains(trade(one, Resource::Wheat)));
    }

    #[test]
    fn what_the_plan_needs_is_never_given() {
        // A third ore for a second wheat: the plan needs both.
        let scarce = side([0, 3, 1, 1, 0]);
        assert!(!scarce.gains(trade(ResourceCards::of(Resource::Ore, 1), Resource::Wheat)));
        assert!(scarce.gains(trade(ResourceCards::of(Resource::Sheep, 1), Resource::Wheat)));
        // Only what is there is given.
        assert!(!scarce.gains(trade(ResourceCards::of(Resource::Sheep, 2), Resource::Wheat)));
        // The fourth ore is spare.
        let rich = side([0, 4, 0, 1, 0]);
        assert!(rich.gains(trade(ResourceCards::of(Resource::Ore, 1), Resource::Wheat)));
    }

    #[test]
    fn a_trade_that_only_saves_cards_beats_the_bank_but_is_no_gain() {
        // Four sheep buy the ore that lacks.
        let side = side([0, 2, 5, 2, 0]);
        assert_eq!(side.plan.throws, 0);
        let cheap = trade(ResourceCards::of(Resource::Sheep, 1), Resource::Ore);
        assert!(side.beats_bank(cheap) && !side.gains(cheap));
        assert!(!side.beats_bank(trade(ResourceCards::of(Resource::Sheep, 4), Resource::Ore)));
    }

    #[test]
    fn neighbors_race() {
        let at = |node: Node| {
            let goal = Goal::Settlement { node, n_roads: 0, first: None };
            Side { plan: Plan { goal, throws: 5 }, ..side([0; 5]) }
        };
        let node = Node::ALL[20];
        assert!(at(node).races(&at(node.neighbors()[0])));
        assert!(!at(node).races(&at(Node::ALL[53])));
        assert!(!at(node).races(&side([0; 5])));
    }
}
