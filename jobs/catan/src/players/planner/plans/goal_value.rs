//! The value of goals in points, and the plan that is worth most.
//!
//! A goal that is ready after `t` throws is worth its gain times [`DISCOUNT`] to the power of `t`;
//! the best goal that the same hand pays for later counts in part. So the hand counts by the time
//! that it saves, with trade at the bank.
//!
//! All weights are our own. They were fitted to the share of games that a planner wins against
//! three value players, with the length of games, the share of winners with the largest army and
//! the cost of not trading in view (`examples/ladder`).

use std::mem::discriminant;

use crate::Resource;
use crate::players::planner::estimates::building_speed::{Economy, LIMIT};
use crate::resource::ResourceCards;

use super::build_goal::{BuildGoal, BuildPlan};

/// The factor that multiplies a goal's value for each throw until the goal is ready.
const DISCOUNT: f64 = 0.9;

/// The number of throws that the discount distinguishes; later goals are worth next to nothing.
const N_THROWS: usize = 256;

/// The value of a goal that is ready after this many throws, per point of its gain.
static DISCOUNTS: [f64; N_THROWS] = {
    let mut discounts = [1.0; N_THROWS];
    let mut throws = 1;
    while throws < N_THROWS {
        discounts[throws] = discounts[throws - 1] * DISCOUNT;
        throws += 1;
    }
    discounts
};

/// The weight of the second goal.
const SECOND_GOAL: f64 = 0.25;

/// The gains of the longest road, of the largest army, and of a card besides its knights.
const LONGEST_ROAD_GAIN: f64 = 1.2;
const LARGEST_ARMY_GAIN: f64 = 2.0;
const CARD_GAIN: f64 = 0.7;

/// The additional gain of a goal that wins the game, and of a goal that leaves one point to win.
const WIN_GAIN: f64 = 1.2;
const LAST_POINT_GAIN: f64 = 0.36;

/// The weight of production among the gains when the leader has [`FIRST_POINTS`], and the share of
/// this weight that is gone when a player wins: income that comes late builds nothing.
const PRODUCTION: f64 = 0.9;
const LATE_LOSS: f64 = 0.9;

/// The points of every player after the setup.
const FIRST_POINTS: u8 = 2;

/// The weight of a pip, and the additional weight per pip of a resource's first [`VARIETY_PIPS`]
/// pips.
const PIP: f64 = 0.1;
const VARIETY: f64 = 0.12;
const VARIETY_PIPS: u8 = 4;

/// The weight of a port that takes 3 for 1, and the weight per pip of a port that takes 2 for 1.
const GENERIC_PORT: f64 = 0.2;
const SPECIAL_PORT_PIP: f64 = 0.04;

/// Returns the value of production and ports.
pub(crate) fn economy_value(economy: &Economy) -> f64 {
    let mut value = 0.0;
    for resource in Resource::ALL {
        let pips = economy.income(resource);
        value += PIP * f64::from(pips) + VARIETY * f64::from(pips.min(VARIETY_PIPS));
        if economy.rate(resource) == 2 {
            value += SPECIAL_PORT_PIP * f64::from(pips);
        }
    }
    let is_generic = Resource::ALL.iter().all(|&resource| economy.rate(resource) <= 3);
    value + if is_generic { GENERIC_PORT } else { 0.0 }
}

/// The points in a game, on which the gains of goals depend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GamePoints {
    /// The points of the player.
    pub(crate) own: u8,
    /// The points of the leader, the player's own included.
    pub(crate) most: u8,
    /// The points that win.
    pub(crate) to_win: u8,
}

/// A goal with its gain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValuedGoal {
    goal: BuildGoal,
    cost: ResourceCards,
    /// The throws in addition to the throws that pay for the cost.
    more_throws: u16,
    gain: f64,
}

impl ValuedGoal {
    /// Values a building, which changes the economy from `before` to `after`.
    pub(crate) fn building(
        goal: BuildGoal,
        [before, after]: [&Economy; 2],
        points: GamePoints,
    ) -> Self {
        let lead = points.most.saturating_sub(FIRST_POINTS);
        let gone = LATE_LOSS * f64::from(lead) / f64::from(points.to_win - FIRST_POINTS);
        let production = PRODUCTION * (1.0 - gone);
        let gain = 1.0 + production * (economy_value(after) - economy_value(before));
        Self::new(goal, gain + end_gain(points, 1))
    }

    pub(crate) fn longest_road(goal: BuildGoal, points: GamePoints) -> Self {
        Self::new(goal, LONGEST_ROAD_GAIN + end_gain(points, 2))
    }

    /// Values the largest army, which takes `more_throws` after its first card.
    pub(crate) fn largest_army(more_throws: u16, points: GamePoints) -> Self {
        let gain = LARGEST_ARMY_GAIN + end_gain(points, 2);
        Self { more_throws, ..Self::new(BuildGoal::Card, gain) }
    }

    /// Values a card, which may be the last point.
    pub(crate) fn card(points: GamePoints) -> Self {
        Self::new(BuildGoal::Card, CARD_GAIN + end_gain(points, 0))
    }

    fn new(goal: BuildGoal, gain: f64) -> Self {
        Self { goal, cost: goal.cost(), more_throws: 0, gain }
    }

    /// Returns the throws until the goal is reached, paying for `first` too.
    fn throws(&self, economy: &Economy, hand: ResourceCards, first: ResourceCards) -> u16 {
        economy.throws(hand, first.plus(self.cost), LIMIT).saturating_add(self.more_throws)
    }

    /// Returns the gain, discounted by the time until then.
    fn value_after(&self, throws: u16) -> f64 {
        self.gain * DISCOUNTS.get(usize::from(throws)).copied().unwrap_or(0.0)
    }
}

/// Returns the additional gain of a goal with this many points.
fn end_gain(points: GamePoints, more: u8) -> f64 {
    match points.to_win.saturating_sub(points.own + more) {
        0 => WIN_GAIN,
        1 => LAST_POINT_GAIN,
        _ => 0.0,
    }
}

/// Returns the plan for the goal that is worth most, with ties to the earlier goal.
pub(crate) fn best_plan(
    economy: &Economy,
    hand: ResourceCards,
    goals: &[ValuedGoal],
) -> Option<BuildPlan> {
    let mut best: Option<(f64, BuildPlan)> = None;
    for first in goals {
        let throws = first.throws(economy, hand, ResourceCards::NONE);
        let second = goals
            .iter()
            .filter(|second| discriminant(&second.goal) != discriminant(&first.goal))
            .map(|second| second.value_after(second.throws(economy, hand, first.cost)))
            .fold(0.0, f64::max);
        let value = first.value_after(throws) + SECOND_GOAL * second;
        if best.is_none_or(|(highest, _)| highest < value) {
            best = Some((value, BuildPlan { goal: first.goal, throws }));
        }
    }
    best.map(|(_, plan)| plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Node;
    use crate::rules::SETTLEMENT_COST;

    /// A road, a settlement and a card every 9 throws, a city every 18.
    const ECONOMY: Economy = Economy::new([4, 6, 4, 6, 4], [4; 5]);
    const START: GamePoints = GamePoints { own: 2, most: 2, to_win: 10 };

    fn city(points: GamePoints) -> ValuedGoal {
        let after = Economy::new([4, 11, 4, 6, 4], [4; 5]);
        ValuedGoal::building(BuildGoal::City(Node::ALL[0]), [&ECONOMY, &after], points)
    }

    fn settlement(points: GamePoints) -> ValuedGoal {
        let goal = BuildGoal::Settlement { node: Node::ALL[0], n_roads: 0, first: None };
        ValuedGoal::building(goal, [&ECONOMY, &ECONOMY], points)
    }

    #[track_caller]
    fn check(hand: ResourceCards, goals: &[ValuedGoal], expected: &ValuedGoal) {
        let plan = best_plan(&ECONOMY, hand, goals).unwrap();
        assert_eq!(plan.goal, expected.goal);
    }

    #[test]
    fn the_hand_decides_among_like_gains() {
        let goals = [city(START), settlement(START)];
        check(ResourceCards([0, 3, 0, 2, 0]), &goals, &goals[0]);
        check(SETTLEMENT_COST, &goals, &goals[1]);
        assert_eq!(best_plan(&ECONOMY, SETTLEMENT_COST, &[]), None);
    }

    #[test]
    fn production_counts_less_and_less() {
        let gain = |most: u8| city(GamePoints { most, ..START }).gain;
        assert!((gain(2) - (1.0 + 0.9 * 0.5)).abs() < 1e-12, "{}", gain(2));
        assert!((gain(10) - (1.0 + 0.09 * 0.5)).abs() < 1e-12, "{}", gain(10));
    }

    #[test]
    fn a_victory_counts_more() {
        let gain = |own: u8| settlement(GamePoints { own, most: own, ..START }).gain;
        assert!((gain(7) - 1.0).abs() < 1e-12);
        assert!((gain(8) - 1.36).abs() < 1e-12);
        assert!((gain(9) - 2.2).abs() < 1e-12);
        // Two points at once.
        let army =
            |own: u8| ValuedGoal::largest_army(0, GamePoints { own, most: own, ..START }).gain;
        assert!((army(6) - 2.0).abs() < 1e-12);
        assert!((army(8) - 3.2).abs() < 1e-12);
    }

    #[test]
    fn discounts_are_powers() {
        assert!((DISCOUNTS[0] - 1.0).abs() < 1e-12);
        assert!((DISCOUNTS[10] - 0.348_678_440_1).abs() < 1e-9, "{}", DISCOUNTS[10]);
    }
}
